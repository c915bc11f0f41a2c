// Host code rounds a product before it is added to, as nvcc's host compiler does for any x86-64.
// Device code may fuse the two.
#include <cmath>
#include <vector>

#include "check.h"

__host__ __device__ float both(float a, float b, float c) { return a * b + c; }

__global__ void fused(const float* in, float* out) {
    const int i = threadIdx.x;
    out[i] = both(in[0], in[i + 1], in[2]) + 0 * in[3];
}

static float of_host(float a, float b, float c) { return a * b + c; }

template <class T>
inline T of_template(T a, T b, T c) {
    return c - a * b;
}

extern "C" double of_c(double a, double b, double c) { return a * b - c; }

namespace inner {
struct line {
    float slope, start;
    [[nodiscard]] float at(float x) const { return slope * x + start; }
    float above(float x, float y) const;
};
float line::above(float x, float y) const { return y - slope * x; }
}  // namespace inner

static void accumulate(std::vector<float>& y, const std::vector<float>& x, float a) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = a * x[i] + y[i];
}

int main() {
    volatile float kept = 1 + 1 / 4096.f;
    const float a = kept, b = kept;
    volatile float product = a * b;
    const float c = -product;
    const float rest = std::fma(a, b, c);
    MUST(rest != 0);
    MUST(a * b + c == 0);
    MUST(of_host(a, b, c) == 0);
    MUST(both(a, b, c) == 0);
    MUST(of_template(a, b, -c) == 0);
    MUST(inner::line({a, c}).at(b) == 0);
    MUST(inner::line({a, c}).above(b, -c) == 0);
    volatile double wide = 1 + 1e-12;
    const double d = wide;
    volatile double square = d * d;
    MUST(of_c(d, d, square) == 0);
    std::vector<float> x(37, b), y(37, c);
    accumulate(y, x, a);
    for (const float each : y) MUST(each == 0);

    float h[4] = {a, b, c, 0}, *in, *out, got = 1;
    OK(cudaMalloc(&in, sizeof h));
    OK(cudaMalloc(&out, sizeof h));
    OK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    fused<<<1, 1>>>(in, out);
    OK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
#ifdef __FMA__
    MUST(got == rest);
#else
    MUST(got == 0);
#endif
    cudaFree(in);
    cudaFree(out);
    return verdict();
}
