#include "cuset/model/causal_lm.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cuset/kernels/instruction_set.h"
#include "cuset/kernels/packed_products.h"
#include "device.h"
#include "forward.h"
#include "open_model.h"

namespace cuset {

namespace {

/// Enough rows to keep `threads` busy with full strips, and to make the widening of weights cheap.
std::size_t batch_tokens(int threads) {
    return std::max<std::size_t>(4096, 256 * static_cast<std::size_t>(threads));
}

status check_request(const scoring_request& request, std::int64_t vocab) {
    if (request.prompt_length == 0) {
        return data_error("the prompt has no token, so the first response token has no prefix");
    }
    if (request.prompt_length > request.tokens.size()) {
        return data_error("the prompt is longer than the sample");
    }
    for (const std::int32_t token : request.tokens) {
        CUSET_TRY(check_token(token, vocab));
    }
    return {};
}

}  // namespace

class causal_lm::implementation {
public:
    decoder_weights weights;
    std::unique_ptr<forward_pass> forward;
    std::string name, description;
    std::size_t batch_tokens = 0;

    /// Scores batch[i] for the indices i of one pass; all of them are checked already.
    void run_pass(std::span<const scoring_request> batch, const std::vector<std::size_t>& indices,
                  std::vector<scoring_reply>& replies) {
        packed_batch packed;
        for (const std::size_t i : indices) {
            const auto& request = batch[i];
            const auto begin = static_cast<std::int64_t>(packed.inputs.size());
            packed.inputs.insert(packed.inputs.end(), request.tokens.begin(),
                                 request.tokens.end() - 1);
            packed.targets.insert(
                packed.targets.end(),
                request.tokens.begin() + static_cast<std::ptrdiff_t>(request.prompt_length),
                request.tokens.end());
            packed.samples.push_back({begin,
                                      begin + static_cast<std::int64_t>(request.prompt_length) - 1,
                                      static_cast<std::int64_t>(packed.inputs.size())});
        }
        std::vector<float> all(packed.targets.size());
        forward->run(packed, all);
        const float* from = all.data();
        for (const std::size_t i : indices) {
            const std::size_t count = batch[i].tokens.size() - batch[i].prompt_length;
            auto& values = replies[i].log_probability;
            values.assign(from, from + count);
            from += count;
            // The token that caused this is unknown: a masked value that is not finite still gives
            // 0 · NaN for its block of queries.
            if (!std::all_of(values.begin(), values.end(),
                             [](float x) { return std::isfinite(x); })) {
                replies[i].error = data_error(
                    "its log-probabilities are not finite: weights or activations overflow");
                values.clear();
            }
        }
    }
};

result<causal_lm> causal_lm::load(const std::filesystem::path& folder,
                                  const model_options& options) try {
    CUSET_ASSIGN(auto opened, open_model(folder, options));
    auto model = std::make_unique<implementation>();
    model->weights = std::move(opened.weights);
    model->name = std::move(opened.name);
    model->batch_tokens = batch_tokens(opened.threads);
    if (opened.operators) {
        model->forward = make_torch_forward(model->weights, opened.bfloat16, opened.device);
        if (opened.device >= 0) model->weights.release_codes();
        model->description = opened.description("operators");
    } else {
        const bool bfloat16_products =
            opened.bfloat16 &&
            (options.path == forward_path::bfloat16_products ||
             (options.path == forward_path::automatic && kernels::has_bfloat16_products()));
        model->forward = make_fused_forward(model->weights, bfloat16_products, opened.threads);
        model->description =
            opened.description(std::string(bfloat16_products ? "bf16" : "float") + " products, " +
                               kernels::name_of(kernels::active_instruction_set()));
    }
    return causal_lm(std::move(model));
} catch (const std::exception& exception) {
    return thrown(exception);
}

causal_lm::causal_lm(std::unique_ptr<implementation> model) : implementation_(std::move(model)) {}
causal_lm::causal_lm(causal_lm&&) noexcept = default;
causal_lm& causal_lm::operator=(causal_lm&&) noexcept = default;
causal_lm::~causal_lm() = default;

const model_config& causal_lm::config() const { return implementation_->weights.config; }
const std::string& causal_lm::name() const { return implementation_->name; }
const std::string& causal_lm::compute_description() const { return implementation_->description; }
const std::vector<std::string>& causal_lm::notes() const { return implementation_->weights.notes; }
std::size_t causal_lm::preferred_batch_tokens() const { return implementation_->batch_tokens; }

status causal_lm::log_probabilities(std::span<const scoring_request> batch,
                                    std::vector<scoring_reply>& replies) try {
    replies.assign(batch.size(), {});
    std::vector<std::size_t> pass;
    std::size_t tokens = 0;
    const auto flush = [&] {
        if (!pass.empty()) implementation_->run_pass(batch, pass, replies);
        pass.clear();
        tokens = 0;
    };
    for (std::size_t i = 0; i < batch.size(); ++i) {
        replies[i].error = check_request(batch[i], config().vocab);
        // A sample without a response has nothing to score.
        if (!replies[i].error || batch[i].tokens.size() == batch[i].prompt_length) continue;
        if (tokens + batch[i].tokens.size() > implementation_->batch_tokens) flush();
        pass.push_back(i);
        tokens += batch[i].tokens.size();
    }
    flush();
    return {};
} catch (const std::exception& exception) {
    return thrown(exception);
}

}  // namespace cuset
