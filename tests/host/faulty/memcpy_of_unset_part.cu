// finds: uninitialised_read line 8
// A copy within a kernel leaves unset what was unset.
#include <cstdio>

__global__ void copied(unsigned char* out, const unsigned char* in, int n) {
    unsigned char* own = static_cast<unsigned char*>(malloc(n));
    memcpy(own, in, n);
    out[threadIdx.x] = own[threadIdx.x] + own[n / 2];
    free(own);
}

int main() {
    unsigned char *in, *out;
    cudaMalloc(&in, 100);
    cudaMalloc(&out, 32);
    cudaMemset(in, 3, 40);  // wrong
//= cudaMemset(in, 3, 60);
    copied<<<1, 32>>>(out, in, 100);
    return cudaDeviceSynchronize() != cudaSuccess;
}
