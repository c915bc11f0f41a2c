// Shifts by the width of the word and more, and casts of what no integer holds: device code has
// what PTX's shl, shr and cvt.rzi give, in every place where C++ lets such an operator stand.
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "check.h"

constexpr int bits = 5;
enum kind { two = 2, far = 40 };

struct word {
    unsigned value;
    __host__ __device__ word operator|(word other) const { return {value | other.value}; }
};
struct own_shift {
    int n;
    __host__ __device__ operator int() const { return n; }
};
struct packed_bits {
    unsigned low : 5;
    unsigned rest : 27;
    unsigned char narrow;
};
template <int N>
struct sized {
    static constexpr int value = N;
};
template <class A, class B = sized<1>>
struct pair_of {
    A a;
};

__device__ unsigned rotated(unsigned x, int by) { return x << by | x >> (32 - by); }
__host__ __device__ constexpr unsigned mask(int n) { return (1u << n) - 1; }
template <class T>
__device__ T low_bits(T x, int n) {
    return x & ((T(1) << n) - T(1));
}

__global__ void shifts(const int* n, long long* out) {
    const int w = n[0], z = n[1], big = n[2];  // 32, 0, 64
    int i = 0;
    const auto put = [&](long long x) { out[i++] = x; };
    put(1u << w);
    put((1u << w) - 1);
    put(-8 >> w);
    put(8u >> w);
    put(1ll << w);
    put(-1ll >> big);
    put(1ull << big);
    put(1 << -1 - z);
    put(rotated(0x80000001u, z));
    put(mask(w));
    put(low_bits<unsigned>(77u, w));
    put(1 << 2 + z << 1 + z);
    put(1u << w == 0 ? 5 : 6);
    put(z < 4 >> z && 1 < w >> 1 + z);
    unsigned x = 3, y = 0x80000000u;
    x <<= w;
    y >>= w + z;
    put(x);
    put(y);
    int s = -5;
    s >>= big;
    put(s);
    s = 1, s <<= z + 1;
    put(s);
    unsigned char c = 0x81;
    c <<= 1 + z;
    put(c);
    put(c << w);
    packed_bits b = {31, 1, 7};
    b.low <<= 1 + z;
    b.narrow >>= z + 1;
    put(b.low);
    put(b.low << (z + 2));
    put(b.narrow);
    unsigned array[1 << bits] = {};
    array[w >> bits] = 9;
    array[w >> bits] <<= w - 30;
    put(array[1] + sizeof(array));
    switch (w) {
        case 1 << bits: put(1); break;
        default: put(2);
    }
    put(sized<(1 << bits)>::value + sized<1 << bits>::value);
    pair_of<int, pair_of<int, sized<3>>> nested{4};
    put(nested.a >> z);
    put(static_cast<pair_of<int, sized<1>>>(nested.a >> z == 4 ? pair_of<int, sized<1>>{2}
                                                               : pair_of<int, sized<1>>{3})
            .a);
    put(two << z + far);
    put(1 << own_shift{3});
    put(std::is_same<decltype(c << w), int>::value);
    put(std::is_same<decltype(1ull >> z), unsigned long long>::value);
    put((true << z) + ('a' >> z));
    volatile int kept = 1;
    kept <<= w;
    put(kept);
    constexpr unsigned all = ~0u >> bits;
    put(all);
}

static void check_shifts() {
    const long long right[] = {0,           0xffffffffll,
                               -1,          0,
                               1ll << 32,   -1,
                               0,           0,
                               0x80000001u, 0xffffffffll,
                               77,          8,
                               5,           1,
                               0,           0,
                               -1,          2,
                               2,           0,
                               30,          120,
                               3,           36 + 128,
                               1,           64,
                               4,           2,
                               0,           8,
                               1,           1,
                               98,          0,
                               0x07ffffff};
    constexpr int count = sizeof right / sizeof *right;
    const int h[] = {32, 0, 64};
    int* n;
    long long *out, got[64];
    OK(cudaMalloc(&n, sizeof h));
    OK(cudaMalloc(&out, sizeof got));
    OK(cudaMemcpy(n, h, sizeof h, cudaMemcpyHostToDevice));
    shifts<<<1, 1>>>(n, out);
    OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; ++i)
        if (fails(got[i] == right[i]))
            std::printf("shift %d: %lld, not %lld\n", i, got[i], right[i]);
    cudaFree(n);
    cudaFree(out);
}

struct holder {
    float x;
    __device__ float get() const { return x; }
    __device__ float at(int) const { return x; }
};
struct no_copy {
    int n;
    __device__ no_copy(int n) : n(n) {}
    no_copy(const no_copy&) = delete;
    __device__ operator int() const { return n; }
};
#define TWICE(v) v + v
#define WHOLE(v) ((v) + (v))

template <class T>
__device__ T as(float x) {
    return (T)x;
}
template <class T>
__device__ T also_as(double x) {
    return static_cast<T>(x) + T(x) - T(x);
}

__global__ void casts(const float* in, const double* wide, long long* out) {
    int i = 0;
    const auto put = [&](long long x) { out[i++] = x; };
    const float nan = in[0], inf = in[1], minus = in[2], large = in[3], half = in[4];
    const double dnan = wide[0], dinf = wide[1];
    put((int)nan);
    put((unsigned)nan);
    put((int)inf);
    put((int)-inf);
    put((unsigned)minus);
    put(static_cast<unsigned>(minus));
    put(unsigned(minus));
    put((long long)inf);
    put((long long)-inf);
    put((unsigned long long)minus);
    put((int)large);
    put((unsigned)large);
    put((int)dinf);
    put((int)dnan);
    put((unsigned char)minus);
    put((unsigned char)(large));
    put((signed char)(large * 0.f + 300));
    put((short)large);
    put((unsigned short)(half + 70000.f));
    const holder h{large}, *p = &h;
    put((int)h.get() - 1);
    put((int)p->at((int)half) / 2);
    put((int)in[3] + (int)half * 2);
    put(-(int)large);
    put((float)(int)large == 2147483648.f);
    put((int)(unsigned)minus);
    put(as<int>(large));
    put(as<float>(half) == half);
    put(also_as<int>(dinf));
    put((int)TWICE(half) == 3);
    put((int)WHOLE(half));
    const no_copy n(7);
    put((int)n);
    put(static_cast<int>(n));
    int from = large * half, other = 3, last = floorf(half);
    put(from);
    put(other + last);
    for (int k = in[4] * 2, e = 4; k < e; ++k) put(k);
    put((int)*in == 0 ? (int)two : (int)far);
    packed_bits b = {9, 1, 7};
    put((int)b.low + int(b.rest) + static_cast<int>(b.low));
    put((size_t)p != 0);
    put((int)half < (int)large && (unsigned)half >> 1 == 0);
    put((bool)half + (int)'a' + (int)sizeof(int) - (int)1.5f);
    int array[(int)2.5f + (1 << bits)];
    put(sizeof array);
    put((int)half ? 1 : 2);
    put((uint8_t)large + (std::int64_t)half);
    put(int(half) + int{2});
    put((int)std::fmax(large, half));
    put((int)fminf(-large, half));
}

static void check_casts() {
    const long long most = 2147483647, least = -most - 1;
    const long long right[] = {0,
                               0,
                               most,
                               least,
                               0,
                               0,
                               0,
                               9223372036854775807ll,
                               -9223372036854775807ll - 1,
                               0,
                               most,
                               3000000000ll,
                               most,
                               least,
                               0,
                               (unsigned char)3000000000u,
                               (signed char)44,
                               (short)most,
                               (unsigned short)70001,
                               most - 1,
                               most / 2,
                               (int)(2147483647u + 2u),
                               -most,
                               1,
                               0,
                               most,
                               1,
                               most,
                               0,
                               3,
                               7,
                               7,
                               most,
                               4,
                               3,
                               2,
                               19,
                               1,
                               1,
                               1 + 97 + 4 - 1,
                               34 * 4,
                               1,
                               (uint8_t)3000000000u + 1,
                               3,
                               most,
                               least};
    constexpr int count = sizeof right / sizeof *right;
    const float h[] = {NAN, INFINITY, -1.f, 3e9f, 1.5f};
    const double w[] = {NAN, INFINITY};
    float* in;
    double* wide;
    long long *out, got[64];
    OK(cudaMalloc(&in, sizeof h));
    OK(cudaMalloc(&wide, sizeof w));
    OK(cudaMalloc(&out, sizeof got));
    OK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(wide, w, sizeof w, cudaMemcpyHostToDevice));
    casts<<<1, 1>>>(in, wide, out);
    OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; ++i)
        if (fails(got[i] == right[i]))
            std::printf("cast %d: %lld, not %lld\n", i, got[i], right[i]);
    cudaFree(in);
    cudaFree(wide);
    cudaFree(out);
}

/// Rows of threads, which g++ makes vectors of.
__global__ void row(const float* x, const int* n, int* i, unsigned* u, unsigned* s, int count) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= count) return;
    i[t] = (int)x[t];
    u[t] = (unsigned)x[t];
    s[t] = 0xdeadbeefu >> n[t];
}

static void check_rows() {
    constexpr int count = 1000;
    std::vector<float> x(count);
    std::vector<int> n(count), i(count);
    std::vector<unsigned> u(count), s(count);
    const float special[] = {NAN,           INFINITY,     -INFINITY,    -0.5f,       2147483648.f,
                             -2147483904.f, 4294967040.f, 4294967296.f, 2147483520.f};
    for (int t = 0; t < count; ++t) {
        x[t] = t < 9 ? special[t] : (t - 500) * 1.75f;
        n[t] = t % 40;
    }
    float* dx;
    int *dn, *di;
    unsigned *du, *ds;
    for (void** p : {(void**)&dx, (void**)&dn, (void**)&di, (void**)&du, (void**)&ds})
        OK(cudaMalloc(p, count * 4));
    OK(cudaMemcpy(dx, x.data(), count * 4, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(dn, n.data(), count * 4, cudaMemcpyHostToDevice));
    row<<<4, 256>>>(dx, dn, di, du, ds, count);
    OK(cudaMemcpy(i.data(), di, count * 4, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(u.data(), du, count * 4, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(s.data(), ds, count * 4, cudaMemcpyDeviceToHost));
    for (int t = 0; t < count; ++t) {
        const double d = std::isnan(x[t]) ? 0 : std::trunc((double)x[t]);
        MUST(i[t] == (int)std::fmin(std::fmax(d, -2147483648.0), 2147483647.0));
        MUST(u[t] == (unsigned)std::fmin(std::fmax(d, 0), 4294967295.0));
        MUST(s[t] == (n[t] < 32 ? 0xdeadbeefu >> n[t] : 0));
    }
    for (void* p : {(void*)dx, (void*)dn, (void*)di, (void*)du, (void*)ds}) cudaFree(p);
}

int main() {
    check_shifts();
    check_casts();
    check_rows();
    return verdict();
}
