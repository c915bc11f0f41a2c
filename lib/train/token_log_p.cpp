#include "token_log_p.h"

#include <ATen/core/Tensor.h>

#include <algorithm>

namespace cuset {

token_log_p::token_log_p(const data_set& data, std::span<const std::size_t> samples) : data_(data) {
    std::size_t tokens = 0;
    for (const std::size_t i : samples) {
        first_token_.emplace(i, tokens);
        tokens += data.pairs[i].response_tokens();
    }
    values_.resize(tokens);
}

void token_log_p::add(std::span<const std::size_t> samples, const pass_outcome& outcome) {
    const at::Tensor rows = outcome.log_probability.to(at::kCPU).contiguous();
    const float* log_p = rows.const_data_ptr<float>();
    for (const std::size_t i : samples) {
        const std::size_t count = data_.pairs[i].response_tokens();
        std::copy_n(log_p, count,
                    values_.begin() + static_cast<std::ptrdiff_t>(first_token_.at(i)));
        log_p += count;
    }
}

status token_log_p::add_up(process_group& processes) { return processes.sum(values_); }

std::span<const double> token_log_p::of(std::size_t sample) const {
    return std::span(values_).subspan(first_token_.at(sample),
                                      data_.pairs[sample].response_tokens());
}

}  // namespace cuset
