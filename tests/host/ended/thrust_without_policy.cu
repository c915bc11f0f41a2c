// ends: cuset-host: illegal_address: host code, line 13: thrust::sort with a pointer to device memory works on the host
// A plain pointer is one of the host's for Thrust, where nothing says otherwise.
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

int main() {
    int* x = nullptr;
    cudaMalloc(&x, 4096);
    cudaMemset(x, 0, 4096);
    thrust::sort(thrust::device, x, x + 1024);
    thrust::sort(thrust::device_ptr<int>(x), thrust::device_ptr<int>(x) + 1024);
    thrust::sort(x, x + 1024);
    return 0;
}
