#include "cuset/model/cached_decoder.h"

#include <utility>
#include <vector>

#include "cuset/kernels/instruction_set.h"
#include "cuset/kernels/packed_products.h"
#include "decoding_pass.h"
#include "device.h"
#include "open_model.h"
#include "shared_decoding.h"
#include "torch_decoder.h"

namespace cuset {

namespace {

/// Tiles of AMX are made for more rows than a decoder mostly has, so it is not chosen for them.
bool rounds_activations(forward_path path) {
    return path == forward_path::bfloat16_products ||
           (path == forward_path::automatic &&
            kernels::active_instruction_set() == kernels::instruction_set::avx512_bf16);
}

}  // namespace

class cached_decoder::implementation {
public:
    decoder_weights weights;
    std::unique_ptr<decoding_pass> pass;
    std::shared_ptr<sharded_layers> layers;  // of a base that processes share
    base_part part;
    shared_decoding* sharing = nullptr;  // `pass`, if they do
    int device = -1;
    std::string name, description;
    std::vector<std::size_t> lengths;  ///< of each sequence
    std::size_t max_tokens = 0;

    status check(std::span<const decoder_input> inputs) const {
        std::vector<bool> seen(lengths.size());
        for (const auto& input : inputs) {
            const std::string which = "sequence " + std::to_string(input.sequence);
            if (input.sequence >= lengths.size()) {
                return data_error(which + " is beyond the " + std::to_string(lengths.size()) +
                                  " there are");
            }
            if (seen[input.sequence]) return data_error(which + " comes twice");
            seen[input.sequence] = true;
            if (input.tokens.empty()) return data_error("no token for " + which);
            if (input.scored == 0 || input.scored > input.tokens.size())
                return data_error(which + " has not as many tokens as are to be scored");
            if (input.tokens.size() > max_tokens - lengths[input.sequence]) {
                return data_error(which + " would have more than " + std::to_string(max_tokens) +
                                  " tokens");
            }
            for (const std::int32_t token : input.tokens) {
                CUSET_TRY(check_token(token, weights.config.vocab));
            }
        }
        return {};
    }
};

result<cached_decoder> cached_decoder::load(const std::filesystem::path& folder,
                                            const model_options& options, std::size_t sequences,
                                            std::size_t max_tokens) try {
    CUSET_ASSIGN(auto opened, open_model(folder, options));
    auto decoder = std::make_unique<implementation>();
    decoder->weights = std::move(opened.weights);
    decoder->name = std::move(opened.name);
    decoder->lengths.resize(sequences);
    decoder->max_tokens = max_tokens;
    decoder->device = opened.device;
    if (options.part) {
        decoder->part = *options.part;
        decoder->layers =
            shared_layers(decoder->weights, opened.bfloat16, opened.device, *options.part);
        decoder->pass = make_shared_decoding(decoder->weights, opened.bfloat16, opened.device,
                                             sequences, decoder->layers);
        decoder->description = opened.shared_description();
    } else if (opened.operators) {
        decoder->pass =
            make_torch_decoding(decoder->weights, opened.bfloat16, opened.device, sequences);
        if (opened.device >= 0) decoder->weights.release_codes();
        decoder->description = opened.description("operators");
    } else {
        if (options.path == forward_path::bfloat16_products && !kernels::has_bfloat16_products())
            return unsupported("a cached decoder has no bfloat16 products on this processor");
        const bool rounds = opened.bfloat16 && rounds_activations(options.path);
        decoder->pass = make_row_decoder(decoder->weights, rounds, opened.threads, sequences);
        decoder->description =
            opened.description(std::string(rounds ? "bf16" : "float") + " products, " +
                               kernels::name_of(kernels::active_instruction_set()));
    }
    return cached_decoder(std::move(decoder));
} catch (const std::exception& exception) {
    return thrown(exception);
}

cached_decoder::cached_decoder(std::unique_ptr<implementation> decoder)
    : implementation_(std::move(decoder)) {}
cached_decoder::cached_decoder(cached_decoder&&) noexcept = default;
cached_decoder& cached_decoder::operator=(cached_decoder&&) noexcept = default;
cached_decoder::~cached_decoder() = default;

const model_config& cached_decoder::config() const { return implementation_->weights.config; }
const std::string& cached_decoder::name() const { return implementation_->name; }
const std::string& cached_decoder::compute_description() const {
    return implementation_->description;
}
const std::vector<std::string>& cached_decoder::notes() const {
    return implementation_->weights.notes;
}
int cached_decoder::device() const { return implementation_->device; }
std::uint64_t cached_decoder::fingerprint() const {
    return implementation_->weights.fingerprint(implementation_->layers != nullptr);
}

void cached_decoder::share_through(layer_exchange& exchange) {
    implementation& decoder = *implementation_;
    if (decoder.layers == nullptr) return;
    decoder.layers->gather_through(exchange);
    auto sharing = std::make_unique<shared_decoding>(std::move(decoder.pass), exchange,
                                                     decoder.part, decoder.weights.config.vocab);
    decoder.sharing = sharing.get();
    decoder.pass = std::move(sharing);
}

status cached_decoder::serve() try {
    if (implementation_->sharing != nullptr) implementation_->sharing->serve();
    return {};
} catch (const std::exception& exception) {
    return thrown(exception);
}

std::size_t cached_decoder::length(std::size_t sequence) const {
    return implementation_->lengths.at(sequence);
}

void cached_decoder::clear(std::size_t sequence) {
    implementation_->pass->clear(sequence);
    implementation_->lengths.at(sequence) = 0;
}

void cached_decoder::truncate(std::size_t sequence, std::size_t length) {
    implementation_->pass->truncate(sequence, static_cast<std::int64_t>(length));
    implementation_->lengths.at(sequence) = length;
}

status cached_decoder::copy(std::size_t from, std::size_t to) try {
    if (from == to) return {};
    const std::size_t length = implementation_->lengths.at(from);
    implementation_->pass->copy(from, to, static_cast<std::int64_t>(length));
    implementation_->lengths.at(to) = length;
    return {};
} catch (const std::exception& exception) {
    return thrown(exception);
}

status cached_decoder::append(std::span<const decoder_input> inputs, std::span<float> logits) try {
    CUSET_TRY(implementation_->check(inputs));
    std::size_t rows = 0;
    for (const auto& input : inputs) rows += input.scored;
    if (logits.size() != rows * static_cast<std::size_t>(config().vocab))
        return data_error("logits are not [rows × vocab]");
    auto& lengths = implementation_->lengths;
    std::vector<decoding_step> steps;
    for (const auto& input : inputs) {
        steps.push_back({input.sequence, static_cast<std::int64_t>(lengths[input.sequence]),
                         input.tokens, static_cast<std::int64_t>(input.scored)});
    }
    implementation_->pass->append(steps, logits);
    for (const auto& input : inputs) lengths[input.sequence] += input.tokens.size();
    return {};
} catch (const std::exception& exception) {
    return thrown(exception);
}

}  // namespace cuset
