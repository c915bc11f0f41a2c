// finds: illegal_address line 14
// A struct is copied to the device, and what its member points to stays on the host.
#include <cstdio>
#include <vector>

struct series {
    float* values;
    int count;
    float factor;
};

__global__ void scale(const series* s) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < s->count) s->values[i] *= s->factor;
}

int main() {
    std::vector<float> host(300, 2);
    series s{host.data(), 300, 1.5f};
    float* d_values;
    cudaMalloc(&d_values, 300 * sizeof(float));
    cudaMemcpy(d_values, host.data(), 300 * sizeof(float), cudaMemcpyHostToDevice);
    series* d_s;
    cudaMalloc(&d_s, sizeof s);
    const series* from = &s;                              // wrong
//=     const series on_device{d_values, s.count, s.factor}, *from = &on_device;
    cudaMemcpy(d_s, from, sizeof s, cudaMemcpyHostToDevice);
    scale<<<2, 256>>>(d_s);
    cudaMemcpy(host.data(), d_values, 300 * sizeof(float), cudaMemcpyDeviceToHost);
    std::printf("%g\n", host[299]);
    return host[299] == 3 ? 0 : 1;
}
