// The program meets the errors of kernels that fault, and goes on with the device after a reset.
#include <cuda_runtime.h>

#include <cassert>
#include <cstdio>

#define CHECK(what) \
    if (!(what)) return std::printf("line %d: %s\n", __LINE__, #what), 1

__global__ void touch(int* p) { p[threadIdx.x] = 1; }
__global__ void claim(int n) { assert(n > 5); }
__global__ void give_up(int n) {
    if (blockIdx.x == n) __trap();
}
__global__ void take_four(float4* to, const float* from) {
    to[threadIdx.x] = reinterpret_cast<const float4*>(from + threadIdx.x)[0];
}
__global__ void store(int* p, int value) { *p = value; }

/// What every call returns after an error that stays.
static int is_lost_to(cudaError_t error) {
    int* p = nullptr;
    CHECK(cudaDeviceSynchronize() == error);
    CHECK(cudaGetLastError() == error);
    CHECK(cudaPeekAtLastError() == error);
    CHECK(cudaGetLastError() == error);  // it is not forgotten
    CHECK(cudaMalloc(&p, 4) == error);
    CHECK(cudaStreamSynchronize(nullptr) == error);
    store<<<1, 1>>>(p, 1);
    CHECK(cudaGetLastError() == error);
    CHECK(cudaDeviceReset() == cudaSuccess);
    CHECK(cudaGetLastError() == cudaSuccess);
    return 0;
}

static int works() {
    int *p = nullptr, value = 0;
    CHECK(cudaMalloc(&p, sizeof(int)) == cudaSuccess);
    store<<<1, 1>>>(p, 41);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(value == 41);
    CHECK(cudaFree(p) == cudaSuccess);
    return 0;
}

int main() {
    if (works()) return 1;
    touch<<<4, 64>>>(reinterpret_cast<int*>(64));
    CHECK(cudaGetLastError() == cudaSuccess);  // the launch itself was right
    if (is_lost_to(cudaErrorIllegalAddress) || works()) return 1;

    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream) == cudaSuccess);
    claim<<<200, 128, 0, stream>>>(6);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    claim<<<200, 128, 0, stream>>>(5);
    cudaEvent_t event;
    CHECK(cudaEventCreate(&event) == cudaSuccess);
    CHECK(cudaEventRecord(event, stream) == cudaSuccess);
    CHECK(cudaEventSynchronize(event) == cudaErrorAssert);
    if (is_lost_to(cudaErrorAssert) || works()) return 1;

    give_up<<<100, 32>>>(77);
    int host = 0, *p = nullptr;
    CHECK(cudaMemcpy(&host, &host, sizeof host, cudaMemcpyHostToHost) == cudaErrorLaunchFailure);
    CHECK(cudaMallocManaged(&p, 4) == cudaErrorLaunchFailure);
    if (is_lost_to(cudaErrorLaunchFailure) || works()) return 1;

    float4* four = nullptr;
    CHECK(cudaMalloc(&four, 64 * sizeof(float4)) == cudaSuccess);
    take_four<<<1, 32>>>(four + 32, reinterpret_cast<float*>(four));
    CHECK(cudaMemcpy(&host, four, sizeof host, cudaMemcpyDeviceToHost) ==
          cudaErrorMisalignedAddress);
    if (is_lost_to(cudaErrorMisalignedAddress)) return 1;
    return works();
}
