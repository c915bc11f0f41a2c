// Products of rows of activations with narrow matrices that stay as they are stored, on the CPU:
// adapters, and attention of a decoder that writes. Single-threaded: the caller gives every thread
// outputs of its own.
//
// Each result is a function of its own row of x and its own row of w alone, bit for bit: the order
// of its sum depends on k only, never on how many rows or columns are asked for at a time. So a
// caller may cut m and n as it likes. (Instruction sets differ among themselves.)
#pragma once

#include <cstddef>

#include "cuset/kernels/decoder_rows.h"
#include "cuset/kernels/instruction_set.h"

namespace cuset::kernels {

/// Whether a product overwrites what is in its result or adds to it.
enum class product_mode : unsigned char { set, add };

/// m rows of x (or of weights), n rows of the matrix, k columns of both.
struct row_product_size {
    std::size_t m, n, k;
};

/// y[i · stride_y + j] (+)= Σ_c x[i · stride_x + c] · w[j · stride_w + c], accumulated in float.
/// For m ≤ 8 the matrix is read once; for more it is read from memory once if n · min(k, 768) of
/// its elements fit a core's cache.
void row_products(row_product_size size, const float* x, std::size_t stride_x, const float* w,
                  std::size_t stride_w, product_mode mode, float* y, std::size_t stride_y);

/// y[i · stride_y + c] (+)= Σ_j p[i · stride_p + j] · v[j · stride_v + c] for i < m, j < n, c < k:
/// attention's sum over values, and its scores, with transposed keys for v. Each is summed in the
/// order of j, beginning with what y holds if it adds: a sum cut into several calls is the same,
/// bit for bit.
void weighted_rows(row_product_size size, const float* p, std::size_t stride_p, const float* v,
                   std::size_t stride_v, product_mode mode, float* y, std::size_t stride_y);

/// Every function above, for one instruction set. Tests call each available table; the functions
/// above are those of the active one.
struct row_product_table {
    void (*product)(row_product_size, const float*, std::size_t, const float*, std::size_t,
                    product_mode, float*, std::size_t);
    void (*weighted)(row_product_size, const float*, std::size_t, const float*, std::size_t,
                     product_mode, float*, std::size_t);
};

/// `set` must be available.
const row_product_table& row_product_kernels(instruction_set set);

}  // namespace cuset::kernels
