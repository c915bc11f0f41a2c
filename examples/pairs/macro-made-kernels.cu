// Element-wise kernels made by a macro: one line per operation gives the
// kernel, its host reference and an entry in the test table.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CUDA_CHECK(call)                                                     \
    do {                                                                     \
        cudaError_t err__ = (call);                                          \
        if (err__ != cudaSuccess) {                                          \
            std::fprintf(stderr, "[%s:%d] %s\n", __FILE__, __LINE__,         \
                         cudaGetErrorString(err__));                         \
            std::exit(EXIT_FAILURE);                                         \
        }                                                                    \
    } while (0)

#define KERNEL extern "C" __global__ void
#define LAUNCH(kernel, n, ...)                                               \
    do {                                                                     \
        const unsigned blocks__ = unsigned(((n) + 255) / 256);               \
        kernel<<<blocks__, 256>>>(__VA_ARGS__);                              \
        CUDA_CHECK(cudaGetLastError());                                      \
    } while (0)

// X(name, expression in a and b)
#define BINARY_OPS(X)                        \
    X(add, a + b)                            \
    X(multiply, a * b)                       \
    X(hypotenuse, sqrtf(a * a + b * b))      \
    X(relu_gap, fmaxf(a - b, 0.0f))

#define DEFINE_OP(name, expr)                                                \
    KERNEL name##_kernel(const float* pa, const float* pb, float* out,       \
                         size_t n) {                                         \
        const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;      \
        if (i < n) {                                                         \
            const float a = pa[i], b = pb[i];                                \
            out[i] = (expr);                                                 \
        }                                                                    \
    }                                                                        \
    static float name##_host(float a, float b) { return (expr); }            \
    static void name##_launch(const float* pa, const float* pb, float* out,  \
                              size_t n) {                                    \
        LAUNCH(name##_kernel, n, pa, pb, out, n);                            \
    }

BINARY_OPS(DEFINE_OP)

// One kernel written out in full, for comparison with the generated ones.
KERNEL fill_kernel(float* out, size_t n, float value) {
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = value;
}

struct Op {
    const char* name;
    void (*launch)(const float*, const float*, float*, size_t);
    float (*host)(float, float);
};

#define TABLE_ROW(name, expr) {#name, name##_launch, name##_host},
static const Op kOps[] = {BINARY_OPS(TABLE_ROW)};

int main() {
    const size_t n = 50001;
    const size_t bytes = n * sizeof(float);
    std::vector<float> a(n), b(n), out(n);
    for (size_t i = 0; i < n; ++i) {
        a[i] = 0.25f * float(i % 41) - 4.0f;
        b[i] = 0.5f * float(i % 29) - 6.0f;
    }

    float *d_a, *d_b, *d_out;
    CUDA_CHECK(cudaMalloc(&d_a, bytes));
    CUDA_CHECK(cudaMalloc(&d_b, bytes));
    CUDA_CHECK(cudaMalloc(&d_out, bytes));
    CUDA_CHECK(cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice));

    int failures = 0;
    for (const Op& op : kOps) {
        LAUNCH(fill_kernel, n, d_out, n, -12345.0f);
        op.launch(d_a, d_b, d_out, n);
        CUDA_CHECK(cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost));
        size_t wrong = 0;
        for (size_t i = 0; i < n; ++i) wrong += std::fabs(out[i] - op.host(a[i], b[i])) > 1e-5f;
        std::printf("%-12s %s\n", op.name, wrong ? "FAILED" : "ok");
        failures += wrong != 0;
    }

    CUDA_CHECK(cudaFree(d_a));
    CUDA_CHECK(cudaFree(d_b));
    CUDA_CHECK(cudaFree(d_out));
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
