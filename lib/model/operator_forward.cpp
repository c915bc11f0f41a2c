// The forward pass in LibTorch's operators: the one that runs on a GPU, where nothing waits for it
// until the log-probabilities are copied back. On a CPU it is the second implementation that tests
// hold the fused pass against, independent of it but for the sum over the vocabulary: both use
// kernels::token_loss, whose own tests hold it against its definition in double.
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>
#include <sched.h>

#include <utility>

#include "cuset/model/device_kernels.h"
#include "forward.h"
#include "operator_weights.h"
#include "packed_attention.h"

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
        std::vector<std::pair<std::int64_t, std::int64_t>> rows;
        for (const auto& sample : batch.samples) {
            positions.push_back({0, sample.end - sample.begin});
            rows.emplace_back(sample.begin, sample.end);
        }
        weights_.set_positions(positions);
        const packed_samples samples = packed_on(weights_.device, std::move(rows));
        at::Tensor x = at::embedding(weights_.embedding, weights_.integers(batch.inputs));
        for (const auto& layer : weights_.layers) {
            x = x + attention(layer, weights_.norm(x, layer.input_norm), samples);
            x = weights_.feed_forward(layer, x);
        }
        score(weights_.norm(scored_rows(x, batch), weights_.final_norm), batch, log_probability);
    }

private:
    at::Tensor attention(const layer_tensors& layer, const at::Tensor& x,
                         const packed_samples& samples) const {
        const auto inputs = weights_.attention_of(layer, x);
        return layer.output(packed_attention(inputs.query, inputs.key, inputs.value, samples));
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
        const at::Tensor targets = uploaded(batch.targets, weights_.device);
        const std::int64_t rows = hidden.size(0);
        const at::Tensor log_p = at::empty({rows}, hidden.options().dtype(at::kFloat));
        const std::int64_t strip = std::max<std::int64_t>(
            1, logit_bytes / (weights_.config.vocab * std::int64_t{sizeof(float)}));
        for (std::int64_t first = 0; first < rows; first += strip) {
            const std::int64_t count = std::min(strip, rows - first);
            const at::Tensor logits = weights_.logits(hidden.narrow(0, first, count)).contiguous();
            kernels::token_loss_rows part;
            part.logits = logits.const_data_ptr();
            part.rows = static_cast<std::size_t>(count);
            part.vocabulary = part.stride = static_cast<std::size_t>(logits.size(1));
            part.targets = targets.const_data_ptr<std::int32_t>() + first;
            part.log_probability = log_p.data_ptr<float>() + first;
            token_loss(part, weights_.device);
        }
        const at::Tensor all = log_p.to(at::kCPU);
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
