// Errors: of refused launches and calls, by name, and how they go away.
#include <hip/hip_runtime.h>

#include <cstdio>

#define SHOW(call) show(#call, call)

__global__ void nothing(int*) {}

void show(const char* call, hipError_t status) { std::printf("%s: %d\n", status == hipSuccess ? "fine" : "refused", (int)status); }

int main() {
    int* x = nullptr;
    nothing<<<1, 4096>>>(x);
    SHOW(hipPeekAtLastError());
    SHOW(hipGetLastError());
    SHOW(hipGetLastError());
    nothing<<<0, 32>>>(x);
    std::printf("%s\n", hipGetErrorString(hipGetLastError()));
    nothing<<<1, 32, 1 << 24>>>(x);
    SHOW(hipGetLastError());
    SHOW(hipMalloc(&x, 0));
    SHOW(hipSetDevice(99));
    SHOW(hipMemcpy(x, nullptr, 4, hipMemcpyHostToDevice));
    SHOW(hipMalloc(&x, (size_t)1 << 60));
    switch (hipGetLastError()) {
        case hipErrorOutOfMemory: std::puts("no memory"); break;
        default: std::puts("another error");
    }
    std::printf("%d %d %d %d\n", hipErrorInvalidValue, hipErrorInvalidConfiguration, hipErrorNotReady, hipErrorLaunchFailure);
    return hipGetLastError();
}
