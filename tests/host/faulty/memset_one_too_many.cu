// finds: out_of_bounds line 10
// memset and memcpy in a kernel are accesses as others are.
#include <cstdio>
#include <cstring>

__global__ void fill(unsigned char* out, const unsigned char* in, int n) {
    unsigned char* own = static_cast<unsigned char*>(malloc(n));
    __shared__ unsigned char all[64];
    if (own == nullptr) return;
    memset(own, threadIdx.x, n + 1);  // wrong
//=     memset(own, threadIdx.x, n);
    memcpy(own, in, n / 2);
    if (threadIdx.x == 0) memset(all, 1, sizeof all);
    __syncthreads();
    out[threadIdx.x] = own[0] + own[n - 1] + all[threadIdx.x];
    free(own);
}

int main() {
    unsigned char *in, *out, values[32];
    cudaMalloc(&in, 50);
    cudaMalloc(&out, 32);
    cudaMemset(in, 3, 50);
    fill<<<1, 32>>>(out, in, 100);
    cudaMemcpy(values, out, 32, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; ++i)
        if (values[i] != 3 + i + 1) return 1;
    return 0;
}
