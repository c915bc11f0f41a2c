// finds: out_of_bounds line 12
// What a library's algorithm has written is read by a kernel.
#include <cub/cub.cuh>

#include <cstdio>

constexpr int n = 100;

__global__ void fill(int* x) { x[threadIdx.x] = static_cast<int>(threadIdx.x); }
__global__ void last_two(const int* sums, int* out) {
    out[0] = sums[n - 2];
    out[1] = sums[n];  // wrong
//=    out[1] = sums[n - 1];
}

int main() {
    int *in, *sums, *out, result[2] = {};
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&sums, n * sizeof(int));
    cudaMalloc(&out, 2 * sizeof(int));
    fill<<<1, n>>>(in);
    void* room = nullptr;
    size_t bytes = 0;
    cub::DeviceScan::InclusiveSum(room, bytes, in, sums, n);
    cudaMalloc(&room, bytes);
    cub::DeviceScan::InclusiveSum(room, bytes, in, sums, n);
    last_two<<<1, 1>>>(sums, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int* each : {in, sums, out}) cudaFree(each);
    cudaFree(room);
    std::printf("%d\n", result[1]);
    return result[1] == n * (n - 1) / 2 ? 0 : 1;
}
