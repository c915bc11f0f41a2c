// Functions that end without a return value, which nobody uses: C++ leaves open what happens, and
// nvcc, whose host code is not optimised by default, comes back from them.
#include <cstdio>

static __attribute__((noinline)) int note(int* calls) { ++*calls; }

__device__ int add(int* to) { atomicAdd(to, 1); }

__global__ void count(int* to) { add(to); }

static int program_main(int argc, char**) {
    int calls = 0, counted = 0, *to;
    for (int i = 0; i < 3; ++i) note(&calls);
    cudaMalloc(&to, sizeof *to);
    cudaMemset(to, 0, sizeof *to);
    count<<<2, 32>>>(to);
    cudaMemcpy(&counted, to, sizeof *to, cudaMemcpyDeviceToHost);
    cudaFree(to);
    std::printf("%d of %d\n", calls, counted);
    if (calls != 3 || counted != 64 || argc != 1) std::printf("wrong\n");
}

int main(int argc, char** argv) {
    program_main(argc, argv);
    std::printf("back\n");
}
