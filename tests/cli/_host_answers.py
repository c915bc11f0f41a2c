"""Answers for the host backend: programs that double a vector, rightly or not, and cuset-eval with a g++ that has the
runtime's objects. Skips the test where the backend cannot run."""

import os
import shutil

from _eval import assert_that, room, run, skip, task, write_candidates, write_tasks
from _host_runtime import quick_gxx

prelude = """
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
static float x[16], y[16];
static void load() {
    FILE* f = fopen("data/x.bin", "rb");
    if (!f || fread(x, 4, 16, f) != 16) exit(9);
    fclose(f);
}
static void store(int count = 16) {
    FILE* f = fopen("data/y.bin", "wb");
    if (!f || fwrite(y, 4, count, f) != (size_t)count) exit(8);
    fclose(f);
}
static void twice_here() { for (int i = 0; i < 16; ++i) y[i] = 2 * x[i]; }
"""
kernels = """
__global__ void doubled(const float* from, float* to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = 2 * from[i];
}
__global__ void put_last(int* to) { *to = blockIdx.x; }
static void twice() {
    float *from = nullptr, *to = nullptr;
    cudaMalloc(&from, sizeof x);
    cudaMalloc(&to, sizeof y);
    cudaMemcpy(from, x, sizeof x, cudaMemcpyHostToDevice);
    doubled<<<2, 8>>>(from, to, 16);
    cudaMemcpy(y, to, sizeof y, cudaMemcpyDeviceToHost);
    cudaFree(from);
    cudaFree(to);
}
static int last() {
    int *to = nullptr, at = -1;
    cudaMalloc(&to, sizeof at);
    put_last<<<4, 1>>>(to);
    cudaMemcpy(&at, to, sizeof at, cudaMemcpyDeviceToHost);
    return at;
}
"""
right = "load(); twice(); store();"
at_put_last = f"line {(prelude + kernels)[:(prelude + kernels).index('void put_last')].count(chr(10)) + 1}: uses a pointer to host memory"
at_main = f"program.cu({(prelude + kernels).count(chr(10)) + 1}): error: "


def candidate(number, sample, body, before=prelude + kernels):
    return {"task": number, "sample": sample,
            "response": f"```cuda\n{before}int main() {{{body}}}\n```\n"}


def host(*words, **more):
    return run("--backend=host", *words, **more)


real_gxx = shutil.which("g++")
if not real_gxx:
    skip("g++ is not installed")
gxx = quick_gxx(room / "gxx", libraries=["plain"])
os.environ["PATH"] = f"{gxx.parent}:{os.environ['PATH']}"
tasks = write_tasks(room / "tasks.jsonl", task(1))
one = write_candidates(room / "one.jsonl", candidate(1, 0, right))
done = host("--nvcc=none", "--tasks", tasks, "/dev/null")
if done.returncode == 4 and b"bwrap" in done.stderr:
    skip(done.stderr.decode().strip())
assert_that("ready", done.returncode == 1 and b"there are no candidates" in done.stderr, done.stderr.decode())
