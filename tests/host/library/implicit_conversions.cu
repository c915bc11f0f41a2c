// Conversions from floating point to integers that no cast asks for: device code saturates as PTX's
// cvt.rzi does, wherever C++ converts. Host code does not go through it.
#include <cstdint>

#include "check.h"

typedef unsigned char pixel;

#define AT_LEAST_HALF(x) ((x) > 0.5f ? (x) : 0.5f)
#define STORE(place, value) place = value
#define NEGATED(x) (-(x))

struct fields {
    unsigned short narrow;
    unsigned low : 5;
    unsigned whole;
};
template <class T>
struct holder {
    T value;
    __device__ void set(float x) { value = x; }
    __device__ T twice(float x) const { return x * 2; }
};

__device__ unsigned as_unsigned(float x) { return x; }
__device__ unsigned given(unsigned x) { return x; }
__device__ unsigned by_default(float x, unsigned y = 0) { return y ? y : x; }
__device__ float same(float x) { return x; }
template <class T, int N>
__device__ T scaled(T* to, float x) {
    *to += x * N;
    return x * N;
}
template <class T>
__device__ unsigned overloaded(T) {
    return 77;
}
__device__ unsigned overloaded(unsigned x) { return x; }

// in: -3, 3e10, NaN, 7.75
__global__ void convert(const float* in, const double* wide, long long* out) {
    const float minus = in[0], large = in[1], nan = in[2], plain = in[3];
    int n = 0;
    unsigned u = 0;
    int i = 0;
    pixel p = 0;
    long long l = 0;
    const auto put = [&](long long x) { out[n++] = x; };
    u = minus, put(u);
    u = large, put(u);
    u = nan, put(u);
    u = plain, put(u);
    i = large, put(i);
    i = nan, put(i);
    i = minus, put(i);
    p = minus, put(p);
    l = large * large, put(l);
    u = wide[0], put(u);
    i = wide[1] * 2, put(i);
    u = 5, u += minus * 2, put(u);
    u = 5, u -= plain, put(u);
    p = 5, p *= minus, put(p);
    i = 5, i /= in[0] * 0.f, put(i);
    put(as_unsigned(minus));
    put(given(minus));
    put(given(1 + same(minus) * 2));
    put(by_default(minus));
    put(overloaded(minus));
    u = n > 0 ? minus : 3, put(u);
    u = n > 0 ? minus : same(plain), put(u);
    u = p = minus, put(u);
    float f;
    u = f = minus, put(u);
    u = NEGATED(plain), put(u);
    i = AT_LEAST_HALF(large), put(i);
    STORE(u, minus);
    put(u);
    u = [&](float x) -> unsigned { return x - plain; }(minus), put(u);
    fields s = {};
    s.narrow = minus, put(s.narrow);
    s.low = minus, put(s.low);
    s.whole = minus, s.whole += minus, put(s.whole);
    unsigned first = 1;
    put(scaled<unsigned, 4>(&first, minus));
    put(first);
    float of_floats = 1;
    put(static_cast<long long>(scaled<float, 4>(&of_floats, minus)));
    put(static_cast<long long>(of_floats));
    holder<unsigned> h;
    h.set(minus), put(h.value);
    put(h.twice(minus));
    holder<double> d;
    d.set(minus), put(static_cast<long long>(d.value));
    /* é */ u = minus, put(u);
    unsigned a[2] = {in[0], same(plain)};
    put(a[0]), put(a[1]);
    const uint2 both = make_uint2(minus, plain);
    put(both.x), put(both.y);
}

__global__ void rows(const float* x, unsigned* u, pixel* p, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    u[i] = x[i] * 2.5f;
	p[i] = x[i];
}

__global__ void between_barriers(const float* x, unsigned* u) {
    __shared__ unsigned s[64];
    s[threadIdx.x] = x[threadIdx.x] * 2.5f;
    __syncthreads();
    u[threadIdx.x] = s[threadIdx.x ^ 1];
}

static void check_conversions() {
    constexpr long long most = 2147483647, most_unsigned = 4294967295;
    const long long right[] = {
        0, most_unsigned, 0, 7, most, 0, -3, 0, INT64_MAX,
        // From double.
        0, most,
        // Assignments that compute.
        0, 0, 0, -most - 1,
        // Calls and returns. A template fits the float as it is.
        0, 0, 0, 0, 77,
        // Conditionals and chains.
        0, 0, 0, 0,
        // Macros: what one contains, and what is given to one.
        0, most, 0, 0,
        // Members.
        0, 0, 0,
        // Templates.
        0, 0, -12, -11, 0, 0, -3,
        // Behind two bytes of one character, in lists, in arguments of CUDA's functions.
        0, 0, 7, 0, 7};
    constexpr int count = sizeof right / sizeof *right;
    const float values[] = {-3, 3e10f, NAN, 7.75f};
    const double wide_values[] = {-3e30, 3e10};
    float* in;
    double* wide;
    long long* out;
    OK(cudaMallocManaged(&in, sizeof values));
    OK(cudaMallocManaged(&wide, sizeof wide_values));
    OK(cudaMallocManaged(&out, 2 * sizeof right));
    std::memcpy(in, values, sizeof values);
    std::memcpy(wide, wide_values, sizeof wide_values);
    std::memset(out, 0, 2 * sizeof right);
    convert<<<1, 1>>>(in, wide, out);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < count; ++i) expect("conversion", i, out[i], right[i]);
}

static void check_loops() {
    constexpr int count = 64;
    float* x;
    unsigned* u;
    pixel* p;
    OK(cudaMallocManaged(&x, count * sizeof *x));
    OK(cudaMallocManaged(&u, count * sizeof *u));
    OK(cudaMallocManaged(&p, count));
    for (int i = 0; i < count; ++i) x[i] = i - 32;
    rows<<<2, 32>>>(x, u, p, count);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < count; ++i) {
        expect("row", i, u[i], i < 32 ? 0u : static_cast<unsigned>((i - 32) * 2.5f));
        expect("pixel", i, p[i], i < 32 ? 0 : i - 32);
    }
    between_barriers<<<1, count>>>(x, u);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < count; ++i)
        expect("neighbour", i, u[i], (i ^ 1) < 32 ? 0u : static_cast<unsigned>(((i ^ 1) - 32) * 2.5f));
}

int main() {
    check_conversions();
    check_loops();
    return verdict();
}
