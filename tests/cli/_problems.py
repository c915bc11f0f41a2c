"""Problems written here in the schema of NVIDIA's ComputeEval, for tests that are handed to CTest."""

check = """
#include <cstdio>
#include <cstdlib>
#include <vector>
#include "scale.h"
int main() {
    const int n = 1000;
    std::vector<float> x(n), y(n, -1.0f);
    for (int i = 0; i < n; ++i) x[i] = 0.5f * i;
    float *a = nullptr, *b = nullptr;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMemcpy(a, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    scale(a, b, n);
    cudaMemcpy(y.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i)
        if (y[i] != FACTOR * x[i]) {
            std::printf("y[%d] is %g, not %g\\n", i, y[i], FACTOR * x[i]);
            return 1;
        }
    return 0;
}
"""
header = "#pragma once\n#ifndef FACTOR\n#define FACTOR 2.0f\n#endif\nvoid scale(const float* x, float* y, int n);\n"
kernel = """#include "scale.h"
__global__ void scaled(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = FACTOR * x[i];
}
"""
launch = "void scale(const float* x, float* y, int n) { scaled<<<(n + 127) / 128, 128>>>(x, y, n); }\n"
right = kernel + launch


def problem(number, build, files=(), context=(("include/scale.h", header),), tests=(("test/main.cu", check),),
            **fields):
    def listed(pairs):
        return [{"path": path, "content": content} for path, content in pairs]
    p = {"task_id": f"CUDA/{number}", "date": "2026-01-01", "type": "cuda_cpp", "prompt": "Scale a vector.",
         "group": "cuda-kernels", "metadata": {"difficulty": "easy"}, "context_files": listed(context),
         "test_files": listed(tests), "build_command": build, "test_command": "./test.out",
         "min_cuda_toolkit": "12.0", "compute_capability": "8.0", "timeout_seconds": 300.0,
         "source_references": None, **fields}
    if files:
        p["baseline_solution"] = {"type": "file", "task_id": p["task_id"], "files": listed(files)}
    return p


def fenced(*pairs):
    return "".join(f"```cuda\n// file: {path}\n{content}```\n" for path, content in pairs)


# A device function in one file, its callers in others, and a shared array in each.
sums = """
#include "sums.h"
__device__ float squared(float v) { return v * v; }
__global__ void sum(const float* x, float* y) {
    __shared__ float part[64];
    part[threadIdx.x] = squared(x[threadIdx.x]);
    __syncthreads();
    for (int step = 32; step > 0; step /= 2) {
        if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) *y = part[0];
}
"""
sums_test = """
#include "sums.h"
__global__ void fill(float* x) {
    __shared__ float own[64];
    own[threadIdx.x] = squared(threadIdx.x % 8);
    x[threadIdx.x] = own[threadIdx.x];
}
int main() {
    float *x, *y, got = 0, wanted = 0;
    cudaMalloc(&x, 64 * sizeof(float));
    cudaMalloc(&y, sizeof(float));
    fill<<<1, 64>>>(x);
    sum<<<1, 64>>>(x, y);
    cudaMemcpy(&got, y, sizeof got, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; ++i) wanted += (i % 8) * (i % 8) * (i % 8) * (i % 8);
    return got == wanted ? 0 : 3;
}
"""
sums_header = ("#ifndef SUMS_H\n#define SUMS_H\n__device__ float squared(float);\n"
               "__global__ void sum(const float*, float*);\n#endif\n")
templates = """#pragma once
#include "inner/detail.cuh"
template <class T, class F> __global__ void apply(T* x, int n, F f) {
    __shared__ T copy[32];
    int i = threadIdx.x;
    if (i < n) { copy[i] = x[i]; x[i] = f(copy[i], OFFSET); }
}
"""
lambda_test = """#include "apply.cuh"
#include "apply.cuh"
int run();
int main(int argc, char** argv) { return argc == 2 && argv[1][0] == 'q' ? run() : 9; }
"""
lambda_solution = """#include <apply.cuh>
#include <array>
int run() {
    std::array<int, 20> host{};
    int* x;
    cudaMalloc(&x, sizeof host);
    cudaMemcpy(x, host.data(), sizeof host, cudaMemcpyHostToDevice);
    apply<<<1, 32>>>(x, 20, [=] __device__(int v, int offset) { return v + offset; });
    cudaMemcpy(host.data(), x, sizeof host, cudaMemcpyDeviceToHost);
    for (int v : host) if (v != 7 + int(std::size(host)) - 20) return 1;
    return 0;
}
"""
two_files = [("scale.cu", '#include "scale.h"\n#include "kernel.cuh"\n' + launch),
             ("kernel.cuh", "#pragma once\n" + kernel)]

def solvable():
    """Ten problems whose baseline_solution passes wherever their build command is understood."""
    build = "nvcc -I include -o test.out solution.cu test/*.cu"
    return [
        problem(0, build, [("solution.cu", right)]),
        problem(1, "nvcc -std=c++17 -O2 -arch=sm_80 -Iinclude -DFACTOR=3.0f -o test.out scale.cu test/main.cu -lcudart",
                two_files),
        problem(2, "nvcc -rdc=true -I . -o test.out *.cu test/main.cu", [("solution.cu", sums)],
                context=[("sums.h", sums_header)], tests=[("test/main.cu", sums_test)]),
        problem(3, "nvcc --extended-lambda -DOFFSET=7 -I include -o bin.out solution.cu main.cu",
                [("solution.cu", lambda_solution)],
                context=[("include/apply.cuh", templates), ("include/inner/detail.cuh", "// nothing\n")],
                tests=[("main.cu", lambda_test)], test_command="./bin.out q"),
        problem(4, "nvcc -I include -o test.out solution.cu test/main.cu", [("solution.cu", right)],
                source_references={"all": ["scaled<<<"], "any": ["cudaMemcpyAsync", "blockDim.x"]}),
        problem(5, "nvcc -I include -o test.out solution.cu test/main.cu",
                [("include/scale.h", header.replace("2.0f", "4.0f")), ("solution.cu", right)]),
        problem(16, "nvcc --std=c++20 -isystem include -o test.out solution.cu test/main.cu", [("solution.cu", right)]),
        problem(17, "nvcc -I include -D FACTOR=0.25f -o test.out parts/scale.cu test/main.cu",
                [("parts/scale.cu", right)]),
        problem(18, "nvcc -I include -O3 --expt-relaxed-constexpr -o test.out solution.cu more.cu test/main.cu",
                [("solution.cu", right), ("more.cu", "int more() { return 1; }\n")]),
        problem(19, "nvcc -rdc=true -I . -o test.out device.cu test/main.cu", [("device.cu", sums)],
                context=[("sums.h", sums_header)], tests=[("test/main.cu", sums_test)]),
    ]
