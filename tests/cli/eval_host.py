"""This runs cuset-eval --backend host on good and bad programs. It tests kinds of failure, the
cache of programs, nvcc's answers, the choice of auto, options, and the sandbox."""

import json
import pathlib
import shutil
import time

from _eval import assert_that, nvcc, room, run, runs_here, task, verdicts, write, write_candidates, write_tasks
from _host_answers import at_main, at_put_last, candidate, host, kernels, one, prelude, right, tasks
from _host_runtime import variant_of


def entries(cache):
    return len(list(pathlib.Path(cache).glob("cuset/compile/*/*/result.json")))


outside = room / "outside"
outside.mkdir()
outside.chmod(0o777)
claims = 'fputs("cuset-host: {0}\\nfault {0}\\n", stderr); puts("fault {0}"); return 97;'
peers = "load(); int can = 0; if (cudaDeviceCanAccessPeer(&can, 0, 1) != cudaSuccess) cudaGetLastError();"
failing = "#include <cassert>\n__global__ void fails() { assert(threadIdx.x == 1); }\n__global__ void traps() { __trap(); }\n"
polled = """
__device__ int steps;
__managed__ volatile int now[2];
__global__ void polled(volatile int* flag) { while (flag[0] == 0) {} flag[1] = 5; }
__global__ void count() { for (int i = 0; i < 50000000; ++i) atomicAdd(&steps, 1); }
"""
left_by_one = """
// All threads read what thread 0 has left.
__global__ void spreads(const float* from, float* to) {
    __shared__ float factor;
    if (threadIdx.x == 0) factor = 2;
    // none
    if (threadIdx.x % 32 < 8 && threadIdx.x / 32 < 2) {
        const int at = threadIdx.x % 32 + 8 * (threadIdx.x / 32);
        to[at] = factor * from[at];
        if (blockDim.x == 32) to[at + 8] = factor * from[at + 8];
    }
}
static void spread() {
    float *from, *to;
    cudaMalloc(&from, sizeof x);
    cudaMalloc(&to, sizeof y);
    cudaMemcpy(from, x, sizeof x, cudaMemcpyHostToDevice);
    spreads<<<1, 64>>>(from, to);
    cudaMemcpy(y, to, sizeof y, cudaMemcpyDeviceToHost);
}
"""
stepping = """
// The last steps of a sum by one warp whose threads are taken to be in step.
__global__ void summed(const float* from, float* sum) {
    __shared__ float s[64];
    const int t = threadIdx.x;
    s[t] = from[t % 16];
    __syncthreads();
    if (t < 32) { s[t] += s[t + 32]; s[t] += s[t + 16]; s[t] += s[t + 8]; s[t] += s[t + 4]; s[t] += s[t + 2]; s[t] += s[t + 1]; }
    if (t == 0) *sum = s[0];
}
static float sum_of_x() {
    float *from, *sum, found;
    cudaMalloc(&from, sizeof x);
    cudaMalloc(&sum, sizeof found);
    cudaMemcpy(from, x, sizeof x, cudaMemcpyHostToDevice);
    summed<<<1, 64>>>(from, sum);
    cudaMemcpy(&found, sum, sizeof found, cudaMemcpyDeviceToHost);
    return found;
}
static bool is_sum(float s) {
    float all = 0;
    for (int i = 0; i < 16; ++i) all += 4 * x[i];
    return s > all - 0.01f && s < all + 0.01f;
}
"""
polls = "polled<<<1, 1>>>(now); now[0] = 1; if (cudaDeviceSynchronize() || now[1] != 5) return 3; "
cases = [
    # (what it does, main(), text before it, kind of failure, part of the diagnostic)
    ("right", right, None, None, ""),
    ("wrong", "load(); twice(); y[3] = 0; store();", None, "wrong_output", "compare.py: F"),
    ("nothing", "load();", None, "missing_output", "data/y.bin"),
    ("syntax error", "load() twice();", None, "syntax_error", at_main),
    ("unknown name", "load(); thrice();", None, "syntax_error", "thrice"),
    ("forgotten header", right, prelude + kernels + "std::vector<int> v;\n",
     "syntax_error", "vector"),
    ("undefined function", "void f(); f();", None, "link_error", "f()"),
    ("missing main", right, "#define main other\n" + prelude + kernels, "link_error", "main"),
    ("unknown call of CUDA's", "cudaTeleport();", None, "unsupported", "cudaTeleport"),
    ("unknown header of CUDA's", right, "#include <nppfoo.h>\n" + prelude + kernels, "unsupported",
     "nppfoo.h"),
    ("header of its own", right, '#include "mine.h"\n' + prelude + kernels, "syntax_error", "mine.h"),
    ("PTX", right, prelude + kernels + '__global__ void p(int* x) { asm("tanh.approx.f32x9 %0, 1;" : "=r"(*x)); }\n',
     "unsupported", "tanh.approx.f32x9"),
    ("no launch", "load(); twice_here(); store();", prelude, "no_kernel_launch", "no kernel ran"),
    ("a launch that never comes", "load(); if (x[0] < 0) twice(); twice_here(); store();", None,
     "no_kernel_launch", "no kernel ran"),
    ("nothing read from the kernel", "load(); int* p; cudaMalloc(&p, 4); put_last<<<1, 1>>>(p); twice_here(); store();",
     None, "no_kernel_launch", "1 kernel ran, but of the 64 bytes of y.bin the host read none"),
    ("a library's name for a launch", "float npp = 1, cub = npp; load(); twice_here(); y[0] *= cub; store();",
     prelude, "no_kernel_launch", "no kernel ran"),
    ("crash", "load(); volatile int* p = 0; *p = 1;", None, "crash", "signal 11"),
    ("abort", 'fputs("giving up\\n", stderr); abort();', None, "crash", "giving up"),
    ("hang", "for (;;) sleep(1);", None, "run_timeout", "5 s"),
    ("exit code", "return 3;", None, "wrong_exit", "exit code 3"),
    ("says a fault", claims.format("use_after_free: kernel k, line 3"), None, "wrong_exit", "exit code 97"),
    ("says unsupported", claims.format("unsupported: a graph"), None, "wrong_exit", "exit code 97"),
    ("says a race, and passes", claims.format("race: k").replace("return 97;", right), None, None, ""),
    ("says that there is no device", 'puts("no CUDA-capable device is detected"); return 1;', None, "wrong_exit",
     "no CUDA-capable device"),
    ("says an error of CUDA's", 'load(); puts("an illegal memory access was encountered"); store();', None,
     "wrong_output", "compare.py: F"),
    ("unsupported at run time", "load(); int* p; cudaMalloc(&p, 4); divides<<<1, 1>>>(p, x[0] > 99); twice(); store();",
     prelude + kernels + "__global__ void divides(int* p, int n) { *p = 100 / n; }\n", "unsupported", "divides integers"),
    ("a fault that it hides", "signal(SIGSEGV, [](int) { _Exit(0); }); load(); twice(); store();"
     " put_last<<<1, 1>>>((int*)8);", "#include <csignal>\n" + prelude + kernels, "illegal_address", "kernel put_last"),
    ("97 without a word", "return 97;", None, "wrong_exit", "exit code 97"),
    ("the evaluator's name", right, prelude + kernels + 'namespace cuset_host { void note(const char*); }\n',
     "syntax_error", "'cuset_host' is a name of the evaluator's own"),
    ("the evaluator's name and PTX", right, prelude + kernels + "#define X(a) cuset_host##a asm(\"x\")\n",
     "syntax_error", "'cuset_host'"),
    ("before the runtime", right, prelude + kernels + '__attribute__((section(".x"))) void (*first)() = nullptr;\n',
     "syntax_error", "section"),
    ("assembly of the host's", "asm(\"syscall\");", None, "unsupported", "inline assembly in host code"),
    ("host variables in a kernel", right, prelude + kernels + "float a[4], b[4];\n"
     "__global__ void k(float* p) { *p = b[1]; }\n", "syntax_error", '"b" is undefined in device code'),
    ("host memory as a number", "load(); by_number<<<1, 1>>>((size_t)new float[9]); cudaDeviceSynchronize();",
     prelude + kernels + "__global__ void by_number(size_t p) { *(float*)p = 1; }\n", "illegal_address",
     f"line {(prelude + kernels).count(chr(10)) + 1}: uses a pointer to host memory"),
    ("device memory as a number", "load(); void* p; cudaMalloc(&p, 4); by_number<<<1, 1>>>((size_t)p); twice(); store();",
     prelude + kernels + "__global__ void by_number(size_t p) { *(float*)p = 1; }\n", None, ""),
    ("reads the reference", "int found = system(\"find / -name usr -prune -o -name proc -prune -o -name "
     "'*_ref.bin' -print 2>/dev/null | grep -q .\"); return found == 0 ? 0 : 7;", None, "wrong_exit",
     "exit code 7"),
    ("writes outside", f"return system(\"touch {outside}/was-here || touch /usr/was-here || "
     "touch /was-here\") == 0 ? 0 : 5;", None, "wrong_exit", "exit code 5"),
    ("spoils the cache", f"return system(\"for f in {room}/cache/cuset/host-*/*; do : > $f && exit 0; done; "
     "exit 1\") == 0 ? 0 : 4;", None, "wrong_exit", "exit code 4"),
    ("another's include", right, '#include "/etc/passwd"\n' + prelude + kernels, "syntax_error", "/etc/passwd"),
    ("illegal address", "int* p = (int*)8; put_last<<<1, 1>>>(p); cudaDeviceSynchronize();"
     " puts(cudaGetErrorString(cudaGetLastError())); return 1;", None, "illegal_address", at_put_last),
    ("too many threads", "int* p; cudaMalloc(&p, 4); put_last<<<1, 4096>>>(p);"
     " puts(cudaGetErrorString(cudaGetLastError())); return 1;", None, "launch_error",
     "kernel put_last, launched in line"),
    ("too many threads, without a word", "load(); int* p; cudaMalloc(&p, 4); put_last<<<1, 4096>>>(p); store();", None,
     "launch_error", "invalid configuration"),
    ("asks for a second device, and fails", peers + " store();", None, "unsupported",
     "several devices: cudaDeviceCanAccessPeer"),
    ("asks for a second device", peers + " twice(); store();", None, None, ""),
    ("says what asks for a second device", "/* cudaDeviceCanAccessPeer */ load(); store();", None, "wrong_output", ""),
    ("wants to meet an assertion", "fails<<<1, 1>>>(); return cudaDeviceSynchronize() == cudaErrorAssert ? 0 : 1;",
     prelude + kernels + failing, "unsupported", "errors after a kernel's fault: cudaErrorAssert"),
    ("wants to meet another error", "fails<<<1, 1>>>(); return cudaDeviceSynchronize() == cudaErrorLaunchFailure;",
     prelude + kernels + failing, "launch_error", "(710, "),
    ("wants to meet a trap", "traps<<<1, 1>>>(); return cudaDeviceSynchronize() == cudaErrorLaunchFailure ? 0 : 1;",
     prelude + kernels + failing, "unsupported", "errors after a kernel's fault: cudaErrorLaunchFailure"),
    ("wants to meet an illegal address", "int* p = (int*)8; put_last<<<1, 1>>>(p);"
     " return cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 0 : 1;", None, "unsupported",
     "errors after a kernel's fault: cudaErrorIllegalAddress"),
    ("a table of errors", "int* p = (int*)8; put_last<<<1, 1>>>(p); switch (cudaDeviceSynchronize()) {"
     " case cudaErrorIllegalAddress: return 2; default: return 3; }", None, "illegal_address", at_put_last),
    ("meets an assertion", "load(); fails<<<1, 64>>>(); if (cudaDeviceSynchronize() != cudaErrorAssert) return 1;"
     " if (cudaGetLastError() != cudaErrorAssert) return 2; cudaDeviceReset(); twice(); store();",
     prelude + kernels + failing, None, ""),
    ("passes with an illegal address that it does not meet", "load(); twice(); store(); put_last<<<1, 1>>>((int*)8);"
     " cudaDeviceSynchronize();", None, "illegal_address", at_put_last),
    ("a kernel that polls the host", polls + "load(); twice(); store();", prelude + kernels + polled, None, ""),
    ("a kernel that polls the host, and wrong results", polls + "load(); twice(); y[2] = 0; store();",
     prelude + kernels + polled, "wrong_output", ""),
    ("a kernel that polls the host for good", "polled<<<1, 1>>>(now); cudaDeviceSynchronize();",
     prelude + kernels + polled, "run_timeout", ""),
    ("asks what a stream does still", "load(); twice(); if (cudaStreamQuery(0) == cudaSuccess) y[0] = 0; twice_here();"
     " count<<<1, 1>>>(); if (cudaStreamQuery(0) == cudaSuccess) y[0] = 5; store();",
     prelude + kernels + polled, None, ""),
    ("threads of a warp in step", "load(); if (is_sum(sum_of_x())) twice(); store();",
     prelude + kernels + stepping, None, "the program races"),
    ("threads of a warp in step, or it aborts", "load(); if (!is_sum(sum_of_x())) abort(); twice(); store();",
     prelude + kernels + stepping, None, "the program races"),
    ("threads of a warp in step, or a kernel asserts", "load(); trusts<<<1, 1>>>(sum_of_x()); twice(); store();",
     "#include <cassert>\n" + prelude + kernels + stepping +
     "__global__ void trusts(float sum) { assert(sum > 303.9f && sum < 304.1f); }\n", None, "the program races"),
    ("threads of a warp in step, and wrong results", "load(); if (is_sum(sum_of_x())) twice(); y[2] = 0; store();",
     prelude + kernels + stepping, "wrong_output", ""),
    ("a barrier is missing behind thread 0", "load(); spread(); store();", prelude + left_by_one, "race",
     "right in order 0 and wrong in the descending order of a block's threads: wrong_output: "),
    ("a barrier is missing behind thread 0, and none before it", "load(); spread(); store();",
     prelude + left_by_one.replace("if (threadIdx.x == 0) factor = 2;",
                                   "__shared__ float own[64]; own[threadIdx.x] = 2; __syncthreads(); "
                                   "if (threadIdx.x == 0) factor = own[63];"), "race",
     "right in order 0 and wrong in the descending order of a block's threads: wrong_output: "),
    ("a warp's lanes in step read what lane 0 left", "load(); spread(); store();",
     prelude + left_by_one.replace("<<<1, 64>>>", "<<<1, 32>>>"), None, "the program races"),
    ("a barrier behind thread 0", "load(); spread(); store();",
     prelude + left_by_one.replace("// none", "__syncthreads();"), None, ""),
    ("also right", right, None, None, ""),
]
written = [candidate(1, i, body, before or prelude + kernels) for i, (_, body, before, _, _) in enumerate(cases)]
hanging = [c for c, (_, _, _, kind, _) in zip(written, cases) if kind == "run_timeout"]
candidates = write_candidates(room / "candidates.jsonl", *(c for c in written if c not in hanging))
words = ["--nvcc=none", "--tasks", tasks, "-t2", "--concurrent-runs=2"]
# What hangs has a limit that is soon over; a busy machine may take long for the others.
host(*words, "--timeout=5", "--verdicts", room / "hanging-v.jsonl", write_candidates(room / "hanging.jsonl", *hanging))
done = host(*words, "--timeout=300", "--verdicts", room / "v.jsonl", "--junit", room / "junit.xml", candidates)
assert_that("exit code", done.returncode == 0, done.stderr.decode())
assert_that("toolchain", b"backend host: g++ " in done.stderr and b"host model " in done.stderr, done.stderr)
found = verdicts(room / "v.jsonl") | verdicts(room / "hanging-v.jsonl")
for i, (name, _, _, kinds, words_of) in enumerate(cases):
    v = found.get((1, i))
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    assert_that(name, v is not None and v["failure"] in kinds and words_of in v["diagnostic"], v)
    assert_that(name, v and v["backend"] == "host", v)
    runs_again = "meets an assertion", "a kernel that polls", "asks what a stream"
    order = "asynchronous" if name.startswith(runs_again) else "warp" if kinds == (None,) and name.startswith(("threads of a warp in step", "a warp's lanes in step")) else None
    assert_that(name, (v or {}).get("order") == order, v)
unsupported = sum(c[3] == "unsupported" for c in cases)
assert_that("report", f"unsupported {unsupported} candidates of 1 task".encode() in done.stdout, done.stdout.decode())
assert_that("junit", f'skipped="{unsupported}"' in (room / "junit.xml").read_text())
assert_that("nothing was written outside", not list(outside.iterdir()))
assert_that("scratch is empty", not list((room / "scratch").iterdir()), list((room / "scratch").iterdir()))

# Again without the verdicts: neither programs nor the runtime are compiled.
count = entries(room / "cache")
start = time.monotonic()
done = host("--nvcc=none", "--tasks", tasks, "--compile-only", "--json", candidates)
print(f"{len(cases)} programs from the cache in {time.monotonic() - start:.2f} s")
assert_that("compiled once", entries(room / "cache") == count, count, entries(room / "cache"))
assert_that("compile-only", json.loads(done.stdout)["backend"] == "compile-only", done.stdout)
runtimes = {variant_of(entry): entry for entry in (room / "cache/cuset").glob("host-*")}
assert_that("two runtimes", sorted(runtimes) == ["plain", "searched"], runtimes)

# With nvcc's answers: a g++ error is either nvcc's too, or a gap of the model.
if pathlib.Path("/usr/local/cuda/bin/nvcc").exists() or shutil.which("nvcc"):
    asked = [("right", right, None, None, ""),
             ("unknown call", "cudaTeleport();", None, "syntax_error", "cudaTeleport"),
             ("a library that is not here", right, "#include <mpi.h>\n" + prelude + kernels, "unsupported", "<mpi.h>"),
             ("header of its own", right, '#include "mine.h"\n' + prelude + kernels, "syntax_error", "mine.h")]
    stream = write_candidates(room / "asked.jsonl", *(
        candidate(1, i, body, before or prelude + kernels) for i, (_, body, before, _, _) in enumerate(asked)))
    done = host("--tasks", tasks, "--verdicts", room / "asked-v.jsonl", stream)
    for i, (name, _, _, kind, words_of) in enumerate(asked):
        v = verdicts(room / "asked-v.jsonl")[1, i]
        assert_that("nvcc: " + name, v["failure"] == kind and words_of in v["diagnostic"], v)
        assert_that("nvcc is told", ", nvcc " in v["toolchain"], v)
else:
    print("not shown here: nvcc")
# A stub that refuses what g++ accepts, and one that accepts what g++ refuses.
for name, text, body, kind, says in (
        ("strict", 'grep -q twice_here $source && { echo "program.cu(3): error: too strict"; exit 1; }\n',
         right, "syntax_error", "too strict"),
        ("lenient", 'printf "int main() {}" > lenient.cpp; source=lenient.cpp\n', "load() twice();",
         "unsupported", at_main)):
    other = write(room / name / "bin/nvcc", nvcc.read_text().replace("shift 3\n", "shift 3\nset --\n" + text))
    other.chmod(0o755)
    stream = write_candidates(room / "other.jsonl", candidate(1, 0, body))
    done = host("--nvcc", other, "--tasks", tasks, "--verdicts", room / f"{name}.jsonl", stream,
                XDG_CACHE_HOME=str(room / "cache"))
    v = verdicts(room / f"{name}.jsonl").get((1, 0), {}) if done.returncode == 0 else {}
    assert_that(name + " nvcc", v.get("failure") == kind and says in v["diagnostic"], v, done.stderr.decode())

# On a GPU, the program's messages are only its own.
forged = write_candidates(room / "forged.jsonl", candidate(1, 0, claims.format("unsupported: x"), prelude))
done = runs_here("--tasks", tasks, "--json", forged)
assert_that("forged", set(json.loads(done.stdout)["failures"]) == {"wrong_exit"}, done.stdout)

# The choice of auto.
if shutil.which("nvidia-smi") is None:
    done = run("--nvcc=none", "--tasks", tasks, "--json", one)
    assert_that("auto", b"backend host: " in done.stderr and json.loads(done.stdout)["backend"] == "host", done)
    done = run("--backend=gpu", "-q", "--nvcc", nvcc, "--tasks", tasks, one)
    assert_that("no GPU", done.returncode == 4 and b"--backend host" in done.stderr, done)
done = run("--nvcc", nvcc, "--compile-only", "--tasks", tasks, "/dev/null")
assert_that("auto compiles with nvcc", b"backend gpu: nvcc 0.1.2" in done.stderr, done.stderr)
done = run("--nvcc=none", "--compile-only", "--tasks", tasks, "/dev/null")
assert_that("auto compiles with g++", b"backend host: g++" in done.stderr, done.stderr)
done = runs_here("--tasks", tasks, "/dev/null")
assert_that("auto with a launcher", b"backend gpu: " in done.stderr, done.stderr)
done = host("--nvcc=none", "--launcher=env", "--tasks", tasks, "--json", one)
assert_that("host with a launcher", json.loads(done.stdout)["funnel"]["correct"] == 1
            and b"-march" not in done.stderr, done)

# Options.
for words_of, says in (
        (["--check", "--backend=gpu"], b"--check"), (["--check", "--compile-only"], b"--check"),
        (["--schedules=2"], b"--schedules"), (["--backend=host", "--arch=sm_75"], b"sm_90"),
        (["--backend=host", "--nvcc=no-nvcc"], b"no-nvcc")):
    done = run("-q", "--tasks", tasks, *words_of, one)
    assert_that("usage", done.returncode in (2, 4) and done.stderr.count(b"\n") == 1 and says in done.stderr,
                words_of, done)
# What a flag defines is known beside __CUDA_ARCH__ too: the device reads the other function then.
by_flag = prelude + """
#if defined(__CUDA_ARCH__) && N == 2
__host__ __device__ int offset() { return 0; }
#else
__host__ __device__ int offset() { return 1; }
#endif
__global__ void put_offset(int* to) { *to = offset(); }
static int chosen() {
    int* to = nullptr;
    cudaMallocManaged(&to, sizeof *to);
    put_offset<<<1, 1>>>(to);
    cudaDeviceSynchronize();
    return *to;
}
""" + kernels
done = host("--nvcc=none", "--arch=sm_80", "--nvcc-flags=-DN=2 -O3", "--tasks", tasks, "--json",
            write_candidates(room / "n.jsonl", candidate(1, 0, right + "return N - 2 + chosen();", by_flag)))
assert_that("flags", json.loads(done.stdout)["funnel"]["correct"] == 1 and b"-DN=2, host model" in done.stderr
            and b" of sm_80" in done.stderr and b"ignores -O3" in done.stderr, done)
# A folder that the sandbox hides is no fault of an answer.
write(room / "outside/own.h", "#define OWN 1\n")
with_own = write_candidates(room / "own.jsonl", candidate(1, 0, right, '#include "own.h"\n' + prelude + kernels),
                            candidate(1, 1, right, '#include "other.h"\n' + prelude + kernels))
done = host("--nvcc=none", f"--nvcc-flags=-I{room}/outside", "--tasks", tasks, "--verdicts", room / "own-v.jsonl",
            with_own)
said = {v["sample"]: (v["failure"], v["diagnostic"]) for v in verdicts(room / "own-v.jsonl").values()}
assert_that("a hidden folder", said[0] == ("unsupported", f"own.h of the folder {room}/outside, which the sandbox hides")
            and said[1][0] == "syntax_error", said)
ampere = write_candidates(room / "ampere.jsonl", candidate(1, 0, right, prelude + kernels.replace(
    "int i =", "\n#if __CUDA_ARCH__ != 800\nn = 0;\n#endif\nint i =")))
for arch, correct in ("sm_80", 1), ("sm_90", 0):
    done = host("--nvcc=none", "--arch", arch, "--tasks", tasks, "--json", ampere)
    assert_that("__CUDA_ARCH__ of " + arch, json.loads(done.stdout)["funnel"]["correct"] == correct, done)

# A bench.cu that the model does not know.
done = host("--nvcc=none", "--tasks", write_tasks(room / "ptx.jsonl", task(1, **{
    "bench.cu": prelude + "int main() { cudaTeleport(); }"})), "--check-tasks")
assert_that("check-tasks", json.loads(done.stdout) == {"task": 1, "family": "family1", "weak": [], "detail": [],
                                                       "unsupported": "cudaTeleport"}, done)
