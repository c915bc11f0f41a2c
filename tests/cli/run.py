"""This tests cuset-run: one program without a task, its streams, its exit code and what is said of it."""

import json
import os
import signal
import subprocess
import time

from _host_runtime import fill
from _tool import assert_equal, assert_that, built, case, environment, room, skip, wait_for

tool = built("cuset-run")
cache, scratch, here = room / "cache", room / "tmp", room / "here"
for folder in cache, scratch, here:
    folder.mkdir()
fill(cache / "cuset")
variables = environment(XDG_CACHE_HOME=cache, TMPDIR=scratch)


def write(name, text):
    path = here / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return name


def words(*given):
    return [tool, "--nvcc=none", *map(str, given)]


def run(*given, data=b""):
    return subprocess.run(words(*given), input=data, capture_output=True, env=variables, cwd=here, check=False)


def start(*given, **more):
    return subprocess.Popen(words(*given), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env=variables, cwd=here, **more)


def ends(done, code, out=None, err=None):
    """What a run printed, the whole of it where that is given as bytes, and a part of it as a string."""
    assert_equal("exit code", done.returncode, code)
    for name, found, wanted in ("stdout", done.stdout, out), ("stderr", done.stderr, err):
        if isinstance(wanted, bytes):
            assert_equal(name, found, wanted)
        elif wanted is not None:
            assert_that(name, wanted in found.decode(), found.decode())
    if done.returncode != code:
        print(done.stdout.decode(), done.stderr.decode())


def main(body, before=""):
    return f"#include <cstdio>\n#include <cstdlib>\n#include <unistd.h>\n{before}int main(int argc, char** argv) {{\n{body}\n}}\n"


write("quiet.cu", main("return argc > 1 ? atoi(argv[1]) : 0;"))
done = run("quiet.cu")
if done.returncode == 4:
    skip(done.stderr.decode().strip())

case("exit codes")
ends(done, 0, b"", b"")
ends(run("quiet.cu", "--", 3), 3, b"", b"")
ends(run("quiet.cu", "--no-confirm", "--", "200"), 200, b"", b"")

case("arguments")
write("words.cu", main('for (int i = 0; i < argc; ++i) printf("[%s]", argv[i]); puts("");'))
ends(run("words.cu", "--", "-x", "a b", "--", "--json", ""), 0, b"[./words][-x][a b][--][--json][]\n", b"")

case("input")
write("sum.cu", main('int x, sum = 0; while (scanf("%d", &x) == 1) { sum += x; printf("%d\\n", sum); fflush(stdout); }'))
ends(run("sum.cu", data=b"1 2 39\n"), 0, b"1\n3\n42\n", b"")
with start("sum.cu") as talk:
    for number, answer in (b"5\n", b"5\n"), (b"6\n", b"11\n"):
        talk.stdin.write(number)
        talk.stdin.flush()
        assert_equal("an answer before the next question", talk.stdout.readline(), answer)
    talk.stdin.close()
    assert_equal("exit code", talk.wait(), 0)

case("output comes as it is printed, without a flush")
write("wait.cu", main('printf("one\\n"); getchar(); fprintf(stderr, "two\\n"); getchar(); printf("three");'))
with start("wait.cu") as talk:
    for stream, line in (talk.stdout, b"one\n"), (talk.stderr, b"two\n"), (talk.stdout, b"three"):
        assert_equal("line", stream.readline(), line)
        if line != b"three":
            talk.stdin.write(b"\n")
            talk.stdin.flush()
    assert_equal("exit code", talk.wait(), 0)
write("much.cu", main('for (int i = 0; i < 200000; ++i) printf("%d\\n", i);'))
ends(run("much.cu"), 0, "".join(f"{i}\n" for i in range(200000)).encode(), b"")
with start("much.cu") as cut:
    cut.stdout.readline()
    cut.stdout.close()
    assert_equal("a reader that has gone", cut.wait(), -signal.SIGPIPE)

racing = """
__global__ void count(const int* from, int* bins, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) bins[from[i] % 4]++;
}
"""
counts = """
int *from, *bins;
cudaMallocManaged(&from, 1024 * sizeof(int));
cudaMallocManaged(&bins, 4 * sizeof(int));
for (int i = 0; i < 1024; ++i) from[i] = i;
count<<<4, 256>>>(from, bins, 1024);
cudaDeviceSynchronize();
printf("%d\\n", bins[0] > 0);
"""
case("a race")
write("race.cu", main(counts, racing))
line = (main(counts, racing).split("bins[from")[0]).count("\n") + 1
done = run("race.cu")
ends(done, 121, b"1\n", f"race.cu:{line}: race: kernel count, ")
assert_equal("one line", done.stderr.count(b"\n"), 1)
ends(run("race.cu", "--no-confirm"), 0, b"1\n", b"")
case("a race is the reason of an exit code")
write("failing.cu", main(counts + "return 7;", racing))
ends(run("failing.cu"), 121, b"1\n", f"failing.cu:{line}: race: ")
ends(run("failing.cu", "--no-confirm"), 7, b"1\n", b"")

case("--json")
done = run("race.cu", "--json")
found = json.loads(done.stderr.decode().splitlines()[-1])
ends(done, 121, b"1\n")
assert_equal("failure", (found["file"], found["line"], found["failure"], found["exit_code"], found["backend"]),
             ("race.cu", line, "race", 0, "host"))
found = json.loads(run("quiet.cu", "--json", "--", 3).stderr)
assert_equal("none", (found["file"], found["line"], found["failure"], found["exit_code"], found["signal"], found["notes"]),
             ("quiet.cu", None, None, 3, None, []))

case("the line of a bad access, without --check")
write("wild.cu", main("wild<<<1, 32>>>(nullptr); return cudaDeviceSynchronize();", """__device__ int far(const int* p) {
    return p[threadIdx.x + 4];
}
__global__ void wild(const int* p) {
    if (threadIdx.x > 2) printf("%d", far(p));
}
"""))
for words_of, place in ([], "wild.cu:5"), (["--no-confirm"], "wild.cu"):
    ends(run("wild.cu", *words_of), 121, b"", f"{place}: illegal_address: kernel wild, block (0,0,0), thread (3,0,0)")

case("--check")
write("over.cu", main("""float* c;
cudaMalloc(&c, 100 * sizeof(float));
fill<<<1, 128>>>(c);
cudaDeviceSynchronize();
cudaFree(c);
puts("done");""", "__global__ void fill(float* c) {\n    c[threadIdx.x] = 1;\n}\n"))
ends(run("over.cu"), 0, b"done\n", b"")
ends(run("over.cu", "--check"), 121, b"", "over.cu:5: out_of_bounds: kernel fill, block (0,0,0), thread (100,0,0)")
found = json.loads(run("over.cu", "--check", "--json").stderr)
assert_equal("it did not end by itself", (found["failure"], found["line"], found["exit_code"]), ("out_of_bounds", 5, None))
write("leak.cu", main('int* p; cudaMalloc(&p, 64); puts("x");'))
ends(run("leak.cu", "--check"), 0, b"x\n", b"leak.cu: note: 1 allocation of 64 bytes never freed\n")
ends(run("leak.cu", "--check", "-q"), 0, b"x\n", b"")
ends(run("leak.cu", "--check", "--schedules=1"), 0, b"x\n")

write("overflow.cu", main("char* p;\ncudaMalloc(&p, 1 << 20);\nk<<<1, 32>>>(p, 65536, -32768);\nreturn cudaDeviceSynchronize() != 0;",
                          "__global__ void k(char* p, int pitch, int row) {\n    p[row * pitch + threadIdx.x] = 1;\n}\n"))
ends(run("overflow.cu"), 121, b"", "overflow.cu:5: illegal_address: kernel k, block (0,0,0), thread (0,0,0), line 5: touches address")

case("a refused launch")
write("refused.cu", main("k<<<1, 2000>>>();\nreturn cudaDeviceSynchronize() || cudaGetLastError();", "__global__ void k() {}\n"))
ends(run("refused.cu"), 121, b"", "refused.cu:6: launch_error: kernel k, launched in line 6: invalid configuration argument")
write("unasked.cu", main("k<<<1, 2000>>>();\nputs(\"done\");\nreturn cudaDeviceSynchronize();", "__global__ void k() {}\n"))
ends(run("unasked.cu"), 121, b"done\n", "unasked.cu:6: launch_error: kernel k, launched in line 6: invalid configuration argument")
write("empty.cu", main("k<<<0, 200>>>();\nreturn 0;", "__global__ void k() {}\n"))
ends(run("empty.cu"), 0, b"", "empty.cu:6: note: kernel k, launched in line 6: invalid configuration argument")
write("dropped.cu", main("int n = 1;\nvoid* a[] = {&n};\ncudaLaunchKernel((void*)k, dim3(1), dim3(2000), a, 0, 0);\nreturn 0;",
                         "__global__ void k(int) {}\n"))
ends(run("dropped.cu"), 121, b"", "dropped.cu:8: launch_error: kernel k, launched in line 8: invalid configuration argument")
write("returned.cu", main("int n = 1;\nvoid* a[] = {&n};\nreturn cudaLaunchKernel((void*)k, dim3(1), dim3(2000), a, 0, 0) != 9;",
                          "__global__ void k(int) {}\n"))
ends(run("returned.cu"), 0, b"", "returned.cu:8: note: kernel k, launched in line 8: invalid configuration argument")
write("asked.cu", main("k<<<1, 2000>>>();\nif (cudaGetLastError() != cudaErrorInvalidConfiguration) return 1;\n"
                       "k<<<1, 200>>>();\nreturn cudaDeviceSynchronize();", "__global__ void k() {}\n"))
ends(run("asked.cu"), 0, b"", "asked.cu:6: note: kernel k, launched in line 6: invalid configuration argument")

case("a call that fails, and whose result the program drops")
write("dropped.cu", main("int* p;\nif (cudaMalloc(&p, 64)) return 9;\ncudaMemset(p, 0, 65);\nreturn argc - 1;"))
for arguments, code in ((), 0), (("--", "3"), 1):
    ends(run("dropped.cu", *arguments), code, b"",
         b"dropped.cu:7: note: cudaMemset in line 7 returned invalid argument\n")

case("all that a run finds, each line once, and the program's end")
write("several.cu", main("""int* x;
cudaMalloc(&x, 8);
cudaMemset(x, 0, 8);
both<<<2, 64>>>(x);
cudaDeviceSynchronize();
puts("end");""", """__global__ void both(int* x) {
    x[0] += 1;
    x[1] = threadIdx.x;
}
"""))
done = run("several.cu")
ends(done, 121, b"end\n")
assert_equal("findings", [line[:18] for line in done.stderr.decode().splitlines() if ": race: " in line],
             ["several.cu:5: race", "several.cu:6: race"])
told = json.loads(run("several.cu", "--json").stderr.splitlines()[-1])
assert_equal("findings in JSON", [(f["kind"], f["line"]) for f in told["findings"]][:2], [("race", 5), ("race", 6)])
assert_equal("the first decides", told["diagnostic"], told["findings"][0]["message"])

case("a race that warps in step hide")
write("steps.cu", main("""float *sum, found;
cudaMalloc(&sum, sizeof found);
summed<<<1, 64>>>(sum);
cudaMemcpy(&found, sum, sizeof found, cudaMemcpyDeviceToHost);
return found == 64 ? 0 : 1;""", """__global__ void summed(float* sum) {
    __shared__ float s[64];
    const int t = threadIdx.x;
    s[t] = 1;
    __syncthreads();
    if (t < 32) { s[t] += s[t + 32]; s[t] += s[t + 16]; s[t] += s[t + 8]; s[t] += s[t + 4]; s[t] += s[t + 2]; s[t] += s[t + 1]; }
    if (t == 0) *sum = s[0];
}
"""))
ends(run("steps.cu"), 121, b"", "steps.cu: race: right only where the threads of a warp run in step")

case("a barrier is missing, which another order of threads shows")
left = """__global__ void spread(int* to) {
    __shared__ int found;
    if (threadIdx.x == 0) found = 7;
    to[threadIdx.x] = found;
}
"""
told_of = """int *to, got[64];
cudaMalloc(&to, sizeof got);
spread<<<1, 64>>>(to);
cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost);
for (int v : got) if (v != 7) { puts("WRONG"); return 3; }
puts("RIGHT");"""
write("left.cu", main(told_of, left))
ends(run("left.cu"), 121, b"RIGHT\n", "left.cu: race: right in order 0 and wrong in the descending order of a block's "
     "threads: wrong_exit: exit code 3: WRONG\n")
ends(run("left.cu", "--no-confirm"), 0, b"RIGHT\n", b"")
write("waits.cu", main(told_of, left.replace("found = 7;", "found = 7;\n    __syncthreads();")))
ends(run("waits.cu"), 0, b"RIGHT\n", b"")

case("what may be meant is noted by --check, and no failure")
setting = """
cudaMalloc(&x, 256 * sizeof(int));
cudaMemset(x, 0, 256 * sizeof(int));
k<<<4, 32>>>(x);
cudaDeviceSynchronize();
cudaFree(x);
"""
for name, kernel, told in (
        ("value.cu", "x[threadIdx.x] = 7;", "; both write the same value\n"),
        ("flag.cu", "if (threadIdx.x == 3) *x = 1; x[128 + threadIdx.x + 32 * blockIdx.x] = *x;",
         "; it is taken for a flag that may be seen late\n")):
    write(name, main("int* x;" + setting, f"__global__ void k(int* x) {{ {kernel} }}\n"))
    ends(run(name), 0, b"", b"")
    done = run("--check", name)
    ends(done, 0, b"", f"{name}:4: note: kernel k, ")
    assert_that("the whole of it", told in done.stderr.decode(), done.stderr.decode())

case("memory that nobody has set holds zeros, as a driver gives it")
unset = """
__global__ void sums(const int* bins, int* to) {
    __shared__ int shared_bins[32];
    to[threadIdx.x] = bins[threadIdx.x] + shared_bins[threadIdx.x];
}
"""
write("unset.cu", main("""
int *bins, *to, got[32], sum = 0;
cudaMalloc(&bins, sizeof got);
cudaMalloc(&to, sizeof got);
sums<<<1, 32>>>(bins, to);
cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost);
for (int v : got) sum |= v;
cudaFree(bins);
cudaFree(to);
return sum != 0;
""", unset))
ends(run("unset.cu", "--no-confirm"), 0, b"", b"")
ends(run("unset.cu"), 0, b"", b"unset.cu: note: the search for races ended with wrong_exit; memory that nobody "
     b"has set holds no zeros there: does the program use some?\n")
ends(run("unset.cu", "--check"), 121, b"", "unset.cu:7: uninitialised_read: kernel sums, ")

case("a lambda that captured a pointer of the host")
write("lambda.cu", main("""
int* to;
int* from = new int[64]();
cudaMalloc(&to, 128);
fill<<<1, 32>>>(to, [=] __device__(int i) { return from[i]; });
cudaDeviceSynchronize();
cudaFree(to);
delete[] from;
""", """
template <class F>
__global__ void fill(int* to, F value) { to[threadIdx.x] = value(threadIdx.x); }
"""))
for more in [], ["--check"]:
    ends(run("lambda.cu", "--nvcc-flags=--extended-lambda", *more), 121, b"", "lambda.cu:12: illegal_address: kernel fill, ")

case("a program that needs asynchronous streams prints everything once")
write("polls.cu", main("""puts("begin");
polled<<<1, 1>>>(now);
now[0] = 1;
if (cudaDeviceSynchronize() || now[1] != 5) return 3;
puts("end");""", """__managed__ volatile int now[2];
__global__ void polled(volatile int* flag) { while (flag[0] == 0) {} flag[1] = 5; }
"""))
ends(run("polls.cu"), 0, b"begin\nend\n", b"")

case("compile errors have the user's files and lines")
write("wrong.cu", main("int x = 1\nreturn y;"))
ends(run("wrong.cu"), 122, b"", "wrong.cu:6:1: error: ")
assert_that("no other name", b"program.cu" not in run("wrong.cu").stderr)
write("parts/a main.cu", '#include "lib/k.h"\n#include <top.h>\nint main() { return go() + TOP - 3; }\n')
write("parts/lib/k.h", "#pragma once\nint go();\ninline int twice(int x) { return 2 * WORD; }\n")
write("parts/lib/k.cu", """#include "k.h"
__global__ void set(int* x) {
    *x = WORD;
}
int go() {
    int *x, y;
    cudaMalloc(&x, 4);
    set<<<1, N>>>(x);
    cudaMemcpy(&y, x, 4, cudaMemcpyDeviceToHost);
    return y;
}
""")
write("include/top.h", "#define TOP 3\n")
both = ["parts/a main.cu", "parts/lib/k.cu", "-I", "include"]
ends(run(*both, "-DN=1", "-D", "WORD=5"), 5, b"", b"")
done = run(*both, "-DN=1")
ends(done, 122, b"", "parts/lib/k.cu:3:")
assert_that("and the header's", b"parts/lib/k.h:3:" in done.stderr and b"program.cu" not in done.stderr, done.stderr.decode())
case("findings in one of several files")
write("parts/lib/k.h", "#pragma once\nint go();\n")
ends(run(*both, "-DN=8", "-DWORD=x[threadIdx.x]", "--check"), 121, b"",
     "parts/lib/k.cu:3: ")
ends(run("parts/a main.cu", "-I", "include"), 122, b"", "undefined reference")

case("folders")
write("data/x.txt", "41\n")
write("out/count.txt", "1\n")
write("out/same.txt", "same\n")
write("out/gone.txt", "gone\n")
same = os.stat(here / "out/same.txt").st_ino
write("files.cu", main("""int x = 0, n = 0;
FILE* f = fopen("data/x.txt", "r");
if (!f || fscanf(f, "%d", &x) != 1) return 11;
fclose(f);
if ((f = fopen("data/x.txt", "w"))) return 12;
if (!(f = fopen("count.txt", "r")) || fscanf(f, "%d", &n) != 1) return 13;
fclose(f);
if (!(f = fopen("count.txt", "w"))) return 14;
fprintf(f, "%d\\n", n + 1);
fclose(f);
unlink("gone.txt");
if (system("mkdir sub && echo made > sub/new.txt && ln -s /etc/passwd link")) return 15;
return x == 41 && n == 1 ? 0 : 16;"""))
ends(run("files.cu", "--inputs", "data", "--dir", "out"), 0, b"", b"")
found = {str(p.relative_to(here / "out")): p.read_text() for p in (here / "out").rglob("*") if p.is_file()}
assert_equal("out/", found, {"count.txt": "2\n", "same.txt": "same\n", "gone.txt": "gone\n", "sub/new.txt": "made\n"})
assert_equal("a file that did not change", os.stat(here / "out/same.txt").st_ino, same)
assert_equal("data/", (here / "data/x.txt").read_text(), "41\n")
ends(run("files.cu"), 11, b"", b"")
write("elsewhere/kept.txt", "kept\n")
os.symlink(here / "elsewhere/kept.txt", here / "out/link2")
os.symlink(here / "elsewhere", here / "out/folder")
write("links.cu", main("""unlink("link2"); unlink("folder");
return system("echo new > link2 && mkdir folder && echo new > folder/kept.txt");"""))
ends(run("links.cu", "--dir", "out"), 0, b"", b"")
assert_equal("no link is followed", (here / "elsewhere/kept.txt").read_text(), "kept\n")
ends(run("files.cu", "--dir", "nowhere"), 1, b"", b"cuset-run: nowhere: No such file or directory\n")
ends(run("files.cu", "--dir", "files.cu"), 2, b"", b"cuset-run: --dir: files.cu is no folder\n")

case("limits and signals")
write("sleeps.cu", main('puts("sleeping"); sleep(1000);'))
ends(run("sleeps.cu", "--time-limit=0.5"), 124, b"sleeping\n", b"sleeps.cu: run_timeout: ran for more than 0.5 s\n")
write("spins.cu", """#include <pthread.h>
__global__ void quick(int* x) { ++*x; }
__global__ void spin(volatile int* x) {
    while (*x < 1000) {}
}
int main(int argc, char**) {
    int* x;
    cudaMalloc(&x, 4);
    cudaMemset(x, 0, 4);
    quick<<<1, 1>>>(x);
    if (argc > 1) pthread_exit(nullptr);
    spin<<<1, 1>>>(x);
    cudaDeviceSynchronize();
}
""")
ends(run("spins.cu", "--no-confirm", "--timeout=3"), 124, b"",
     b"spins.cu:12: run_timeout: ran for more than 3 s: kernel spin, launched in line 12, was still running\n")
ends(run("spins.cu", "--no-confirm", "--", "x"), 0, b"", b"")
# An L4 holds 116 blocks of 40 KiB of shared memory: 116 can wait for each other, and more wait for ever.
write("resident.cu", """#include <cstdlib>
__device__ int arrived;
__global__ void meet(int all) {
    atomicAdd(&arrived, 1);
    while (atomicAdd(&arrived, 0) < all) {}
}
int main(int, char** words) {
    const int all = atoi(words[1]);
    meet<<<all, 1, 40 * 1024>>>(all);
    return cudaDeviceSynchronize();
}
""")
resident = ("resident.cu", "--arch=sm_89", "--check", "--no-confirm", "--schedules=1")
ends(run(*resident, "--timeout=60", "--", "116"), 0, b"", b"")
ends(run(*resident, "--timeout=6", "--", "117"), 124, b"",
     b"resident.cu:9: run_timeout: ran for more than 6 s: kernel meet, launched in line 9, was still running\n")
write("eats.cu", main("for (;;) { volatile char* p = (char*)malloc(1 << 24); for (int i = 0; i < 1 << 24; i += 512) p[i] = 1; }"))
ends(run("eats.cu", "--memory=1"), 125, b"", "eats.cu: run_limit: took more than 1 GiB of memory")
write("aborts.cu", main('puts("x"); abort();'))
ends(run("aborts.cu"), 134, b"x\n", "aborts.cu: crash: ended by signal 6 (Aborted)")
write("faults.cu", main("*(volatile int*)nullptr = 1;"))
done = run("faults.cu", "--json")
found = json.loads(done.stderr)
assert_equal("a bad pointer of the host", (done.returncode, found["failure"], found["signal"], found["exit_code"]),
             (139, "crash", 11, None))

case("what is not modelled")
write("mpi.cu", "#include <nccl.h>\n" + main("return 0;"))
ends(run("mpi.cu"), 123, b"", "mpi.cu")

case("libraries that nvcc is not told of")
room.chmod(0o755)  # the sandbox's user runs what stands there
nvcc = room / "nvcc"
nvcc.write_text("""#!/bin/sh
case $1 in --version) echo "Cuda compilation tools, release 13.0, V13.0.88"; exit ;; esac
case " $* " in *" -lcublas "*) ;; *)
  grep -q "calls a library" "$3" && echo "program.o: undefined reference to \\`cublasCreate_v2'" >&2 && exit 1 ;;
esac
cp /bin/true "$2"
""")
nvcc.chmod(0o755)
write("links.cu", main("return 0;  // calls a library"))
ends(run("--no-confirm", f"--nvcc={nvcc}", "links.cu"), 0, b"", b"links.cu: note: compiled with -lcublas, whose calls it has\n")
done = run("--no-confirm", f"--nvcc={nvcc}", "--nvcc-flags=-lcublas", "links.cu")
ends(done, 0, b"", "ignores -lcublas")
assert_that("no note", b"note" not in done.stderr, done.stderr.decode())
nvcc.write_text(nvcc.read_text().replace('" -lcublas "', '" -lnowhere "'))
write("never.cu", main("return 0;  // calls a library that is nowhere"))
ends(run("--no-confirm", f"--nvcc={nvcc}", "never.cu"), 122, b"", "undefined reference to `cublasCreate_v2'")

case("command lines")
ends(run(), 2, b"", b"cuset-run: FILE is needed: a source of the program\n")
ends(run("no.cu"), 1, b"", b"cuset-run: no.cu: No such file or directory\n")
ends(run("data"), 2, b"", b"cuset-run: data is no file\n")
ends(run("quiet.cu", "--schedules=2"), 2, b"", b"cuset-run: --schedules needs --check\n")
ends(run("quiet.cu", "--check", "--backend=nvcc"), 2, b"", b"cuset-run: --check needs the host backend, not the GPU\n")
ends(run("quiet.cu", "-I", "nowhere"), 1, b"", b"cuset-run: nowhere: No such file or directory\n")
ends(run("--frob"), 2, b"", "there is no such option")
if not os.path.exists("/dev/nvidiactl"):
    done = subprocess.run([tool, "--backend=nvcc", "quiet.cu"], capture_output=True, env=variables, cwd=here, check=False)
    ends(done, 4, b"")
    assert_that("it names its own options", b"--launcher" not in done.stderr, done.stderr.decode())
assert_that("usage", b"usage: cuset-run [OPTION]... FILE... [-- ARGUMENT...]\n" in run("--help").stdout)


def left_over():
    """Folders in TMPDIR, and processes that run the program."""
    running = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return [p.name for p in scratch.iterdir()] + [p for p in running.splitlines() if "./sleeps_here" in p]


case("signals leave nothing behind")
assert_equal("so far", left_over(), [])
(here / "sleeps.cu").rename(here / "sleeps_here.cu")
for number in signal.SIGINT, signal.SIGTERM:
    with start("sleeps_here.cu") as stopped:
        assert_equal("it runs", stopped.stdout.readline(), b"sleeping\n")
        begin = time.monotonic()
        stopped.send_signal(number)
        assert_equal("ended by", stopped.wait(), -number)
        assert_equal("nothing is said", stopped.stderr.read(), b"")
    wait_for("its processes to go", lambda: not left_over(), 20)
