#include "packed_attention.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/_flash_attention_forward.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "cuset/model/device_kernels.h"
#include "row_attention.h"

namespace cuset {

namespace {

/// Whether LibTorch's FlashAttention accepts the input, forward and backward, on every GPU. If
/// every sample has one row, it takes a path for decoding, which is of no use here.
bool is_for_flash(const at::Tensor& query, const packed_samples& samples) {
    const std::int64_t head_dim = query.size(2);
    return query.is_cuda() && query.scalar_type() == at::kBFloat16 && head_dim % 8 == 0 &&
           head_dim <= 192 && samples.longest > 1;
}

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;
using sample_rows = std::vector<std::pair<std::int64_t, std::int64_t>>;

struct captured_rows : torch::CustomClassHolder {
    explicit captured_rows(sample_rows r) : rows(std::move(r)) {}
    sample_rows rows;
};

/// row_attention.h for all heads of a packed batch. `Input` is the type of the tensors.
template <class Input>
class batch_attention {
public:
    batch_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                    const sample_rows& samples)
        : query_(data_of(query)),
          key_(data_of(key)),
          value_(data_of(value)),
          samples_(samples),
          rows_(query.size(0)),
          heads_(query.size(1)),
          kv_heads_(key.size(1)),
          width_(query.size(2)) {}

    /// out [rows × heads · width], log_sum [heads × rows].
    void run(const at::Tensor& out, const at::Tensor& log_sum) const {
        std::int64_t elements = 0;
        std::vector<std::int64_t> places;
        for (const auto& [begin, end] : samples_) {
            places.push_back(elements);
            elements += kv_heads_ * packed_keys_elements<Input>(end - begin, width_);
        }
        scratch<Input> memory;
        memory.reserve(elements);
        std::vector<key_operands<Input>> keys(samples_.size() * unsign(kv_heads_));
        at::parallel_for(0, std::ssize(keys), 1, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t task = first; task < last; ++task) {
                const std::int64_t sample = task / kv_heads_, head = task % kv_heads_;
                const auto [begin, end] = samples_[unsign(sample)];
                const std::int64_t at = (begin * kv_heads_ + head) * width_;
                keys[unsign(task)] =
                    packed_keys(end - begin, width_, key_ + at, value_ + at, kv_heads_ * width_,
                                memory.data() + places[unsign(sample)] +
                                    head * packed_keys_elements<Input>(end - begin, width_));
            }
        });
        const std::vector<block> blocks = blocks_of();
        const std::int64_t count = std::ssize(blocks);
        float* to = out.data_ptr<float>();
        float* sums = log_sum.data_ptr<float>();
        at::parallel_for(0, count * heads_, 1, [&](std::int64_t first, std::int64_t last) {
            const single_threaded_products alone;
            attention_workspace<Input> workspace;
            for (std::int64_t task = first; task < last; ++task) {
                const block& b = blocks[unsign(task % count)];
                const std::int64_t head = task / count;
                const std::int64_t begin = samples_[b.sample].first, row = begin + b.first;
                const std::int64_t at = (row * heads_ + head) * width_;
                attend({b.first, b.count, width_}, query_ + at, heads_ * width_,
                       keys[b.sample * unsign(kv_heads_) + unsign(head / shared())], workspace,
                       to + at, heads_ * width_, sums + head * rows_ + row);
            }
        });
    }

    /// d_query [rows × heads × width]; d_key and d_value [heads × rows × width], one for each head
    /// of queries. d_out and mean [heads × rows] as in attention_head.
    void run_backward(const at::Tensor& d_out, const at::Tensor& log_sum, const at::Tensor& mean,
                      const at::Tensor& d_query, const at::Tensor& d_key,
                      const at::Tensor& d_value) const {
        const Input* gradient = data_of(d_out);
        const auto* sums = log_sum.const_data_ptr<float>();
        const auto* means = mean.const_data_ptr<float>();
        auto* to_query = d_query.data_ptr<float>();
        auto *to_key = d_key.data_ptr<float>(), *to_value = d_value.data_ptr<float>();
        const std::int64_t count = std::ssize(samples_);
        at::parallel_for(0, count * heads_, 1, [&](std::int64_t first, std::int64_t last) {
            const single_threaded_products alone;
            attention_workspace<Input> workspace;
            for (std::int64_t task = first; task < last; ++task) {
                const auto [begin, end] = samples_[unsign(task % count)];
                const std::int64_t head = task / count;
                const std::int64_t at = (begin * heads_ + head) * width_;
                const std::int64_t key = (begin * kv_heads_ + head / shared()) * width_;
                const std::int64_t row = head * rows_ + begin;
                attend_backward<Input>(
                    {end - begin, width_, query_ + at, gradient + at, heads_ * width_, key_ + key,
                     value_ + key, kv_heads_ * width_, sums + row, means + row},
                    workspace, to_query + at, heads_ * width_, to_key + row * width_,
                    to_value + row * width_);
            }
        });
    }

private:
    struct block {
        std::size_t sample;
        std::int64_t first, count;
    };

    static std::size_t unsign(std::int64_t value) { return static_cast<std::size_t>(value); }
    static const Input* data_of(const at::Tensor& t) {
        return static_cast<const Input*>(t.const_data_ptr());
    }
    std::int64_t shared() const { return heads_ / kv_heads_; }

    /// Early and late queries by turns, so that threads that share the blocks in their order get
    /// equally much work.
    std::vector<block> blocks_of() const {
        std::vector<block> blocks;
        for (std::size_t sample = 0; sample < samples_.size(); ++sample) {
            const std::int64_t rows = samples_[sample].second - samples_[sample].first;
            const std::int64_t length = query_block<Input>(rows),
                               all = (rows + length - 1) / length;
            for (std::int64_t i = 0; i < all; ++i) {
                const std::int64_t first = (i % 2 == 0 ? i / 2 : all - 1 - i / 2) * length;
                blocks.push_back({sample, first, std::min(length, rows - first)});
            }
        }
        return blocks;
    }

    const Input *query_, *key_, *value_;
    const sample_rows& samples_;
    std::int64_t rows_, heads_, kv_heads_, width_;
};

struct row_attention_function : torch::autograd::Function<row_attention_function> {
    static at::Tensor forward(AutogradContext* ctx, const at::Tensor& query, const at::Tensor& key,
                              const at::Tensor& value, const sample_rows* samples, bool bfloat16) {
        const auto input = [&](const at::Tensor& t) {
            return t.to(bfloat16 ? at::kBFloat16 : at::kFloat).contiguous();
        };
        const at::Tensor q = input(query), k = input(key), v = input(value);
        const std::int64_t rows = q.size(0), heads = q.size(1);
        const at::Tensor out = at::empty({rows, heads * q.size(2)}, query.options());
        const at::Tensor log_sum = at::empty({heads, rows}, query.options());
        if (bfloat16)
            batch_attention<kernels::bfloat16_bits>(q, k, v, *samples).run(out, log_sum);
        else
            batch_attention<float>(q, k, v, *samples).run(out, log_sum);
        ctx->save_for_backward({q, k, v, out, log_sum});
        ctx->saved_data["samples"] =
            c10::IValue::make_capsule(c10::make_intrusive<captured_rows>(*samples));
        return out;
    }

    static variable_list backward(AutogradContext* ctx, variable_list gradients) {
        const auto saved = ctx->get_saved_variables();
        const at::Tensor &q = saved[0], &k = saved[1], &v = saved[2], &out = saved[3];
        const auto capsule = ctx->saved_data["samples"].toCapsule();
        const sample_rows& samples = static_cast<captured_rows*>(capsule.get())->rows;
        const std::int64_t rows = q.size(0), heads = q.size(1), width = q.size(2);
        const std::int64_t kv_heads = k.size(1);
        const at::Tensor mean =
            (gradients[0] * out).view({rows, heads, width}).sum(2).t().contiguous();
        const at::Tensor d_out = gradients[0].to(q.scalar_type()).contiguous();
        const at::Tensor d_query = at::empty({rows, heads, width}, out.options());
        const at::Tensor d_key = at::empty({heads, rows, width}, out.options());
        const at::Tensor d_value = at::empty_like(d_key);
        if (q.scalar_type() == at::kBFloat16)
            batch_attention<kernels::bfloat16_bits>(q, k, v, samples)
                .run_backward(d_out, saved[4], mean, d_query, d_key, d_value);
        else
            batch_attention<float>(q, k, v, samples)
                .run_backward(d_out, saved[4], mean, d_query, d_key, d_value);
        // The heads that share a key add up.
        const auto of_keys = [&](const at::Tensor& t) {
            return t.view({kv_heads, heads / kv_heads, rows, width}).sum(1).transpose(0, 1);
        };
        return {d_query, of_keys(d_key), of_keys(d_value), {}, {}};
    }
};

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
                            const packed_samples& samples, bool bfloat16_products) {
    if (query.is_cpu() && query.scalar_type() == at::kFloat && !c10::InferenceMode::is_enabled())
        return row_attention_function::apply(query, key, value, &samples.rows, bfloat16_products);
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
