#include "packed_attention.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/_flash_attention_forward.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/scaled_dot_product_attention.h>

#include <algorithm>

#include "cuset/model/device_kernels.h"

namespace cuset {

namespace {

/// Whether LibTorch's FlashAttention accepts the input, forward and backward, on every GPU. If
/// every sample has one row, it takes a path for decoding, which is of no use here.
bool is_for_flash(const at::Tensor& query, const packed_samples& samples) {
    const std::int64_t head_dim = query.size(2);
    return query.is_cuda() && query.scalar_type() == at::kBFloat16 && head_dim % 8 == 0 &&
           head_dim <= 192 && samples.longest > 1;
}

}  // namespace

packed_samples packed_on(at::Device device,
                         std::vector<std::pair<std::int64_t, std::int64_t>> rows) {
    packed_samples samples{std::move(rows), 0, {}};
    std::vector<std::int32_t> boundaries{0};
    for (const auto& [begin, end] : samples.rows) {
        samples.longest = std::max(samples.longest, end - begin);
        boundaries.push_back(static_cast<std::int32_t>(end));
    }
    if (!device.is_cpu()) samples.boundaries = uploaded(boundaries, device);
    return samples;
}

at::Tensor packed_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                            const packed_samples& samples) {
    const std::int64_t heads = query.size(1), width = heads * query.size(2);
    if (is_for_flash(query, samples)) {
        const at::Tensor& bounds = samples.boundaries;
        return std::get<0>(at::_flash_attention_forward(query, key, value, bounds, bounds,
                                                        samples.longest, samples.longest, 0.0, true,
                                                        false))
            .reshape({query.size(0), width});
    }
    const std::int64_t shared = heads / key.size(1);
    std::vector<at::Tensor> outputs;
    for (const auto& [begin, end] : samples.rows) {
        const auto part = [first = begin, length = end - begin](const at::Tensor& t) {
            return t.narrow(0, first, length).transpose(0, 1).unsqueeze(0);
        };
        // With repeated keys and values, LibTorch uses its blockwise attention, whose memory grows
        // with the length and not with its square.
        const auto repeated = [&](const at::Tensor& t) {
            return shared == 1 ? part(t) : part(t).repeat_interleave(shared, 1);
        };
        outputs.push_back(at::scaled_dot_product_attention(part(query), repeated(key),
                                                           repeated(value), {}, 0.0, true)
                              .squeeze(0)
                              .transpose(0, 1)
                              .reshape({end - begin, width}));
    }
    return outputs.size() == 1 ? outputs[0] : at::cat(outputs);
}

}  // namespace cuset
