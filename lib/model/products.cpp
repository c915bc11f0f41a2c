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

void mkl_product(product_size size, const float* a, int stride_a, const float* b, int op_b,
                 int stride_b, float beta, float* c, int stride_c) {
    // This function's order is Fortran's: the row-major C = A·B is the column-major Cᵀ = Bᵀ·Aᵀ.
    const int m = narrow_int(size.n), n = narrow_int(size.m), k = narrow_int(size.k);
    const float alpha = 1.0F;
    sgemm_(op_b == transpose ? "T" : "N", "N", &m, &n, &k, &alpha, b, &stride_b, a, &stride_a,
           &beta, c, &stride_c);
}

void mkl_product(product_size size, const kernels::bfloat16_bits* a, int stride_a,
                 const kernels::bfloat16_bits* b, int op_b, int stride_b, float beta, float* c,
                 int stride_c) {
    cblas_gemm_bf16bf16f32(row_major, no_transpose, op_b, narrow_int(size.m), narrow_int(size.n),
                           narrow_int(size.k), 1.0F, reinterpret_cast<const std::uint16_t*>(a),
                           stride_a, reinterpret_cast<const std::uint16_t*>(b), stride_b, beta, c,
                           stride_c);
}

template <class Left, class Element>
void packed_product(product_size size, const Left* a, std::int64_t stride_a,
                    const product_operand<Element>& b, product_mode mode, float* c,
                    std::int64_t stride_c) {
    kernels::packed_product({static_cast<std::size_t>(size.m), static_cast<std::size_t>(size.n),
                             static_cast<std::size_t>(size.k)},
                            a, static_cast<std::size_t>(stride_a), b.data,
                            static_cast<std::size_t>(b.stride), mode, c,
                            static_cast<std::size_t>(stride_c));
}

template <class Element>
void any_product(product_size size, const Element* a, std::int64_t stride_a,
                 const product_operand<Element>& b, product_mode mode, float* c,
                 std::int64_t stride_c) {
    if (b.packed) {
        packed_product(size, a, stride_a, b, mode, c, stride_c);
        return;
    }
    mkl_product(size, a, narrow_int(stride_a), b.data,
                b.rows == matrix_rows::outputs ? transpose : no_transpose, narrow_int(b.stride),
                mode == product_mode::add ? 1.0F : 0.0F, c, narrow_int(stride_c));
}

}  // namespace

single_threaded_products::single_threaded_products() : before_(MKL_Set_Num_Threads_Local(1)) {}
single_threaded_products::~single_threaded_products() { MKL_Set_Num_Threads_Local(before_); }

void product(product_size size, const float* a, std::int64_t stride_a,
             const product_operand<float>& b, product_mode mode, float* c, std::int64_t stride_c) {
    any_product(size, a, stride_a, b, mode, c, stride_c);
}

void product(product_size size, const kernels::bfloat16_bits* a, std::int64_t stride_a,
             const product_operand<kernels::bfloat16_bits>& b, product_mode mode, float* c,
             std::int64_t stride_c) {
    any_product(size, a, stride_a, b, mode, c, stride_c);
}

void product(product_size size, const float* a, std::int64_t stride_a,
             const product_operand<kernels::bfloat16_bits>& b, product_mode mode, float* c,
             std::int64_t stride_c) {
    packed_product(size, a, stride_a, b, mode, c, stride_c);
}

void product(product_size size, const float* a, std::int64_t stride_a,
             const product_operand<kernels::float16_bits>& b, product_mode mode, float* c,
             std::int64_t stride_c) {
    packed_product(size, a, stride_a, b, mode, c, stride_c);
}

}  // namespace cuset
