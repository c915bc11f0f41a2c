// Products by AVX512-BF16's instruction, which multiplies pairs of bfloat16 and adds both products
// to a float, and panels of quantised matrices by the one that rounds. The rest of the avx512
// version runs on processors without it.
#if defined(__AVX512BF16__)
#include <immintrin.h>

#define CUSET_LANES 16
#include "cuset/kernels/packed_products.h"
#include "cuset/kernels/quantised_panels.h"
#include "lanes.h"

namespace cuset::kernels::avx512 {
namespace {

#include "packed_tiles.inc"

struct bfloat16_terms {
    using element = bfloat16_bits;
    using packed = bfloat16_bits;
    using operand = __m512bh;
    static constexpr size_t depth = 2, inputs = 2, rows = tile_rows;
    /// Decoding's few rows wait for the matrix; with many rows the fetches cost nothing to speak
    /// of.
    static constexpr bool fetches = true;
    static __m512bh word(const bfloat16_bits* p, size_t count) {
        int32_t pair = 0;
        __builtin_memcpy(&pair, p, count * sizeof *p);
        return reinterpret_cast<__m512bh>(_mm512_set1_epi32(pair));
    }
    static __m512bh load(const bfloat16_bits* p, size_t) {
        return reinterpret_cast<__m512bh>(_mm512_loadu_si512(p));
    }
    static floats add_product(floats sum, __m512bh a, __m512bh b) {
        return _mm512_dpbf16_ps(sum, a, b);
    }
};

namespace quantised {

#include "quantised_tiles.inc"

struct bfloat16_pair {
    using element = bfloat16_bits;
    static void store_pair(const floats (&v)[vectors_of_pair], bfloat16_bits* to) {
        for (size_t q = 0; q < vectors_of_pair; q += 2) {
            const __m512bh both = _mm512_cvtne2ps_pbh(v[q + 1], v[q]);
            _mm512_storeu_si512(to + q * lanes, reinterpret_cast<__m512i>(both));
        }
    }
};

}  // namespace quantised
}  // namespace

void nf4_to_bfloat16(const uint8_t* panel, size_t first, size_t count, const float* scales,
                     bfloat16_bits* to) {
    quantised::nf4_panel<quantised::bfloat16_pair>(panel, first, count, scales, to);
}

void int8_to_bfloat16(const int8_t* panel, size_t first, size_t count, const float* scales,
                      bfloat16_bits* to) {
    quantised::int8_panel<quantised::bfloat16_pair>(panel, first, count, scales, to);
}

void bfloat16_product(row_product_size size, const bfloat16_bits* a, size_t stride_a,
                      const bfloat16_bits* packed, size_t stride_packed, product_mode mode,
                      float* c, size_t stride_c) {
    product_of_panels<bfloat16_terms>(size, a, stride_a, packed, stride_packed, mode, c, stride_c);
}

}  // namespace cuset::kernels::avx512
#endif
