// finds: illegal_address line 20
// Objects with virtual functions are copied to the device, where their tables are not.
#include <cstdio>
#include <new>

struct rule {
    __host__ __device__ virtual float at(float x) const = 0;
};
struct linear : rule {
    float slope;
    __host__ __device__ explicit linear(float s) : slope(s) {}
    __host__ __device__ float at(float x) const override { return slope * x; }
};

__global__ void make(linear* to, float slope) { new (to) linear(slope); }

__global__ void apply(const rule* r, float* x, int n) {
    const int i = threadIdx.x;
    if (i >= n) return;
    x[i] = r->at(x[i]);
}

int main() {
    float *x, host[64];
    for (float& v : host) v = 2;
    cudaMalloc(&x, sizeof host);
    cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
    linear* r;
    cudaMalloc(&r, sizeof *r);
    const linear on_host(3);                              // wrong
    cudaMemcpy(r, &on_host, sizeof *r, cudaMemcpyHostToDevice);  // wrong
//=     make<<<1, 1>>>(r, 3);
    apply<<<1, 64>>>(r, x, 64);
    cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("%g\n", host[63]);
    return host[63] == 6 ? 0 : 1;
}
