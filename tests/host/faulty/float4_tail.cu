// finds: out_of_bounds line 12
// The last vector of four reads past values that are no multiple of four.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void sumOfFours(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i < n) {  // wrong
//=     if (4 * i + 3 < n) {
        float4 v = reinterpret_cast<const float4*>(in)[i];
        out[i] = v.x + v.y + v.z + v.w;
//=     } else if (4 * i < n) {
//=         float sum = 0.0f;
//=         for (int j = 4 * i; j < n; j++) sum += in[j];
//=         out[i] = sum;
    }
}

int main() {
    const int n = 1001, fours = (n + 3) / 4;
    std::vector<float> in(n), out(fours);
    for (int i = 0; i < n; i++) in[i] = i;
    float *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, fours * sizeof(float));
    cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    sumOfFours<<<(fours + 127) / 128, 128>>>(d_in, d_out, n);
    cudaMemcpy(out.data(), d_out, fours * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    for (int i = 0; i < fours; i++) {
        float sum = 0;
        for (int j = 4 * i; j < 4 * i + 4 && j < n; j++) sum += in[j];
        if (out[i] != sum) return 1;
    }
    return 0;
}
