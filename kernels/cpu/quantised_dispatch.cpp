// Chooses a version of the kernels of quantised panels. This file is compiled for the baseline
// processor.
#include "cuset/kernels/quantised_panels.h"

namespace cuset::kernels {

namespace portable {
extern const quantised_panel_table quantised_panels;
}
#if defined(__x86_64__)
namespace avx2 {
extern const quantised_panel_table quantised_panels;
}
namespace avx512 {
extern const quantised_panel_table quantised_panels;
/// In avx512_bfloat16.cpp.
void nf4_to_bfloat16(const std::uint8_t* panel, std::size_t first, std::size_t count,
                     const float* scales, bfloat16_bits* to);
void int8_to_bfloat16(const std::int8_t* panel, std::size_t first, std::size_t count,
                      const float* scales, bfloat16_bits* to);
void nf4_product(row_product_size size, const bfloat16_bits* a, std::size_t stride_a,
                 const std::uint8_t* panel, std::size_t first, const float* scales,
                 product_mode mode, float* c, std::size_t stride_c);
void int8_product(row_product_size size, const bfloat16_bits* a, std::size_t stride_a,
                  const std::int8_t* panel, std::size_t first, const float* scales,
                  product_mode mode, float* c, std::size_t stride_c);
}  // namespace avx512
#endif

namespace {

#if defined(__x86_64__)
const quantised_panel_table& avx512_bfloat16_panels() {
    static const quantised_panel_table table = [] {
        quantised_panel_table with_rounding = avx512::quantised_panels;
        with_rounding.nf4_to_bfloat16 = avx512::nf4_to_bfloat16;
        with_rounding.int8_to_bfloat16 = avx512::int8_to_bfloat16;
        with_rounding.nf4_product = avx512::nf4_product;
        with_rounding.int8_product = avx512::int8_product;
        return with_rounding;
    }();
    return table;
}
/// AMX's products of unpacked panels sum in another order than the fused ones.
const quantised_panel_table& amx_panels() {
    static const quantised_panel_table table = [] {
        quantised_panel_table unpacking = avx512_bfloat16_panels();
        unpacking.nf4_product = nullptr;
        unpacking.int8_product = nullptr;
        return unpacking;
    }();
    return table;
}
#endif

const quantised_panel_table& active() {
    static const quantised_panel_table& table = quantised_panel_kernels(active_instruction_set());
    return table;
}

}  // namespace

const quantised_panel_table& quantised_panel_kernels(instruction_set set) {
#if defined(__x86_64__)
    if (set == instruction_set::amx) return amx_panels();
    if (set == instruction_set::avx512_bf16) return avx512_bfloat16_panels();
    if (set == instruction_set::avx512) return avx512::quantised_panels;
    if (set == instruction_set::avx2) return avx2::quantised_panels;
#endif
    static_cast<void>(set);
    return portable::quantised_panels;
}

fused_product<std::uint8_t> nf4_product() { return active().nf4_product; }
fused_product<std::int8_t> int8_product() { return active().int8_product; }

std::size_t nf4_panel_bytes(std::size_t k) { return (k + 3) / 4 * 2 * active().panel_columns; }

std::size_t int8_panel_bytes(std::size_t k) { return (k + 1) / 2 * 2 * active().panel_columns; }

void pack_nf4(std::size_t outputs, std::size_t k, const std::uint8_t* codes, std::size_t stride,
              std::uint8_t* to) {
    active().pack_nf4(outputs, k, codes, stride, to);
}
void pack_int8(std::size_t outputs, std::size_t k, const std::int8_t* codes, std::size_t stride,
               std::int8_t* to) {
    active().pack_int8(outputs, k, codes, stride, to);
}
void unpack_nf4(const std::uint8_t* panel, std::size_t first, std::size_t count,
                const float* scales, bfloat16_bits* to) {
    active().nf4_to_bfloat16(panel, first, count, scales, to);
}
void unpack_nf4(const std::uint8_t* panel, std::size_t first, std::size_t count,
                const float* scales, bool round, float* to) {
    active().nf4_to_float(panel, first, count, scales, round, to);
}
void unpack_int8(const std::int8_t* panel, std::size_t first, std::size_t count,
                 const float* scales, bfloat16_bits* to) {
    active().int8_to_bfloat16(panel, first, count, scales, to);
}
void unpack_int8(const std::int8_t* panel, std::size_t first, std::size_t count,
                 const float* scales, bool round, float* to) {
    active().int8_to_float(panel, first, count, scales, round, to);
}

}  // namespace cuset::kernels
