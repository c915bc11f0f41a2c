// Bitonic sort of 32-bit keys. Steps whose partners lie within one tile are
// done in shared memory; only the wide steps go through global memory.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CHECK(x)                                                              \
    do {                                                                      \
        cudaError_t e = (x);                                                  \
        if (e != cudaSuccess) {                                               \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); \
            exit(EXIT_FAILURE);                                               \
        }                                                                     \
    } while (0)

constexpr uint32_t TILE = 2048;            // keys per block
constexpr uint32_t THREADS = TILE / 2;     // one comparison per thread

__device__ inline void order(uint32_t& a, uint32_t& b, bool ascending)
{
    if ((a > b) == ascending) {
        const uint32_t t = a;
        a = b;
        b = t;
    }
}

// The position of pair p's lower element when partners are `j` apart.
__device__ inline uint32_t lower_of(uint32_t p, uint32_t j)
{
    return 2 * p - (p & (j - 1));
}

// Steps j = j_first, j_first / 2, ..., 1 of the stages k_first .. k_last.
__global__ void sort_tile(uint32_t* keys, uint32_t k_first, uint32_t k_last)
{
    __shared__ uint32_t s[TILE];
    const uint32_t base = blockIdx.x * TILE;
    s[threadIdx.x] = keys[base + threadIdx.x];
    s[threadIdx.x + THREADS] = keys[base + threadIdx.x + THREADS];

    for (uint32_t k = k_first; k <= k_last; k *= 2) {
        for (uint32_t j = min(k, TILE) / 2; j > 0; j /= 2) {
            __syncthreads();
            const uint32_t i = lower_of(threadIdx.x, j);
            order(s[i], s[i + j], ((base + i) & k) == 0);
        }
    }
    __syncthreads();
    keys[base + threadIdx.x] = s[threadIdx.x];
    keys[base + threadIdx.x + THREADS] = s[threadIdx.x + THREADS];
}

__global__ void merge_global(uint32_t* keys, uint32_t k, uint32_t j)
{
    const uint32_t i = lower_of(blockIdx.x * blockDim.x + threadIdx.x, j);
    order(keys[i], keys[i + j], (i & k) == 0);
}

// `padded` is a power of two, at least TILE and at most 2^30.
void bitonic_sort(uint32_t* d_keys, uint32_t padded)
{
    const uint32_t tiles = padded / TILE;
    sort_tile<<<tiles, THREADS>>>(d_keys, 2, TILE);
    for (uint32_t k = 2 * TILE; k <= padded; k *= 2) {
        for (uint32_t j = k / 2; j >= TILE; j /= 2)
            merge_global<<<padded / 2 / 256, 256>>>(d_keys, k, j);
        sort_tile<<<tiles, THREADS>>>(d_keys, k, k);
    }
    CHECK(cudaGetLastError());
}

int main()
{
    for (uint32_t n : {1u, 2047u, 2048u, 5000u, 300000u}) {
        uint32_t padded = TILE;
        while (padded < n) padded *= 2;

        std::vector<uint32_t> keys(n), want;
        uint32_t x = 2463534242u;
        for (auto& k : keys) {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
            k = x % 100000;  // with repeats
        }
        want = keys;
        std::sort(want.begin(), want.end());

        uint32_t* d_keys = nullptr;
        CHECK(cudaMalloc(&d_keys, padded * sizeof(uint32_t)));
        // The padding is the largest key, so it ends up behind everything else.
        CHECK(cudaMemset(d_keys, 0xff, padded * sizeof(uint32_t)));
        CHECK(cudaMemcpy(d_keys, keys.data(), n * sizeof(uint32_t), cudaMemcpyHostToDevice));
        bitonic_sort(d_keys, padded);
        CHECK(cudaMemcpy(keys.data(), d_keys, n * sizeof(uint32_t), cudaMemcpyDeviceToHost));
        CHECK(cudaFree(d_keys));

        if (keys != want) {
            fprintf(stderr, "n=%u is not sorted\n", n);
            return EXIT_FAILURE;
        }
        printf("n=%u sorted\n", n);
    }
    return EXIT_SUCCESS;
}
