"""This runs cuset-eval --compile-only with the real nvcc: CUDABench's own programs compile, and
spoiled copies fail with the right kind. It uses a third of six of the 100 tasks at hand (of
CUDABench's 500), and all 100 with CUSET_LONG=1."""

import json
import os
import pathlib
import shutil
import time

from _eval import assert_that, need_sandbox, room, run, skip, task, verdicts, write_candidates, write_tasks
from _rotation import third

if shutil.which("nvcc") is None and not pathlib.Path("/usr/local/cuda/bin/nvcc").exists():
    skip("nvcc is not installed")
need_sandbox()

own = """#include <cstdio>
__global__ void scale(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2.0f;
}
int main() {
    float* x = nullptr;
    cudaMalloc(&x, 64);
    scale<<<1, 16>>>(x, 16);
    return cudaDeviceSynchronize() != cudaSuccess;
}
"""
deep = """template <int N> struct deep { static constexpr int value = deep<N + 1>::value; };
__global__ void k(int* x) { *x = deep<0>::value; }
int main() { k<<<1, 1>>>(nullptr); }
"""
# Gigabytes of text from a few lines: a file that includes itself twice, thirty deep.
bomb = """#if __INCLUDE_LEVEL__ < 30
#include "program.cu"
#include "program.cu"
#endif
struct { int this_text_comes_a_billion_times; };
int main() {}
"""
spoiled = [
    ("as it is", own, None, ""),
    ("missing brace", own[:own.rindex("}")], "syntax_error", "error"),
    ("unknown identifier", own.replace("i < n", "i < count"), "syntax_error", "count"),
    ("missing main", own[:own.index("int main")], "link_error", "main"),
    ("missing function", own.replace("int main() {", "void f();\nint main() {\n    f();"), "link_error", "f()"),
    ("endless templates", deep, "syntax_error", ""),
    ("a device", own + '#include "/dev/urandom"\n', ("compile_limit", "compile_timeout", "syntax_error"), ""),
    ("another's file", own + '#include "/etc/passwd"\n', "syntax_error", "/etc/passwd"),
    ("another's home", own + '#include "/root/.profile"\n', "syntax_error", "/root/.profile"),
    ("device code that ptxas refuses", own.replace("x[i] *= 2.0f;", 'asm("nonsense.f32;");'),
     "syntax_error", ""),
]
candidates = write_candidates(room / "own.jsonl", *(
    {"task": 1, "sample": i, "response": f"Here it is:\n\n```cuda\n{text}```\n"}
    for i, (_, text, _, _) in enumerate(spoiled)))
done = run("--compile-only", "--compile-timeout=60", "--tasks", write_tasks(room / "t.jsonl", task(1)),
           "--verdicts", room / "v.jsonl", candidates)
assert_that("exit code", done.returncode == 0, done.stderr.decode())
found = verdicts(room / "v.jsonl")
for i, (name, _, kinds, words) in enumerate(spoiled):
    v = found[1, i]
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    assert_that(name, v["failure"] in kinds and words in v["diagnostic"], v)

done = run("--compile-only", "--compile-timeout=8", "--tasks", room / "t.jsonl", "--verdicts",
           room / "bomb.jsonl", write_candidates(room / "bomb", {"task": 1, "sample": 0, "response": bomb}))
bombed = verdicts(room / "bomb.jsonl")[1, 0]
assert_that("gigabytes of #include", bombed["failure"] in ("compile_timeout", "compile_limit")
            and "nvcc" in bombed["diagnostic"], bombed)

shared = pathlib.Path(os.environ["CUSET_SOURCE"]).parent / "shared/data/cudabench/cudabench-100.jsonl"
if shared.exists():
    tasks = [json.loads(line) for line in open(shared, encoding="utf-8")]
    if not os.environ.get("CUSET_LONG"):
        tasks = third(tasks[::17], "CUDABench's programs")
    as_they_are = write_candidates(room / "bench.jsonl", *(
        {"id": t["id"], "code1": t["bench.cu"]} for t in tasks))
    timed = []
    for _ in range(2):
        start = time.monotonic()
        done = run("--compile-only", "--json", "--tasks", shared, as_they_are)
        timed.append(time.monotonic() - start)
        assert_that("bench.cu", json.loads(done.stdout)["funnel"]["compiled"] == len(tasks), done.stdout)
    report = json.loads(done.stdout)
    cores = len(os.sched_getaffinity(0))
    print(f"{len(tasks)} programs in {timed[0]:.1f} s; nvcc alone {report['compile_seconds']:.1f} s over"
          f" {cores} cores; again in {timed[1]:.3f} s")
else:
    print(f"no {shared}")
