// The forward pass in LibTorch's operators: the one that runs on a GPU. On a CPU it is the
// independent second implementation that tests hold the fused pass against.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <sched.h>

#include <cmath>

#include "forward.h"
#include "rope_table.h"

namespace cuset {

namespace {

/// Bytes of float logits that exist at a time.
constexpr std::int64_t logit_bytes = std::int64_t{256} << 20;

struct update_tensors {
    at::Tensor a, b;
    double scale = 0;
};

struct linear_tensors {
    at::Tensor weight, bias;
    std::optional<update_tensors> update;

    at::Tensor operator()(const at::Tensor& x) const {
        const at::Tensor y = bias.defined() ? at::linear(x, weight, bias) : at::linear(x, weight);
        if (!update) return y;
        // As peft: the update in float, the sum rounded once.
        const at::Tensor reduced = at::linear(x.to(at::kFloat), update->a);
        return (y + at::linear(reduced, update->b) * update->scale).to(y.scalar_type());
    }
};

struct layer_tensors {
    at::Tensor input_norm, post_attention_norm, query_norm, key_norm;
    linear_tensors query, key, value, output, gate, up, down;
};

at::ScalarType scalar_type(element_type type) {
    switch (type) {
        case element_type::bf16: return at::kBFloat16;
        case element_type::f16: return at::kHalf;
        default: return at::kFloat;
    }
}

class operator_forward final : public forward_pass {
public:
    operator_forward(const decoder_weights& weights, bool bfloat16, int device_index)
        : config_(weights.config),
          device_(device_index < 0
                      ? at::Device(at::kCPU)
                      : at::Device(at::kCUDA, static_cast<at::DeviceIndex>(device_index))),
          type_(bfloat16 ? at::kBFloat16 : at::kFloat) {
        const c10::InferenceMode inference;
        embedding_ = matrix(weights.embedding);
        head_ = weights.config.tied_embeddings ? embedding_ : matrix(weights.head);
        final_norm_ = vector(weights.final_norm);
        for (const auto& layer : weights.layers) {
            layers_.push_back({vector(layer.input_norm), vector(layer.post_attention_norm),
                               vector(layer.query_norm), vector(layer.key_norm),
                               linear(layer.query), linear(layer.key), linear(layer.value),
                               linear(layer.output), linear(layer.gate), linear(layer.up),
                               linear(layer.down)});
        }
    }

    void run(const packed_batch& batch, std::span<float> log_probability) override {
        const c10::InferenceMode inference;
        make_rotation(batch);
        at::Tensor x = at::embedding(embedding_, integers(batch.inputs));
        for (const auto& layer : layers_) {
            x = x + attention(layer, norm(x, layer.input_norm), batch);
            const at::Tensor normed = norm(x, layer.post_attention_norm);
            x = x + layer.down(at::silu(layer.gate(normed)).mul_(layer.up(normed)));
        }
        score(norm(scored_rows(x, batch), final_norm_), batch, log_probability);
    }

private:
    /// A copy on the device in the pass's type; host pages are read one tensor at a time.
    at::Tensor place(const void* data, at::IntArrayRef shape, at::ScalarType type) const {
        const at::Tensor host = at::from_blob(const_cast<void*>(data), shape, type);
        return host.to(device_).to(type_);
    }
    at::Tensor matrix(const weight_matrix& m) const {
        return place(m.data, {m.rows, m.columns}, scalar_type(m.type));
    }
    at::Tensor vector(const std::vector<float>& v) const {
        if (v.empty()) return {};
        return place(v.data(), {static_cast<std::int64_t>(v.size())}, at::kFloat).clone();
    }
    at::Tensor floats(const std::vector<float>& v, at::IntArrayRef shape) const {
        return at::from_blob(const_cast<float*>(v.data()), shape, at::kFloat)
            .to(device_, at::kFloat, false, true);
    }
    at::Tensor integers(const std::vector<std::int32_t>& v) const {
        return at::from_blob(const_cast<std::int32_t*>(v.data()),
                             {static_cast<std::int64_t>(v.size())}, at::kInt)
            .to(device_, at::kLong);
    }
    linear_tensors linear(const linear_weights& w) const {
        linear_tensors tensors{matrix(w.weight), vector(w.bias), {}};
        if (w.update) {
            tensors.update = {floats(w.update->a, {w.update->rank, w.weight.columns}),
                              floats(w.update->b, {w.weight.rows, w.update->rank}),
                              static_cast<double>(w.update->scale)};
        }
        return tensors;
    }

    at::Tensor norm(const at::Tensor& x, const at::Tensor& weight) const {
        return at::rms_norm(x, {x.size(-1)}, weight, config_.norm_epsilon);
    }

    /// cos and sin of every packed row, [rows × 1 × head_dim].
    void make_rotation(const packed_batch& batch) {
        std::int64_t longest = 0;
        for (const auto& sample : batch.samples) {
            longest = std::max(longest, sample.end - sample.begin);
        }
        if (longest > table_.positions) table_ = make_rope_table(config_, longest);
        std::vector<at::Tensor> cosines, sines;
        const std::vector<std::int64_t> shape{table_.positions, config_.head_dim / 2};
        const at::Tensor cosine = floats(table_.cosine, shape), sine = floats(table_.sine, shape);
        for (const auto& sample : batch.samples) {
            cosines.push_back(cosine.narrow(0, 0, sample.end - sample.begin));
            sines.push_back(sine.narrow(0, 0, sample.end - sample.begin));
        }
        const at::Tensor all_cosines = at::cat(cosines), all_sines = at::cat(sines);
        cosine_ = at::cat({all_cosines, all_cosines}, 1).unsqueeze(1).to(type_);
        sine_ = at::cat({all_sines, all_sines}, 1).unsqueeze(1).to(type_);
    }

    at::Tensor rotated(const at::Tensor& x) const {
        const std::int64_t half = config_.head_dim / 2;
        const at::Tensor turned =
            at::cat({x.narrow(-1, half, half).neg(), x.narrow(-1, 0, half)}, -1);
        return x * cosine_ + turned * sine_;
    }

    at::Tensor attention(const layer_tensors& layer, const at::Tensor& x,
                         const packed_batch& batch) const {
        const std::int64_t rows = x.size(0);
        at::Tensor query = layer.query(x).view({rows, config_.heads, config_.head_dim});
        at::Tensor key = layer.key(x).view({rows, config_.kv_heads, config_.head_dim});
        const at::Tensor value = layer.value(x).view({rows, config_.kv_heads, config_.head_dim});
        if (layer.query_norm.defined()) {
            query = norm(query, layer.query_norm);
            key = norm(key, layer.key_norm);
        }
        query = rotated(query);
        key = rotated(key);
        std::vector<at::Tensor> outputs;
        for (const auto& sample : batch.samples) {
            const auto part = [&](const at::Tensor& t) {
                return t.narrow(0, sample.begin, sample.end - sample.begin)
                    .transpose(0, 1)
                    .unsqueeze(0);
            };
            const at::Tensor out =
                at::scaled_dot_product_attention(part(query), part(key), part(value), {}, 0.0, true,
                                                 {}, config_.heads != config_.kv_heads);
            outputs.push_back(out.squeeze(0).transpose(0, 1).reshape(
                {sample.end - sample.begin, config_.heads * config_.head_dim}));
        }
        return layer.output(at::cat(outputs));
    }

    static at::Tensor scored_rows(const at::Tensor& x, const packed_batch& batch) {
        std::vector<at::Tensor> parts;
        for (const auto& sample : batch.samples) {
            parts.push_back(x.narrow(0, sample.first_scored, sample.end - sample.first_scored));
        }
        return at::cat(parts);
    }

    void score(const at::Tensor& hidden, const packed_batch& batch,
               std::span<float> log_probability) const {
        const at::Tensor targets = integers(batch.targets);
        const at::Tensor head = head_.t();
        const std::int64_t rows = hidden.size(0);
        const std::int64_t strip =
            std::max<std::int64_t>(1, logit_bytes / (config_.vocab * std::int64_t{sizeof(float)}));
        std::vector<at::Tensor> parts;
        for (std::int64_t first = 0; first < rows; first += strip) {
            const std::int64_t count = std::min(strip, rows - first);
            const at::Tensor part = hidden.narrow(0, first, count);
            at::Tensor logits;
            if (type_ == at::kFloat) {
                logits = at::mm(part, head);
            } else if (device_.is_cuda()) {
                logits = at::mm(part, head, at::kFloat);
            } else {
                logits = at::mm(part.to(at::kFloat), head.to(at::kFloat));
            }
            const at::Tensor chosen =
                logits.gather(1, targets.narrow(0, first, count).unsqueeze(1)).squeeze(1);
            parts.push_back(chosen - at::logsumexp(logits, 1));
        }
        const at::Tensor all = at::cat(parts).clamp_max_(0.0).to(at::kCPU);
        const float* data = all.const_data_ptr<float>();
        std::copy(data, data + rows, log_probability.begin());
    }

    model_config config_;
    at::Device device_;
    at::ScalarType type_;
    at::Tensor embedding_, head_, final_norm_;
    std::vector<layer_tensors> layers_;
    rope_table table_;
    at::Tensor cosine_, sine_;
};

}  // namespace

std::unique_ptr<forward_pass> make_operator_forward(const decoder_weights& weights, bool bfloat16,
                                                    int device_index) {
    return std::make_unique<operator_forward>(weights, bfloat16, device_index);
}

int gpu_count() {
#ifdef CUSET_CUDA
    return at::detail::getCUDAHooks().deviceCount();
#else
    return 0;
#endif
}

int set_threads(int threads) {
    if (threads <= 0) {
        cpu_set_t set;
        threads = ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    }
    at::set_num_threads(threads);
    return threads;
}

}  // namespace cuset
