// finds: race,uninitialised_read line 15,17,18,25
// Neighbours' cells are read before they are loaded.
#include <cstdio>
#include <vector>

#define BLOCK_SIZE 128
#define RADIUS 3

__global__ void stencil1d(const int* in, int* out) {
    __shared__ int temp[BLOCK_SIZE + 2 * RADIUS];
    int gindex = threadIdx.x + blockIdx.x * blockDim.x + RADIUS;
    int lindex = threadIdx.x + RADIUS;

    // Read input elements into shared memory
    temp[lindex] = in[gindex];
    if (threadIdx.x < RADIUS) {
        temp[lindex - RADIUS] = in[gindex - RADIUS];
        temp[lindex + BLOCK_SIZE] = in[gindex + BLOCK_SIZE];
    }
//=     // Synchronize (ensure all the data is available)
//=     __syncthreads();

    // Apply the stencil
    int result = 0;
    for (int offset = -RADIUS; offset <= RADIUS; offset++) result += temp[lindex + offset];
    out[gindex - RADIUS] = result;
}

int main() {
    const int n = 2048;
    std::vector<int> in(n + 2 * RADIUS), out(n);
    for (int i = 0; i < n + 2 * RADIUS; i++) in[i] = i % 9;
    int *d_in, *d_out;
    cudaMalloc(&d_in, in.size() * sizeof(int));
    cudaMalloc(&d_out, n * sizeof(int));
    cudaMemcpy(d_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice);
    stencil1d<<<n / BLOCK_SIZE, BLOCK_SIZE>>>(d_in, d_out);
    cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    for (int i = 0; i < n; i++) {
        int want = 0;
        for (int k = 0; k <= 2 * RADIUS; k++) want += in[i + k];
        if (out[i] != want) return 1;
    }
    return 0;
}
