#include "cuset/model/target_log_probability.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "cuset/model/device_kernels.h"
#include "cuset/model/float_product.h"
#include "head_tile.h"

namespace cuset {

namespace {

/// 1 MB of logits, which stays in a core's cache. The rows are enough work for MKL's or our own
/// packing of a tile's weights.
constexpr std::int64_t tile_rows = 512, tile_tokens = 512;
/// A thread's rows, at least, since every thread packs all weights.
constexpr std::int64_t least_rows = 128;

/// Bytes of logits in a strip of whole rows.
constexpr std::int64_t strip_bytes = std::int64_t{256} << 20;

template <class Element>
void run(const at::Tensor& hidden, const at::Tensor& head, const std::int32_t* targets,
         kernels::token_loss_state* states) {
    const auto* x = static_cast<const Element*>(hidden.const_data_ptr());
    const auto* w = static_cast<const Element*>(head.const_data_ptr());
    const std::int64_t k = head.size(1), vocabulary = head.size(0);
    at::parallel_for(0, hidden.size(0), least_rows, [&](std::int64_t begin, std::int64_t end) {
        const single_threaded_products alone;
        const std::int64_t length = std::min(tile_rows, end - begin);
        std::vector<float> logits(
            static_cast<std::size_t>(length * std::min(tile_tokens, vocabulary)));
        std::vector<Element> packed;
        if (takes_packed_matrices<Element>())
            packed.resize(static_cast<std::size_t>(packed_elements(tile_tokens, k)));
        // All of a thread's rows use a tile's weights in turn, while a cache holds them.
        for (std::int64_t token = 0; token < vocabulary; token += tile_tokens) {
            const std::int64_t tokens = std::min(tile_tokens, vocabulary - token);
            product_operand<Element> tile{w + token * k, k};
            if (!packed.empty()) {
                pack_outputs(matrix_rows::outputs, 0, tokens, k, tile.data, k, packed.data());
                tile = packed_operand<Element>(packed.data(), k);
            }
            for (std::int64_t first = begin; first < end; first += length) {
                const std::int64_t count = std::min(length, end - first);
                add_head_tile({count, tokens, k}, x + first * k, tile, token, targets + first,
                              logits.data(), states + first);
            }
        }
    });
}

}  // namespace

void target_log_probabilities(const at::Tensor& hidden, const at::Tensor& head,
                              const at::Tensor& targets, const at::Tensor& log_probability) {
    if (!head.is_cpu()) return log_probabilities_by_strips(hidden, head, targets, log_probability);
    const at::NoGradGuard plain;
    const at::ScalarType type = head.scalar_type();
    TORCH_CHECK(head.is_contiguous() && hidden.is_cpu() &&
                    (type == at::kFloat || type == at::kBFloat16) && hidden.size(1) == head.size(1),
                "target_log_probabilities: invalid hidden states or head");
    const at::Tensor x = hidden.to(type).contiguous();
    const auto* tokens = targets.const_data_ptr<std::int32_t>();
    std::vector<kernels::token_loss_state> states(static_cast<std::size_t>(x.size(0)),
                                                  kernels::empty_token_loss);
    if (type == at::kBFloat16)
        run<kernels::bfloat16_bits>(x, head, tokens, states.data());
    else
        run<float>(x, head, tokens, states.data());
    kernels::token_loss_finish(states.data(), states.size(), log_probability.data_ptr<float>());
}

void log_probabilities_by_strips(const at::Tensor& hidden, const at::Tensor& head,
                                 const at::Tensor& targets, const at::Tensor& log_probability) {
    const std::int64_t rows = hidden.size(0), vocabulary = head.size(0);
    const std::int64_t strip = std::max<std::int64_t>(
        1, strip_bytes / (vocabulary * static_cast<std::int64_t>(sizeof(float))));
    for (std::int64_t first = 0; first < rows; first += strip) {
        const std::int64_t count = std::min(strip, rows - first);
        const at::Tensor logits = float_product(hidden.narrow(0, first, count), head, true);
        kernels::token_loss_rows part;
        part.logits = logits.const_data_ptr();
        part.rows = static_cast<std::size_t>(count);
        part.vocabulary = part.stride = static_cast<std::size_t>(vocabulary);
        part.targets = targets.const_data_ptr<std::int32_t>() + first;
        part.log_probability = log_probability.data_ptr<float>() + first;
        token_loss(part, head.device());
    }
}

}  // namespace cuset
