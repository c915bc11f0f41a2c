// No thread runs the copy constructor of a parameter, in whatever form its kernel runs.
#include <cstdio>

struct counted {
    int copies = 0;
    counted() = default;
    counted(const counted& from) : copies(from.copies + 1) {}
};
__global__ void in_rows(counted c, int* out) { out[threadIdx.x] = c.copies; }
__global__ void at_barriers(counted c, int* out) {
    out[threadIdx.x] += c.copies;
    __syncthreads();
    out[32 + threadIdx.x] = out[31 - threadIdx.x];
}

int main() {
    int *out, got[64];
    cudaMalloc(&out, sizeof got);
    const counted given;
    in_rows<<<1, 32>>>(given, out);
    at_barriers<<<1, 32>>>(given, out);
    if (cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost) != cudaSuccess) return 2;
    for (const int value : got)
        if (value != 2) return std::printf("%d copies in two launches\n", value), 1;
    return 0;
}
