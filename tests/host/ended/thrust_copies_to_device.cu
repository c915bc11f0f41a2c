// ends: cuset-host: illegal_address: host code, line 10: thrust::copy with a pointer to device memory works on the host
#include <thrust/copy.h>
#include <thrust/host_vector.h>

int main() {
    int* x = nullptr;
    int own[32] = {};
    cudaMalloc(&x, 4096);
    thrust::copy(own, own + 32, own);
    thrust::copy(own, own + 32, x);
    return 0;
}
