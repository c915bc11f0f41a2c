// A copy kernel that is generic in the width of its loads: vec<1>, vec<2> and
// vec<4> move 4, 8 and 16 bytes per thread per step.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <vector>

template <int N>
struct alignas(N * sizeof(float)) vec {
    float lane[N];
};

template <typename T>
struct width;
template <int N>
struct width<vec<N>> : std::integral_constant<int, N> {};

template <typename V>
__global__ void copy(const float* __restrict__ src, float* __restrict__ dst, size_t n) {
    constexpr int W = width<V>::value;
    const size_t packs = n / W;
    const size_t tid = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t stride = size_t(gridDim.x) * blockDim.x;

    const V* s = reinterpret_cast<const V*>(src);
    V* d = reinterpret_cast<V*>(dst);
    for (size_t i = tid; i < packs; i += stride) d[i] = s[i];

    // What does not fill a whole pack, element by element (fewer than W).
    const size_t rest = packs * W + tid;
    if (rest < n) dst[rest] = src[rest];
}

void check(cudaError_t e, int line) {
    if (e == cudaSuccess) return;
    std::fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(e));
    std::exit(1);
}

bool aligned(const void* p, size_t to) { return reinterpret_cast<uintptr_t>(p) % to == 0; }

// Pick the widest load that both pointers allow.
int launch_copy(const float* src, float* dst, size_t n, cudaStream_t stream = 0) {
    if (n == 0) return 0;
    const dim3 b(256);
    const dim3 g(unsigned((n + 1023) / 1024 < 4096 ? (n + 1023) / 1024 : 4096));
    int used;
    if (aligned(src, alignof(vec<4>)) && aligned(dst, alignof(vec<4>))) {
        copy<vec<4>><<<g, b, 0, stream>>>(src, dst, n);
        used = 4;
    } else if (aligned(src, alignof(vec<2>)) && aligned(dst, alignof(vec<2>))) {
        copy<vec<2>><<<g, b, 0, stream>>>(src, dst, n);
        used = 2;
    } else {
        copy<vec<1>> <<<g, b, 0, stream>>>(src, dst, n);
        used = 1;
    }
    check(cudaGetLastError(), __LINE__);
    return used;
}

int main() {
    const size_t n = 1000003;
    const int pad = 4;
    std::vector<float> in(n + pad), out(n);
    for (size_t i = 0; i < in.size(); ++i) in[i] = float(i % 8191);

    float *d_in, *d_out;
    check(cudaMalloc(&d_in, (n + pad) * sizeof(float)), __LINE__);
    check(cudaMalloc(&d_out, (n + pad) * sizeof(float)), __LINE__);
    check(cudaMemcpy(d_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice), __LINE__);

    int failed = 0;
    for (int shift = 0; shift < pad; ++shift) {  // 16-, 4-, 8-, 4-byte alignment
        check(cudaMemset(d_out, 0xff, (n + pad) * sizeof(float)), __LINE__);
        const int used = launch_copy(d_in + shift, d_out + shift, n);
        check(cudaMemcpy(out.data(), d_out + shift, n * sizeof(float), cudaMemcpyDeviceToHost), __LINE__);
        size_t bad = 0;
        for (size_t i = 0; i < n; ++i) bad += out[i] != in[i + shift];
        std::printf("shift %d: vec<%d>, %zu wrong\n", shift, used, bad);
        failed |= bad != 0;
    }
    check(cudaFree(d_in), __LINE__);
    check(cudaFree(d_out), __LINE__);
    return failed;
}
