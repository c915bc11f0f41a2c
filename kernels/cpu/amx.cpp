// Products by AMX-BF16. One instruction multiplies a tile of A (16 rows, 32 inputs) by a tile of B
// (32 inputs, 16 outputs) and adds to a tile of C. A packed panel is two rows of B's tiles as it
// stands: the two inputs of a pair side by side, the pairs of 32 outputs one after another.
#if defined(__AMX_BF16__)
#include <immintrin.h>

#include <cstdint>
#include <cstring>

#include "cuset/kernels/packed_products.h"

namespace cuset::kernels::amx {

/// The panels are those of the avx512 version.
constexpr std::size_t panel_outputs = 32;

namespace {

constexpr std::size_t tile_rows = 16, tile_outputs = 16, tile_inputs = 32;

/// Rows of A that pass by one panel after another while their inputs stay in a core's cache.
constexpr std::size_t block_rows = 96;

/// Inputs that are summed in registers before C is stored, as in packed_tiles.inc.
constexpr std::size_t block_inputs = 1024;

/// Makes the compiler finish its stores: GCC's intrinsics do not say that they read memory.
inline void finish_writes() { asm volatile("" ::: "memory"); }

/// Not std::min: an inline function of the standard library that is compiled here could be the one
/// that other processors run.
inline std::size_t smaller(std::size_t a, std::size_t b) { return a < b ? a : b; }

struct alignas(64) tile_configuration {
    std::uint8_t palette = 1;
    std::uint8_t start = 0;
    std::uint8_t reserved[14]{};
    std::uint16_t row_bytes[16]{};
    std::uint8_t rows[16]{};
};

/// C's tiles are 0 and 1 (upper rows), 2 and 3 (lower); A's are 4 and 5, B's 6 and 7.
void configure_tiles(std::size_t upper, std::size_t lower) {
    tile_configuration configuration;
    const std::size_t rows[] = {upper, upper, lower, lower, upper, lower, 16, 16};
    for (std::size_t tile = 0; tile < 8; ++tile) {
        configuration.rows[tile] = static_cast<std::uint8_t>(rows[tile]);
        configuration.row_bytes[tile] = rows[tile] == 0 ? 0 : 64;
    }
    finish_writes();
    _tile_loadconfig(&configuration);
}

/// Rows of A, and their last inputs filled up with zeros to a tile's width.
struct row_block {
    const bfloat16_bits* a;
    std::size_t stride;
    const bfloat16_bits* tail;

    row_block from_row(std::size_t row) const {
        return {a + row * stride, stride, tail == nullptr ? tail : tail + row * tile_inputs};
    }
};

/// The first `count` inputs of each row, and zeros up to a tile's width.
void copy_tail(std::size_t rows, std::size_t count, const bfloat16_bits* a, std::size_t stride,
               bfloat16_bits* to) {
    const __mmask32 inputs = (1U << count) - 1;
    for (std::size_t row = 0; row < rows; ++row) {
        const __m512i line = _mm512_maskz_loadu_epi16(inputs, a + row * stride);
        _mm512_storeu_si512(to + row * tile_inputs, line);
    }
}

/// The first `count` inputs of a panel, and zeros for those that a tile has more.
void copy_panel_tail(std::size_t count, const bfloat16_bits* panel, bfloat16_bits* to) {
    constexpr std::size_t line = 32, lines_of_pair = 2 * panel_outputs / line;  // of 64 bytes
    const std::size_t lines = (count + 1) / 2 * lines_of_pair;
    for (std::size_t i = 0; i < tile_inputs / 2 * lines_of_pair; ++i) {
        const __m512i values =
            i < lines ? _mm512_loadu_si512(panel + i * line) : _mm512_setzero_si512();
        _mm512_storeu_si512(to + i * line, values);
    }
}

template <bool lower>
inline void add_products(const bfloat16_bits* a, std::size_t stride, const bfloat16_bits* panel) {
    const std::size_t bytes = stride * sizeof *a;
    constexpr std::size_t panel_bytes = 2 * panel_outputs * sizeof *panel;
    _tile_loadd(6, panel, panel_bytes);
    _tile_loadd(7, panel + 2 * tile_outputs, panel_bytes);
    _tile_loadd(4, a, bytes);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    if constexpr (lower) {
        _tile_loadd(5, a + tile_rows * stride, bytes);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
    }
}

/// c (+)= a · panel: `whole` inputs, a multiple of tile_inputs, and those of the tails. A call
/// would pass `rows` in memory, and wait there for the stores of the tiles before.
template <bool lower>
__attribute__((always_inline)) inline void tiles(std::size_t whole, row_block rows,
                                                 const bfloat16_bits* panel,
                                                 const bfloat16_bits* panel_tail, bool add,
                                                 float* c, std::size_t stride_c) {
    const std::size_t bytes = stride_c * sizeof *c;
    float* const c_lower = c + tile_rows * stride_c;
    if (add) {
        _tile_loadd(0, c, bytes);
        _tile_loadd(1, c + tile_outputs, bytes);
        if constexpr (lower) {
            _tile_loadd(2, c_lower, bytes);
            _tile_loadd(3, c_lower + tile_outputs, bytes);
        }
    } else {
        _tile_zero(0);
        _tile_zero(1);
        if constexpr (lower) {
            _tile_zero(2);
            _tile_zero(3);
        }
    }
    for (std::size_t p = 0; p < whole; p += tile_inputs)
        add_products<lower>(rows.a + p, rows.stride, panel + p * panel_outputs);
    if (rows.tail != nullptr) add_products<lower>(rows.tail, tile_inputs, panel_tail);
    _tile_stored(0, c, bytes);
    _tile_stored(1, c + tile_outputs, bytes);
    if constexpr (lower) {
        _tile_stored(2, c_lower, bytes);
        _tile_stored(3, c_lower + tile_outputs, bytes);
    }
}

/// Outputs of which only the first `columns` exist.
template <bool lower>
void partial_tiles(std::size_t m, std::size_t columns, std::size_t whole, row_block rows,
                   const bfloat16_bits* panel, const bfloat16_bits* panel_tail, bool add, float* c,
                   std::size_t stride_c) {
    float all[2 * tile_rows * panel_outputs];
    for (std::size_t i = 0; add && i < m; ++i)
        std::memcpy(all + i * panel_outputs, c + i * stride_c, columns * sizeof *c);
    finish_writes();
    tiles<lower>(whole, rows, panel, panel_tail, add, all, panel_outputs);
    for (std::size_t i = 0; i < m; ++i)
        std::memcpy(c + i * stride_c, all + i * panel_outputs, columns * sizeof *c);
}

/// The product of rows in groups that all fit the tiles' configuration: `group` at a time.
template <bool lower>
void product_of_rows(std::size_t group, row_product_size size, const bfloat16_bits* a,
                     std::size_t stride_a, const bfloat16_bits* packed, std::size_t stride_packed,
                     product_mode mode, float* c, std::size_t stride_c) {
    bfloat16_bits tail[block_rows * tile_inputs], panel_tail[tile_inputs * panel_outputs];
    for (std::size_t p = 0; p < size.k || p == 0; p += block_inputs) {
        const std::size_t k = smaller(size.k - p, block_inputs);
        const std::size_t rest = k % tile_inputs, whole = k - rest;
        const bool add = mode == product_mode::add || p > 0;
        for (std::size_t i = 0; i < size.m; i += block_rows) {
            const std::size_t rows = smaller(size.m - i, block_rows);
            row_block block{a + i * stride_a + p, stride_a, rest == 0 ? nullptr : tail};
            if (rest != 0) copy_tail(rows, rest, block.a + whole, stride_a, tail);
            for (std::size_t j = 0; j < size.n; j += panel_outputs) {
                const bfloat16_bits* panel =
                    packed + j / panel_outputs * stride_packed + p * panel_outputs;
                if (rest != 0) {
                    copy_panel_tail(rest, panel + whole * panel_outputs, panel_tail);
                    finish_writes();
                }
                const std::size_t columns = smaller(size.n - j, panel_outputs);
                for (std::size_t r = 0; r < rows; r += group) {
                    float* to = c + (i + r) * stride_c + j;
                    if (columns == panel_outputs) {
                        tiles<lower>(whole, block.from_row(r), panel, panel_tail, add, to,
                                     stride_c);
                    } else {
                        partial_tiles<lower>(group, columns, whole, block.from_row(r), panel,
                                             panel_tail, add, to, stride_c);
                    }
                }
            }
        }
    }
}

}  // namespace

void bfloat16_product(row_product_size size, const bfloat16_bits* a, std::size_t stride_a,
                      const bfloat16_bits* packed, std::size_t stride_packed, product_mode mode,
                      float* c, std::size_t stride_c) {
    const std::size_t rest = size.m % (2 * tile_rows), whole = size.m - rest;
    if (whole > 0) {
        configure_tiles(tile_rows, tile_rows);
        product_of_rows<true>(2 * tile_rows, {whole, size.n, size.k}, a, stride_a, packed,
                              stride_packed, mode, c, stride_c);
    }
    if (rest > 0) {
        const row_product_size last{rest, size.n, size.k};
        const bfloat16_bits* from = a + whole * stride_a;
        float* to = c + whole * stride_c;
        configure_tiles(smaller(rest, tile_rows), rest > tile_rows ? rest - tile_rows : 0);
        if (rest > tile_rows) {
            product_of_rows<true>(rest, last, from, stride_a, packed, stride_packed, mode, to,
                                  stride_c);
        } else {
            product_of_rows<false>(rest, last, from, stride_a, packed, stride_packed, mode, to,
                                   stride_c);
        }
    }
    _tile_release();
}

}  // namespace cuset::kernels::amx
#endif
