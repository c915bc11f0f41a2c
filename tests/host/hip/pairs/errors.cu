// Errors: of refused launches and calls, by name, and how they go away.
#include <cuda_runtime.h>

#include <cstdio>

#define SHOW(call) show(#call, call)

__global__ void nothing(int*) {}

void show(const char* call, cudaError_t status) { std::printf("%s: %d\n", status == cudaSuccess ? "fine" : "refused", (int)status); }

int main() {
    int* x = nullptr;
    nothing<<<1, 4096>>>(x);
    SHOW(cudaPeekAtLastError());
    SHOW(cudaGetLastError());
    SHOW(cudaGetLastError());
    nothing<<<0, 32>>>(x);
    std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    nothing<<<1, 32, 1 << 24>>>(x);
    SHOW(cudaGetLastError());
    SHOW(cudaMalloc(&x, 0));
    SHOW(cudaSetDevice(99));
    SHOW(cudaMemcpy(x, nullptr, 4, cudaMemcpyHostToDevice));
    SHOW(cudaMalloc(&x, (size_t)1 << 60));
    switch (cudaGetLastError()) {
        case cudaErrorMemoryAllocation: std::puts("no memory"); break;
        default: std::puts("another error");
    }
    std::printf("%d %d %d %d\n", cudaErrorInvalidValue, cudaErrorInvalidConfiguration, cudaErrorNotReady, cudaErrorLaunchFailure);
    return cudaGetLastError();
}
