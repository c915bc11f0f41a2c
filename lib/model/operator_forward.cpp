// The forward pass in LibTorch's operators: the one that runs on a GPU. On a CPU it is the
// independent second implementation that tests hold the fused pass against.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <sched.h>

#include "forward.h"
#include "operator_weights.h"

namespace cuset {

namespace {

/// Bytes of float logits that exist at a time.
constexpr std::int64_t logit_bytes = std::int64_t{256} << 20;

class operator_forward final : public forward_pass {
public:
    operator_forward(const decoder_weights& weights, bool bfloat16, int device_index)
        : weights_(weights, bfloat16, device_index) {}

    void run(const packed_batch& batch, std::span<float> log_probability) override {
        const c10::InferenceMode inference;
        std::vector<operator_weights::position_range> positions;
        for (const auto& sample : batch.samples) {
            positions.push_back({0, sample.end - sample.begin});
        }
        weights_.set_positions(positions);
        at::Tensor x = at::embedding(weights_.embedding, weights_.integers(batch.inputs));
        for (const auto& layer : weights_.layers) {
            x = x + attention(layer, weights_.norm(x, layer.input_norm), batch);
            x = weights_.feed_forward(layer, x);
        }
        score(weights_.norm(scored_rows(x, batch), weights_.final_norm), batch, log_probability);
    }

private:
    at::Tensor attention(const layer_tensors& layer, const at::Tensor& x,
                         const packed_batch& batch) const {
        const model_config& config = weights_.config;
        const auto inputs = weights_.attention_of(layer, x);
        std::vector<at::Tensor> outputs;
        for (const auto& sample : batch.samples) {
            const auto part = [&](const at::Tensor& t) {
                return t.narrow(0, sample.begin, sample.end - sample.begin)
                    .transpose(0, 1)
                    .unsqueeze(0);
            };
            const at::Tensor out = at::scaled_dot_product_attention(
                part(inputs.query), part(inputs.key), part(inputs.value), {}, 0.0, true, {},
                config.heads != config.kv_heads);
            outputs.push_back(out.squeeze(0).transpose(0, 1).reshape(
                {sample.end - sample.begin, config.heads * config.head_dim}));
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
        const at::Tensor targets = weights_.integers(batch.targets);
        const std::int64_t rows = hidden.size(0);
        const std::int64_t strip = std::max<std::int64_t>(
            1, logit_bytes / (weights_.config.vocab * std::int64_t{sizeof(float)}));
        std::vector<at::Tensor> parts;
        for (std::int64_t first = 0; first < rows; first += strip) {
            const std::int64_t count = std::min(strip, rows - first);
            const at::Tensor logits = weights_.logits(hidden.narrow(0, first, count));
            const at::Tensor chosen =
                logits.gather(1, targets.narrow(0, first, count).unsqueeze(1)).squeeze(1);
            parts.push_back(chosen - at::logsumexp(logits, 1));
        }
        const at::Tensor all = at::cat(parts).clamp_max_(0.0).to(at::kCPU);
        const float* data = all.const_data_ptr<float>();
        std::copy(data, data + rows, log_probability.begin());
    }

    operator_weights weights_;
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
