// finds: race,uninitialised_read line 19,20,21
// Two buffers take turns, but no barrier parts one turn from the next.
#include <cuda_runtime.h>

#include <cstdio>
#include <utility>
#include <vector>

#define CELLS 128
#define STEPS 10

__global__ void diffuse(const int* in, int* out) {
    __shared__ int buffer[2][CELLS];
    int t = threadIdx.x;
    int current = 0;
    buffer[current][t] = in[t];
    __syncthreads();
    for (int step = 0; step < STEPS; step++) {
        int left = buffer[current][(t + CELLS - 1) % CELLS];
        int right = buffer[current][(t + 1) % CELLS];
        buffer[1 - current][t] = (left + right + 1) / 2;
        current = 1 - current;
//=         __syncthreads();
    }
    out[t] = buffer[current][t];
}

int main() {
    std::vector<int> in(CELLS), out(CELLS), next(CELLS);
    for (int i = 0; i < CELLS; i++) in[i] = i % 10 * 1000;
    int *d_in, *d_out;
    cudaMalloc(&d_in, CELLS * sizeof(int));
    cudaMalloc(&d_out, CELLS * sizeof(int));
    cudaMemcpy(d_in, in.data(), CELLS * sizeof(int), cudaMemcpyHostToDevice);
    diffuse<<<1, CELLS>>>(d_in, d_out);
    cudaMemcpy(out.data(), d_out, CELLS * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < CELLS; i++)
            next[i] = (in[(i + CELLS - 1) % CELLS] + in[(i + 1) % CELLS] + 1) / 2;
        std::swap(in, next);
    }
    for (int i = 0; i < CELLS; i++)
        if (out[i] != in[i]) return 1;
    return 0;
}
