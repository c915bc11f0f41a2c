// finds: out_of_bounds line 13
// Rows and columns of the output are exchanged.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void invert(const unsigned char* in, unsigned char* out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    unsigned char value = in[y * width + x];
    out[x * width + y] = 255 - value;  // wrong
//=     out[y * width + x] = 255 - value;
}

int main() {
    const int width = 80, height = 30;
    std::vector<unsigned char> in(width * height), out(width * height);
    for (int i = 0; i < width * height; i++) in[i] = i % 256;
    unsigned char *d_in, *d_out;
    cudaMalloc(&d_in, in.size());
    cudaMalloc(&d_out, out.size());
    cudaMemcpy(d_in, in.data(), in.size(), cudaMemcpyHostToDevice);
    dim3 block(16, 8);
    dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    invert<<<grid, block>>>(d_in, d_out, width, height);
    cudaMemcpy(out.data(), d_out, out.size(), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    for (int i = 0; i < width * height; i++)
        if (out[i] != 255 - in[i]) return 1;
    return 0;
}
