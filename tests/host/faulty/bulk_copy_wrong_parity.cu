// finds: race line 35,43
// The first phase of an mbarrier has the parity 0. Who asks for 1 goes on at once.
#include <cstdint>
#include <cstdio>

constexpr int width = 256;

__device__ unsigned place(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

__device__ bool has_passed(uint64_t* barrier, unsigned parity) {
    unsigned passed;
    asm volatile(
        "{ .reg .pred p;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p; }"
        : "=r"(passed)
        : "r"(place(barrier)), "r"(parity)
        : "memory");
    return passed != 0;
}

__global__ void sums(const int* in, int* out, int tiles) {
    __shared__ alignas(16) int tile[width];
    __shared__ uint64_t barrier;
    const int t = threadIdx.x;
    if (t == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place(&barrier)));
    __syncthreads();
    unsigned parity = 1;  // wrong
//=     unsigned parity = 0;
    int sum = 0;
    for (int i = 0; i < tiles; ++i) {
        if (t == 0) {
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(place(&barrier)),
                         "r"(static_cast<unsigned>(sizeof tile)));
            asm volatile(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(place(tile)),
                "l"(in + i * width), "r"(static_cast<unsigned>(sizeof tile)), "r"(place(&barrier))
                : "memory");
        }
        while (!has_passed(&barrier, parity)) {
        }
        parity ^= 1;
        sum += tile[(t + 1) % width];
        __syncthreads();
    }
    out[t] = sum;
}

int main() {
    const int tiles = 3, n = tiles * width;
    int *in, *out;
    if (cudaMallocManaged(&in, n * sizeof(int)) != cudaSuccess) return 1;
    if (cudaMallocManaged(&out, width * sizeof(int)) != cudaSuccess) return 1;
    for (int i = 0; i < n; ++i) in[i] = i % 91 + 1;
    sums<<<1, width>>>(in, out, tiles);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    for (int t = 0; t < width; ++t) {
        int wanted = 0;
        for (int i = 0; i < tiles; ++i) wanted += in[i * width + (t + 1) % width];
        if (out[t] != wanted) return 1;
    }
    std::puts("ok");
    return cudaFree(in) != cudaSuccess || cudaFree(out) != cudaSuccess;
}
