// finds: uninitialised_read line 29
// The first kernel leaves out the first offset, the second reads it.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CHECK(call)                                                                       \
    do {                                                                                       \
        cudaError_t err = call;                                                                \
        if (err != cudaSuccess) {                                                              \
            fprintf(stderr, "CUDA error at line %d: %s\n", __LINE__, cudaGetErrorString(err)); \
            exit(1);                                                                           \
        }                                                                                      \
    } while (0)

// offsets[i + 1] = sum of lengths[0..i], one thread
__global__ void makeOffsets(const int* lengths, int* offsets, int n) {
//=     offsets[0] = 0;
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += lengths[i];
        offsets[i + 1] = sum;
    }
}

__global__ void fillSegments(const int* offsets, int* out, int n) {
    int segment = blockIdx.x * blockDim.x + threadIdx.x;
    if (segment >= n) return;
    int begin = offsets[segment];
    int end = offsets[segment + 1];
    for (int i = begin; i < end; i++) out[i] = segment;
}

int main() {
    const int n = 300;
    std::vector<int> lengths(n);
    int total = 0;
    for (int i = 0; i < n; i++) total += lengths[i] = i % 5;
    std::vector<int> out(total);
    int *d_lengths, *d_offsets, *d_out;
    CUDA_CHECK(cudaMalloc(&d_lengths, n * sizeof(int)));
    CUDA_CHECK(cudaMalloc(&d_offsets, (n + 1) * sizeof(int)));
    CUDA_CHECK(cudaMalloc(&d_out, total * sizeof(int)));
    CUDA_CHECK(cudaMemcpy(d_lengths, lengths.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    makeOffsets<<<1, 1>>>(d_lengths, d_offsets, n);
    fillSegments<<<(n + 127) / 128, 128>>>(d_offsets, d_out, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(out.data(), d_out, total * sizeof(int), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(d_lengths));
    CUDA_CHECK(cudaFree(d_offsets));
    CUDA_CHECK(cudaFree(d_out));
    int at = 0;
    for (int s = 0; s < n; s++)
        for (int i = 0; i < lengths[s]; i++)
            if (out[at++] != s) return 1;
    return 0;
}
