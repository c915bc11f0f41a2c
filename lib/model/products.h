// Matrix products, row-major: C = alpha · A·op(B) + beta · C; C is always float. The work is shared
// among LibTorch's threads. Callers that give every thread its own rows use
// single_threaded_products, and the work stays on the calling thread. Private to lib/model.
#pragma once

#include <cstdint>

#include "cuset/kernels/decoder_rows.h"

namespace cuset {

/// While it lives, products called by this thread run on this thread alone.
class single_threaded_products {
public:
    single_threaded_products();
    single_threaded_products(const single_threaded_products&) = delete;
    single_threaded_products& operator=(const single_threaded_products&) = delete;
    ~single_threaded_products();

private:
    int before_;
};

struct product_size {
    std::int64_t m, n, k;
};

/// C [m × n] = alpha · A [m × k] · B [n × k]ᵀ + beta · C.
void product_transposed(product_size size, float alpha, const float* a, std::int64_t stride_a,
                        const float* b, std::int64_t stride_b, float beta, float* c,
                        std::int64_t stride_c);
void product_transposed(product_size size, float alpha, const kernels::bfloat16_bits* a,
                        std::int64_t stride_a, const kernels::bfloat16_bits* b,
                        std::int64_t stride_b, float beta, float* c, std::int64_t stride_c);

/// C [m × n] = A [m × k] · B [k × n].
void product(product_size size, const float* a, std::int64_t stride_a, const float* b,
             std::int64_t stride_b, float* c, std::int64_t stride_c);
void product(product_size size, const kernels::bfloat16_bits* a, std::int64_t stride_a,
             const kernels::bfloat16_bits* b, std::int64_t stride_b, float* c,
             std::int64_t stride_c);

}  // namespace cuset
