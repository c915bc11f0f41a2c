// Scoring with the decoder in LibTorch's operators. On a GPU, nothing waits for it until the
// log-probabilities are copied back; on a CPU it is for a base that processes share, and for tests.
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <algorithm>

#include "cuset/model/device_kernels.h"
#include "cuset/model/target_log_probability.h"
#include "forward.h"
#include "torch_decoder.h"

namespace cuset {

namespace {

class torch_forward final : public forward_pass {
public:
    explicit torch_forward(torch_decoder decoder) : decoder_(std::move(decoder)) {}

    void run(const packed_batch& batch, std::span<float> log_probability) override {
        const c10::InferenceMode inference;
        std::vector<std::pair<std::int64_t, std::int64_t>> samples;
        std::vector<std::int64_t> scored;
        for (const auto& sample : batch.samples) {
            samples.emplace_back(sample.begin, sample.end);
            for (std::int64_t row = sample.first_scored; row < sample.end; ++row)
                scored.push_back(row);
        }
        const auto rows = decoder_.packed_rows(std::move(samples));
        const at::Tensor hidden = decoder_.hidden_rows(batch.inputs, scored, rows);
        const at::Tensor log_p = at::empty({hidden.size(0)}, hidden.options().dtype(at::kFloat));
        log_probabilities_by_strips(hidden, decoder_.head, uploaded(batch.targets, hidden.device()),
                                    log_p);
        const at::Tensor all = log_p.to(at::kCPU);
        std::copy_n(all.const_data_ptr<float>(), all.numel(), log_probability.begin());
    }

private:
    torch_decoder decoder_;
};

}  // namespace

std::unique_ptr<forward_pass> make_torch_forward(const decoder_weights& weights, bool bfloat16,
                                                 int device_index) {
    const c10::InferenceMode inference;
    return std::make_unique<torch_forward>(
        torch_decoder(weights, inference_placement(bfloat16, device_index)));
}

std::unique_ptr<forward_pass> make_shared_forward(const decoder_weights& weights, bool bfloat16,
                                                  int device_index,
                                                  std::shared_ptr<sharded_layers> layers) {
    const c10::InferenceMode inference;
    return std::make_unique<torch_forward>(
        torch_decoder(weights, shared_placement(bfloat16, device_index), std::move(layers)));
}

}  // namespace cuset
