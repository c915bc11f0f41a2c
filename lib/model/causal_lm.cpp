#include "cuset/model/causal_lm.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cuset/kernels/instruction_set.h"
#include "cuset/kernels/packed_products.h"
#include "device.h"
#include "forward.h"
#include "open_model.h"
#include "shared_scoring.h"
#include "torch_decoder.h"

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
    std::shared_ptr<sharded_layers> layers;  // of a base that processes share
    base_part part;
    std::unique_ptr<shared_scoring> sharing;  // after `forward`, which it uses to its end
    std::string name, description;
    std::size_t batch_tokens = 0;
    int device = -1;

    /// batch[i] for the indices i of one pass; all of them are checked already.
    static packed_batch packed(std::span<const scoring_request> batch,
                               const std::vector<std::size_t>& indices) {
        packed_batch pass;
        for (const std::size_t i : indices) {
            const auto& request = batch[i];
            const auto begin = static_cast<std::int64_t>(pass.inputs.size());
            pass.inputs.insert(pass.inputs.end(), request.tokens.begin(), request.tokens.end() - 1);
            pass.targets.insert(
                pass.targets.end(),
                request.tokens.begin() + static_cast<std::ptrdiff_t>(request.prompt_length),
                request.tokens.end());
            pass.samples.push_back({begin,
                                    begin + static_cast<std::int64_t>(request.prompt_length) - 1,
                                    static_cast<std::int64_t>(pass.inputs.size())});
        }
        return pass;
    }

    void run(std::span<const packed_batch> passes, std::vector<std::vector<float>>& found) {
        if (sharing) {
            sharing->run(passes, found);
            return;
        }
        TORCH_CHECK(part.of == 1, "a base is shared, but by no exchange");
        for (const packed_batch& pass : passes) {
            found.emplace_back(pass.targets.size());
            forward->run(pass, found.back());
        }
    }

    /// Cuts the log-probabilities of one pass into replies.
    static void answer(std::span<const scoring_request> batch,
                       const std::vector<std::size_t>& indices, const std::vector<float>& all,
                       std::vector<scoring_reply>& replies) {
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
    model->device = opened.device;
    if (options.part) {
        model->part = *options.part;
        model->layers =
            shared_layers(model->weights, opened.bfloat16, opened.device, *options.part);
        model->forward =
            make_shared_forward(model->weights, opened.bfloat16, opened.device, model->layers);
        model->description = opened.shared_description();
    } else if (opened.operators) {
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
int causal_lm::device() const { return implementation_->device; }
std::uint64_t causal_lm::fingerprint() const {
    return implementation_->weights.fingerprint(implementation_->layers != nullptr);
}
std::size_t causal_lm::preferred_batch_tokens() const { return implementation_->batch_tokens; }

void causal_lm::share_through(layer_exchange& exchange) {
    implementation& model = *implementation_;
    if (model.layers == nullptr) return;
    model.layers->gather_through(exchange);
    model.sharing =
        std::make_unique<shared_scoring>(*model.forward, model.layers, exchange, model.part);
}

status causal_lm::serve() try {
    if (implementation_->sharing) implementation_->sharing->serve();
    return {};
} catch (const std::exception& exception) {
    return thrown(exception);
}

status causal_lm::log_probabilities(std::span<const scoring_request> batch,
                                    std::vector<scoring_reply>& replies) try {
    replies.assign(batch.size(), {});
    std::vector<std::vector<std::size_t>> indices;  // of the samples of each pass
    std::size_t tokens = 0;                         // of the last one
    for (std::size_t i = 0; i < batch.size(); ++i) {
        replies[i].error = check_request(batch[i], config().vocab);
        // A sample without a response has nothing to score.
        if (!replies[i].error || batch[i].tokens.size() == batch[i].prompt_length) continue;
        if (indices.empty() || tokens + batch[i].tokens.size() > implementation_->batch_tokens) {
            indices.emplace_back();
            tokens = 0;
        }
        indices.back().push_back(i);
        tokens += batch[i].tokens.size();
    }
    std::vector<packed_batch> passes;
    for (const auto& pass : indices) passes.push_back(implementation::packed(batch, pass));
    std::vector<std::vector<float>> found;
    implementation_->run(passes, found);
    for (std::size_t i = 0; i < passes.size(); ++i)
        implementation::answer(batch, indices[i], found[i], replies);
    return {};
} catch (const std::exception& exception) {
    return thrown(exception);
}

}  // namespace cuset
