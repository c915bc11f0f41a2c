// A tile of the head: some rows by some of the vocabulary. Private to lib/model.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuset/kernels/token_loss.h"
#include "products.h"

namespace cuset {

/// Multiplies x [rows × k] by w, whose outputs are tokens, into `logits` [rows × tokens] and merges
/// these, of the vocabulary's entries from first_token on, into `states` [rows] for `targets`
/// [rows].
template <class Element>
void add_head_tile(product_size size, const Element* x, const product_operand<Element>& w,
                   std::int64_t first_token, const std::int32_t* targets, float* logits,
                   kernels::token_loss_state* states) {
    const auto [rows, tokens, k] = size;
    product(size, x, k, w, product_mode::set, logits, tokens);
    kernels::token_loss_strip(logits, static_cast<std::size_t>(rows),
                              static_cast<std::size_t>(tokens), static_cast<std::size_t>(tokens),
                              static_cast<std::int32_t>(first_token), targets, states);
}

}  // namespace cuset
