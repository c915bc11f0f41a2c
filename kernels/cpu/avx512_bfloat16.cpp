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

/// Bytes of codes that are fetched ahead: what memory takes to answer.
constexpr size_t bytes_ahead = 2048;

/// The elements of a pair of inputs: both operands of a tile's product.
struct operands {
    __m512bh left, right;
    operands(floats a, floats b, floats c, floats d)
        : left(_mm512_cvtne2ps_pbh(b, a)), right(_mm512_cvtne2ps_pbh(d, c)) {}
};

/// How a vector of words of codes is read: it holds `inputs` inputs, and `block` inputs share their
/// scales.
struct nf4_words {
    static constexpr size_t inputs = 4, block = nf4_block;
    const code_table table{nf4_values};
    operands pair(uints words, size_t pair, const pair_scales& scale) const {
        const uints codes = words >> static_cast<uint32_t>(16 * pair);
        return {table(codes) * scale.of[0], table(codes >> 4) * scale.of[1],
                table(codes >> 8) * scale.of[2], table(codes >> 12) * scale.of[3]};
    }
};
struct int8_words {
    static constexpr size_t inputs = 2, block = fused_inputs;
    static floats value(uints words, int shift) {
        return __builtin_convertvector((reinterpret_cast<ints>(words) << shift) >> 24, floats);
    }
    static operands pair(uints words, size_t, const pair_scales& scale) {
        return {value(words, 24) * scale.of[0], value(words, 16) * scale.of[1],
                value(words, 8) * scale.of[2], value(words, 0) * scale.of[3]};
    }
};

/// `rows` rows by one panel, whose elements are unpacked on the way.
template <class Words, size_t rows>
void fused_tile(size_t k, const bfloat16_bits* a, size_t stride_a, const void* codes,
                const float* scales, bool add, float* c, size_t stride_c) {
    const Words read;
    const auto* from = static_cast<const uint8_t*>(codes);
    floats sums[rows][2]{};
    for (size_t p = 0; p < k; p += Words::block, scales += tile_columns) {
        const pair_scales scale(scales);
        const size_t end = k - p < Words::block ? k : p + Words::block;
        for (size_t i = p; i < end; i += Words::inputs, from += sizeof(uints)) {
            __builtin_prefetch(from + bytes_ahead);
            uints words;
            __builtin_memcpy(&words, from, sizeof words);
#pragma GCC unroll 2
            for (size_t pair = 0; pair < Words::inputs / 2; ++pair) {
                const operands b = read.pair(words, pair, scale);
#pragma GCC unroll 8
                for (size_t row = 0; row < rows; ++row) {
                    const __m512bh word =
                        bfloat16_terms::word(a + row * stride_a + i + 2 * pair, 2);
                    sums[row][0] = _mm512_dpbf16_ps(sums[row][0], word, b.left);
                    sums[row][1] = _mm512_dpbf16_ps(sums[row][1], word, b.right);
                }
            }
        }
    }
#pragma GCC unroll 8
    for (size_t row = 0; row < rows; ++row, c += stride_c) {
        if (add) {
            sums[row][0] += load(c);
            sums[row][1] += load(c + lanes);
        }
        store(sums[row][0], c);
        store(sums[row][1], c + lanes);
    }
}

/// The same for a number of rows, at most `rows`, that is known only at run time.
template <class Words, size_t rows>
void fused_tile_up_to(row_product_size size, const bfloat16_bits* a, size_t stride_a,
                      const void* codes, const float* scales, product_mode mode, float* c,
                      size_t stride_c) {
    if (size.m == rows) {
        fused_tile<Words, rows>(size.k, a, stride_a, codes, scales, mode == product_mode::add, c,
                                stride_c);
    } else if constexpr (rows > 1) {
        fused_tile_up_to<Words, rows - 1>(size, a, stride_a, codes, scales, mode, c, stride_c);
    }
}

}  // namespace quantised
}  // namespace

void nf4_product(row_product_size size, const bfloat16_bits* a, size_t stride_a,
                 const uint8_t* panel, size_t first, const float* scales, product_mode mode,
                 float* c, size_t stride_c) {
    quantised::fused_tile_up_to<quantised::nf4_words, fused_rows>(
        size, a, stride_a, panel + first / 4 * sizeof(uints), scales, mode, c, stride_c);
}

void int8_product(row_product_size size, const bfloat16_bits* a, size_t stride_a,
                  const int8_t* panel, size_t first, const float* scales, product_mode mode,
                  float* c, size_t stride_c) {
    quantised::fused_tile_up_to<quantised::int8_words, fused_rows>(
        size, a, stride_a, panel + first / 2 * sizeof(uints), scales, mode, c, stride_c);
}

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
