// ends: cuset-host: launch_error: kernel check, block (0,0,0), thread (3,0,0), line 7: Assertion `x[threadIdx.x] < 3' failed (710, device-side assert triggered)
// An assertion that fails in a kernel is an error of the launch, not the end of the host's process.
#include <cassert>
#include <cstdio>

__global__ void check(const int* x) {
    assert(x[threadIdx.x] < 3);
}

int main() {
    const int in[4] = {0, 1, 2, 3};
    int* x;
    cudaMalloc(&x, sizeof in);
    cudaMemcpy(x, in, sizeof in, cudaMemcpyHostToDevice);
    check<<<1, 4>>>(x);
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
