// finds: race line 15
// What a thread waits for are the groups that it has committed, and this copy is in none.
#include <cstdio>

constexpr int width = 64;

__global__ void reversed(const int4* in, int4* out) {
    __shared__ int4 tile[width];
    const int t = threadIdx.x;
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&tile[t]));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + blockIdx.x * width + t));
//=     asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group %0;" ::"n"(0));
    __syncthreads();
    out[blockIdx.x * width + t] = tile[width - 1 - t];
}

int main() {
    const int n = 4 * width;
    int4 *in, *out;
    if (cudaMallocManaged(&in, n * sizeof(int4)) != cudaSuccess) return 1;
    if (cudaMallocManaged(&out, n * sizeof(int4)) != cudaSuccess) return 1;
    for (int i = 0; i < n; ++i) in[i] = make_int4(i + 1, i * 3, i * 5, i * 7);
    reversed<<<4, width>>>(in, out);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    for (int i = 0; i < n; ++i) {
        const int from = i / width * width + width - 1 - i % width;
        if (out[i].x != from + 1 || out[i].w != from * 7) return 1;
    }
    std::puts("ok");
    return cudaFree(in) != cudaSuccess || cudaFree(out) != cudaSuccess;
}
