// Chooses a version of the CPU kernels. This file is compiled for the baseline processor.
#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <atomic>
#include <cmath>

#include "adamw_loops.h"
#include "cuset/kernels/decoder_rows.h"
#include "cuset/kernels/instruction_set.h"
#include "cuset/kernels/packed_products.h"
#include "cuset/kernels/row_products.h"
#include "cuset/kernels/token_loss.h"

namespace cuset::kernels {

namespace portable {
extern const adamw_loops updates;
extern const decoder_row_table rows;
extern const token_loss_table losses;
extern const row_product_table products;
extern const packed_product_table packed_products;
}  // namespace portable
#if defined(__x86_64__)
namespace avx2 {
extern const adamw_loops updates;
extern const decoder_row_table rows;
extern const token_loss_table losses;
extern const row_product_table products;
extern const packed_product_table packed_products;
}  // namespace avx2
namespace avx512 {
extern const adamw_loops updates;
extern const decoder_row_table rows;
extern const token_loss_table losses;
extern const row_product_table products;
extern const packed_product_table packed_products;
}  // namespace avx512
namespace amx {
void bfloat16_product(row_product_size size, const bfloat16_bits* a, std::size_t stride_a,
                      const bfloat16_bits* packed, std::size_t stride_packed, product_mode mode,
                      float* c, std::size_t stride_c);
}  // namespace amx

namespace {

/// Whether the processor has AMX-BF16, and the kernel, which keeps the tiles' 8 KB of a thread only
/// for processes that ask for it, agrees. All threads of the process may use them then.
bool may_use_tiles() {
    constexpr unsigned leaf = 7, tile = 1U << 24U, bfloat16 = 1U << 22U;
    constexpr long ask = 0x1023, tile_data = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid_count(leaf, 0, &a, &b, &c, &d) == 0) return false;
    return (d & tile) != 0 && (d & bfloat16) != 0 && syscall(SYS_arch_prctl, ask, tile_data) == 0;
}

}  // namespace
#endif

bool is_available(instruction_set set) {
#if defined(__x86_64__)
    switch (set) {
        case instruction_set::portable: return true;
        case instruction_set::avx2:
            return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
        case instruction_set::avx512:
            return __builtin_cpu_supports("avx512f") != 0 &&
                   __builtin_cpu_supports("avx512bw") != 0 &&
                   __builtin_cpu_supports("avx512dq") != 0 &&
                   __builtin_cpu_supports("avx512vl") != 0 && is_available(instruction_set::avx2);
        case instruction_set::avx512_bf16:
            return __builtin_cpu_supports("avx512bf16") != 0 &&
                   is_available(instruction_set::avx512);
        case instruction_set::amx:
            // Every processor with AMX-BF16 has AVX512-BF16 too.
            static const bool tiles = may_use_tiles();
            return tiles && is_available(instruction_set::avx512_bf16);
    }
    return false;
#else
    return set == instruction_set::portable;
#endif
}

namespace {
std::atomic<int> chosen_set{-1};
}  // namespace

instruction_set active_instruction_set() {
    static const instruction_set active =
        chosen_set >= 0                      ? static_cast<instruction_set>(chosen_set.load())
        : is_available(instruction_set::amx) ? instruction_set::amx
        : is_available(instruction_set::avx512_bf16) ? instruction_set::avx512_bf16
        : is_available(instruction_set::avx512)      ? instruction_set::avx512
        : is_available(instruction_set::avx2)        ? instruction_set::avx2
                                                     : instruction_set::portable;
    return active;
}

bool choose_instruction_set(instruction_set set) {
    chosen_set = static_cast<int>(set);
    return active_instruction_set() == set;
}

const char* name_of(instruction_set set) {
    switch (set) {
        case instruction_set::portable: return "portable";
        case instruction_set::avx2: return "avx2";
        case instruction_set::avx512: return "avx512";
        case instruction_set::avx512_bf16: return "avx512_bf16";
        case instruction_set::amx: return "amx";
    }
    return "unknown";
}

const decoder_row_table& decoder_rows(instruction_set set) {
#if defined(__x86_64__)
    if (set >= instruction_set::avx512) return avx512::rows;
    if (set == instruction_set::avx2) return avx2::rows;
#endif
    static_cast<void>(set);
    return portable::rows;
}

namespace {
const decoder_row_table& active() {
    static const decoder_row_table& table = decoder_rows(active_instruction_set());
    return table;
}
}  // namespace

void widen(const bfloat16_bits* from, std::size_t count, float* to) {
    active().widen_bfloat16(from, count, to);
}
void widen(const float16_bits* from, std::size_t count, float* to) {
    active().widen_float16(from, count, to);
}
void narrow(const float* from, std::size_t count, bfloat16_bits* to) {
    active().narrow(from, count, to);
}
void rms_norm(const float* x, const float* weight, float epsilon, std::size_t rows,
              std::size_t width, float* y) {
    active().rms_norm(x, weight, epsilon, rows, width, y);
}
void rms_norm(const float* x, const float* weight, float epsilon, std::size_t rows,
              std::size_t width, bfloat16_bits* y) {
    active().rms_norm_bfloat16(x, weight, epsilon, rows, width, y);
}
void rotate(const float* x, const float* cosine, const float* sine, std::size_t width, float* y) {
    active().rotate(x, cosine, sine, width, y);
}
void rotate(const float* x, const float* cosine, const float* sine, std::size_t width,
            bfloat16_bits* y) {
    active().rotate_bfloat16(x, cosine, sine, width, y);
}
void swiglu(const float* gate, const float* up, std::size_t count, float* y) {
    active().swiglu(gate, up, count, y);
}
void swiglu(const float* gate, const float* up, std::size_t count, bfloat16_bits* y) {
    active().swiglu_bfloat16(gate, up, count, y);
}
float softmax(float* x, float scale, std::size_t valid, std::size_t width, float* y) {
    return active().softmax(x, scale, valid, width, y);
}
float softmax(float* x, float scale, std::size_t valid, std::size_t width, bfloat16_bits* y) {
    return active().softmax_bfloat16(x, scale, valid, width, y);
}
void attention_gradient(const float* s, const float* dp, const float* log_sum, const float* mean,
                        float scale, std::size_t hidden, std::size_t count, float* p, float* ds) {
    active().attention_gradient(s, dp, log_sum, mean, scale, hidden, count, p, ds);
}
void attention_gradient(const float* s, const float* dp, const float* log_sum, const float* mean,
                        float scale, std::size_t hidden, std::size_t count, bfloat16_bits* p,
                        bfloat16_bits* ds) {
    active().attention_gradient_bfloat16(s, dp, log_sum, mean, scale, hidden, count, p, ds);
}
void add(const float* x, std::size_t count, float* y) { active().add(x, count, y); }
void dropout(const float* x, std::uint64_t key, std::uint32_t first, std::size_t count,
             std::uint32_t threshold, float scale, float* y) {
    active().dropout(x, key, first, count, threshold, scale, y);
}
void add_dropout(const float* x, std::uint64_t key, std::uint32_t first, std::size_t count,
                 std::uint32_t threshold, float scale, float* y) {
    active().add_dropout(x, key, first, count, threshold, scale, y);
}
void rms_norm_gradient(const float* x, const float* weight, float epsilon, const float* dy,
                       std::size_t rows, std::size_t width, float* dx) {
    active().rms_norm_gradient(x, weight, epsilon, dy, rows, width, dx);
}
void swiglu_gradient(const float* gate, const float* up, const float* dy, std::size_t count,
                     float* d_gate, float* d_up) {
    active().swiglu_gradient(gate, up, dy, count, d_gate, d_up);
}

const token_loss_table& token_losses(instruction_set set) {
#if defined(__x86_64__)
    if (set >= instruction_set::avx512) return avx512::losses;
    if (set == instruction_set::avx2) return avx2::losses;
#endif
    static_cast<void>(set);
    return portable::losses;
}

namespace {
const token_loss_table& active_losses() {
    static const token_loss_table& table = token_losses(active_instruction_set());
    return table;
}
}  // namespace

void token_loss_strip(const float* logits, std::size_t rows, std::size_t width, std::size_t stride,
                      std::int32_t first_token, const std::int32_t* targets,
                      token_loss_state* states) {
    active_losses().strip(logits, rows, width, stride, first_token, targets, states);
}

void token_loss_gradient(float* logits, std::size_t rows, std::size_t width, std::size_t stride,
                         const std::int32_t* targets, token_loss_state* states) {
    active_losses().gradient(logits, rows, width, stride, targets, states);
}

void top_entropy(const float* logits, std::size_t rows, std::size_t width, std::size_t stride,
                 float* entropy) {
    for (std::size_t row = 0; row < rows; ++row) {
        float top[top_entropy_tokens];
        active_losses().top_tokens(logits + row * stride, 1, width, stride, top);
        double sum = 0, weighted = 0;  // of e^(x - first) and of (x - first) · e^(x - first)
        for (const float x : top) {
            if (x == -INFINITY) break;
            const double below = static_cast<double>(x) - static_cast<double>(top[0]);
            sum += std::exp(below);
            weighted += below * std::exp(below);
        }
        entropy[row] = static_cast<float>(std::log(sum) - weighted / sum);
    }
}

void token_loss_finish(const token_loss_state* states, std::size_t rows, float* log_probability) {
    for (std::size_t row = 0; row < rows; ++row) {
        const token_loss_state& state = states[row];
        // sum is 0 only if every logit was -inf; log(0) would turn -inf - -inf into a number
        // instead of NaN.
        const float value = state.target_logit - state.maximum - std::log(state.sum);
        log_probability[row] = state.sum == 0.0F ? NAN : (value > 0.0F ? 0.0F : value);
    }
}

const adamw_loops& adamw_loops_of(instruction_set set) {
#if defined(__x86_64__)
    if (set >= instruction_set::avx512) return avx512::updates;
    if (set == instruction_set::avx2) return avx2::updates;
#endif
    static_cast<void>(set);
    return portable::updates;
}

const row_product_table& row_product_kernels(instruction_set set) {
#if defined(__x86_64__)
    if (set >= instruction_set::avx512) return avx512::products;
    if (set == instruction_set::avx2) return avx2::products;
#endif
    static_cast<void>(set);
    return portable::products;
}

namespace {
const row_product_table& active_products() {
    static const row_product_table& table = row_product_kernels(active_instruction_set());
    return table;
}
}  // namespace

void row_products(row_product_size size, const float* x, std::size_t stride_x, const float* w,
                  std::size_t stride_w, product_mode mode, float* y, std::size_t stride_y) {
    active_products().product(size, x, stride_x, w, stride_w, mode, y, stride_y);
}
void weighted_rows(row_product_size size, const float* p, std::size_t stride_p, const float* v,
                   std::size_t stride_v, product_mode mode, float* y, std::size_t stride_y) {
    active_products().weighted(size, p, stride_p, v, stride_v, mode, y, stride_y);
}

#if defined(__x86_64__)
namespace {
/// The table of avx512 without its products of bfloat16, which that set's processors need not have.
const packed_product_table& avx512_products() {
    static const packed_product_table table = [] {
        packed_product_table without = avx512::packed_products;
        without.product_bfloat16 = nullptr;
        return without;
    }();
    return table;
}
/// The packed form is the avx512 set's.
const packed_product_table& amx_products() {
    static const packed_product_table table = [] {
        packed_product_table with_tiles = avx512::packed_products;
        with_tiles.rows_bfloat16 = 32;  // two tiles
        with_tiles.product_bfloat16 = amx::bfloat16_product;
        return with_tiles;
    }();
    return table;
}
}  // namespace
#endif

const packed_product_table& packed_product_kernels(instruction_set set) {
#if defined(__x86_64__)
    if (set == instruction_set::amx) return amx_products();
    if (set == instruction_set::avx512_bf16) return avx512::packed_products;
    if (set == instruction_set::avx512) return avx512_products();
    if (set == instruction_set::avx2) return avx2::packed_products;
#endif
    static_cast<void>(set);
    return portable::packed_products;
}

namespace {
const packed_product_table& active_packed() {
    static const packed_product_table& table = packed_product_kernels(active_instruction_set());
    return table;
}
}  // namespace

bool has_bfloat16_products() { return active_packed().product_bfloat16 != nullptr; }

std::size_t panel_columns() { return active_packed().panel_columns; }

std::size_t panel_stride(std::size_t k) { return (k + 1) / 2 * 2 * panel_columns(); }

std::size_t packed_elements(std::size_t n, std::size_t k) {
    const std::size_t columns = panel_columns();
    return (n + columns - 1) / columns * panel_stride(k);
}

void pack(matrix_rows rows, std::size_t n, std::size_t k, const float* b, std::size_t stride,
          float* to) {
    active_packed().pack_float(rows, n, k, b, stride, to);
}
void pack(matrix_rows rows, std::size_t n, std::size_t k, const bfloat16_bits* b,
          std::size_t stride, float* to) {
    active_packed().pack_widened(rows, n, k, b, stride, to);
}
void pack(matrix_rows rows, std::size_t n, std::size_t k, const float16_bits* b, std::size_t stride,
          float* to) {
    active_packed().pack_float16(rows, n, k, b, stride, to);
}
void pack(matrix_rows rows, std::size_t n, std::size_t k, const bfloat16_bits* b,
          std::size_t stride, bfloat16_bits* to) {
    active_packed().pack_bfloat16(rows, n, k, b, stride, to);
}
void pack(matrix_rows rows, std::size_t n, std::size_t k, const float* b, std::size_t stride,
          bfloat16_bits* to) {
    active_packed().pack_narrowed(rows, n, k, b, stride, to);
}
void pack(matrix_rows rows, std::size_t n, std::size_t k, const float16_bits* b, std::size_t stride,
          float16_bits* to) {
    active_packed().pack_halves(rows, n, k, b, stride, to);
}

namespace {

/// Calls some(first, count, elements) for all inputs of output `n`. 16-bit elements stand in pairs
/// of two inputs.
template <class Element, class Some>
void for_inputs(std::size_t n, std::size_t k, const Element* packed, const Some& some) {
    constexpr std::size_t depth = sizeof(float) / sizeof(Element), block = 512;
    const std::size_t columns = panel_columns();
    const Element* from = packed + n / columns * panel_stride(k) + n % columns * depth;
    Element elements[block];
    for (std::size_t first = 0; first < k; first += block) {
        const std::size_t count = std::min(block, k - first);
        for (std::size_t i = 0; i < count; ++i)
            elements[i] = from[(first + i) / depth * depth * columns + i % depth];
        some(first, count, elements);
    }
}

}  // namespace

void unpack_output(std::size_t n, std::size_t k, const float* packed, float* to) {
    for_inputs(n, k, packed, [&](std::size_t first, std::size_t count, const float* elements) {
        std::copy_n(elements, count, to + first);
    });
}
void unpack_output(std::size_t n, std::size_t k, const bfloat16_bits* packed, float* to) {
    for_inputs(n, k, packed, [&](std::size_t first, std::size_t count, const auto* elements) {
        widen(elements, count, to + first);
    });
}
void unpack_output(std::size_t n, std::size_t k, const float16_bits* packed, float* to) {
    for_inputs(n, k, packed, [&](std::size_t first, std::size_t count, const auto* elements) {
        widen(elements, count, to + first);
    });
}

void packed_product(row_product_size size, const float* a, std::size_t stride_a,
                    const float* packed, std::size_t stride_packed, product_mode mode, float* c,
                    std::size_t stride_c) {
    active_packed().product(size, a, stride_a, packed, stride_packed, mode, c, stride_c);
}
void packed_product(row_product_size size, const bfloat16_bits* a, std::size_t stride_a,
                    const bfloat16_bits* packed, std::size_t stride_packed, product_mode mode,
                    float* c, std::size_t stride_c) {
    active_packed().product_bfloat16(size, a, stride_a, packed, stride_packed, mode, c, stride_c);
}
void packed_product(row_product_size size, const float* a, std::size_t stride_a,
                    const bfloat16_bits* packed, std::size_t stride_packed, product_mode mode,
                    float* c, std::size_t stride_c) {
    active_packed().product_widened(size, a, stride_a, packed, stride_packed, mode, c, stride_c);
}
void packed_product(row_product_size size, const float* a, std::size_t stride_a,
                    const float16_bits* packed, std::size_t stride_packed, product_mode mode,
                    float* c, std::size_t stride_c) {
    active_packed().product_halves(size, a, stride_a, packed, stride_packed, mode, c, stride_c);
}

}  // namespace cuset::kernels
