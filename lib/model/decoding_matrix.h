// A matrix as decoding takes it: packed once, in the type that it is stored in. Decoding multiplies
// a few rows at a time, so it takes as long as the matrix takes to be read: 16-bit elements are
// widened in registers where activations are float. A quantised matrix stays so: of memory only its
// codes are read, and what a product needs is made of them in registers or in a core's cache.
// Private to lib/model.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>

#include "large_pages.h"
#include "products.h"
#include "quantised_matrix.h"
#include "row_tasks.h"
#include "weights.h"

namespace cuset {

class decoding_matrix {
public:
    /// A product may begin at multiples of this many outputs: whole panels of every instruction
    /// set.
    static constexpr std::int64_t unit = 32;

    /// Packs `matrix` [outputs × inputs], whose data is no longer needed afterwards, on the pool's
    /// threads, into `memory`, which has to outlive this. A quantised matrix is shared.
    decoding_matrix(const weight_matrix& matrix, task_pool& pool, large_pages& memory);

    std::int64_t outputs() const { return outputs_; }
    std::int64_t inputs() const { return inputs_; }

    /// y [rows × count] (+)= x [rows × inputs] · Wᵀ for the outputs from `first` on, a multiple of
    /// `unit`. x is dense; y's rows are `stride` apart. Each result depends on its own row of x
    /// alone, bit for bit. The work stays on this thread.
    void multiply(std::int64_t rows, const float* x, std::int64_t first, std::int64_t count,
                  product_mode mode, float* y, std::int64_t stride) const;
    /// The same with x in bfloat16, which has half the work: only if takes_bfloat16().
    void multiply(std::int64_t rows, const kernels::bfloat16_bits* x, std::int64_t first,
                  std::int64_t count, product_mode mode, float* y, std::int64_t stride) const;
    /// Whether its elements are bfloat16, and this processor has products of them.
    bool takes_bfloat16() const;

    /// The inputs of one output, in float; not of a quantised matrix.
    void read_output(std::int64_t output, float* to) const;

private:
    template <class Input>
    void multiply_quantised(std::int64_t rows, const Input* x, std::int64_t first,
                            std::int64_t count, product_mode mode, float* y,
                            std::int64_t stride) const;

    std::int64_t outputs_, inputs_;
    std::variant<const float*, const kernels::bfloat16_bits*, const kernels::float16_bits*> packed_;
    std::shared_ptr<const quantised_matrix> quantised_;  ///< in the place of packed_, or null
};

}  // namespace cuset
