#include "cuset/model/target_log_probability.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "head_tile.h"

namespace cuset {

namespace {

/// 1 MB of logits, which stays in a core's cache. The rows are enough for MKL, which widens
/// bfloat16 if the processor cannot multiply it, to do that for much work.
constexpr std::int64_t tile_rows = 512, tile_tokens = 512;

template <class Element>
void run(const at::Tensor& hidden, const at::Tensor& head, const std::int32_t* targets,
         kernels::token_loss_state* states) {
    const auto* x = static_cast<const Element*>(hidden.const_data_ptr());
    const auto* w = static_cast<const Element*>(head.const_data_ptr());
    const std::int64_t k = head.size(1), vocabulary = head.size(0);
    at::parallel_for(0, hidden.size(0), 1, [&](std::int64_t begin, std::int64_t end) {
        const single_threaded_products alone;
        const std::int64_t length = std::min(tile_rows, end - begin);
        std::vector<float> logits(
            static_cast<std::size_t>(length * std::min(tile_tokens, vocabulary)));
        // A thread's rows pass a tile's weights in turn, while a cache holds them.
        for (std::int64_t token = 0; token < vocabulary; token += tile_tokens) {
            const std::int64_t tokens = std::min(tile_tokens, vocabulary - token);
            for (std::int64_t first = begin; first < end; first += length) {
                const std::int64_t count = std::min(length, end - first);
                add_head_tile({count, tokens, k}, x + first * k, w + token * k, k, token,
                              targets + first, logits.data(), states + first);
            }
        }
    });
}

}  // namespace

void target_log_probabilities(const at::Tensor& hidden, const at::Tensor& head,
                              const std::int32_t* targets, float* log_probability) {
    const at::NoGradGuard plain;
    const at::ScalarType type = head.scalar_type();
    TORCH_CHECK(head.is_contiguous() && head.is_cpu() && hidden.is_cpu() &&
                    (type == at::kFloat || type == at::kBFloat16) && hidden.size(1) == head.size(1),
                "target_log_probabilities: invalid hidden states or head");
    const at::Tensor x = hidden.to(type).contiguous();
    std::vector<kernels::token_loss_state> states(static_cast<std::size_t>(x.size(0)),
                                                  kernels::empty_token_loss);
    if (type == at::kBFloat16)
        run<kernels::bfloat16_bits>(x, head, targets, states.data());
    else
        run<float>(x, head, targets, states.data());
    kernels::token_loss_finish(states.data(), states.size(), log_probability);
}

}  // namespace cuset
