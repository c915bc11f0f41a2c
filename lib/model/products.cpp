#include "products.h"

// LibTorch's CPU library contains MKL and exports these functions. No tensor operator can do what a
// direct call can: take bfloat16 inputs, give float results, and add them to a strip of a larger
// matrix.
extern "C" {
void sgemm_(const char* transpose_a, const char* transpose_b, const int* m, const int* n,
            const int* k, const float* alpha, const float* a, const int* stride_a, const float* b,
            const int* stride_b, const float* beta, float* c, const int* stride_c);
void cblas_gemm_bf16bf16f32(int layout, int transpose_a, int transpose_b, int m, int n, int k,
                            float alpha, const std::uint16_t* a, int stride_a,
                            const std::uint16_t* b, int stride_b, float beta, float* c,
                            int stride_c);
int MKL_Set_Num_Threads_Local(int threads);  // 0: back to the process's setting
}

namespace cuset {

namespace {

constexpr int row_major = 101, no_transpose = 111, transpose = 112;

// Every extent here is a model's dimension, or a strip of at most 2^24 rows.
int narrow_int(std::int64_t value) { return static_cast<int>(value); }

void float_product(char op_b, product_size size, float alpha, const float* a, std::int64_t stride_a,
                   const float* b, std::int64_t stride_b, float beta, float* c,
                   std::int64_t stride_c) {
    // MKL's order is Fortran's: the row-major C = A·B is the column-major Cᵀ = Bᵀ·Aᵀ.
    const int m = narrow_int(size.n), n = narrow_int(size.m), k = narrow_int(size.k);
    const int lda = narrow_int(stride_b), ldb = narrow_int(stride_a), ldc = narrow_int(stride_c);
    sgemm_(&op_b, "N", &m, &n, &k, &alpha, b, &lda, a, &ldb, &beta, c, &ldc);
}

void bfloat16_product(int op_b, product_size size, float alpha, const kernels::bfloat16_bits* a,
                      std::int64_t stride_a, const kernels::bfloat16_bits* b, std::int64_t stride_b,
                      float beta, float* c, std::int64_t stride_c) {
    cblas_gemm_bf16bf16f32(row_major, no_transpose, op_b, narrow_int(size.m), narrow_int(size.n),
                           narrow_int(size.k), alpha, reinterpret_cast<const std::uint16_t*>(a),
                           narrow_int(stride_a), reinterpret_cast<const std::uint16_t*>(b),
                           narrow_int(stride_b), beta, c, narrow_int(stride_c));
}

}  // namespace

single_threaded_products::single_threaded_products() : before_(MKL_Set_Num_Threads_Local(1)) {}
single_threaded_products::~single_threaded_products() { MKL_Set_Num_Threads_Local(before_); }

void product_transposed(product_size size, float alpha, const float* a, std::int64_t stride_a,
                        const float* b, std::int64_t stride_b, float beta, float* c,
                        std::int64_t stride_c) {
    float_product('T', size, alpha, a, stride_a, b, stride_b, beta, c, stride_c);
}

void product_transposed(product_size size, float alpha, const kernels::bfloat16_bits* a,
                        std::int64_t stride_a, const kernels::bfloat16_bits* b,
                        std::int64_t stride_b, float beta, float* c, std::int64_t stride_c) {
    bfloat16_product(transpose, size, alpha, a, stride_a, b, stride_b, beta, c, stride_c);
}

void product(product_size size, const float* a, std::int64_t stride_a, const float* b,
             std::int64_t stride_b, float* c, std::int64_t stride_c) {
    float_product('N', size, 1.0F, a, stride_a, b, stride_b, 0.0F, c, stride_c);
}

void product(product_size size, const kernels::bfloat16_bits* a, std::int64_t stride_a,
             const kernels::bfloat16_bits* b, std::int64_t stride_b, float* c,
             std::int64_t stride_c) {
    bfloat16_product(no_transpose, size, 1.0F, a, stride_a, b, stride_b, 0.0F, c, stride_c);
}

}  // namespace cuset
