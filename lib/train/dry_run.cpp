#include "cuset/train/dry_run.h"

#include <ATen/core/Tensor.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cuset/base/format.h"
#include "cuset/stream/json_text.h"
#include "cuset/train/mask_watch.h"
#include "cuset/train/memory_estimate.h"
#include "torch_errors.h"

namespace cuset {

namespace {

/// Writes bytes of half a character as U+FFFD, since JSON cannot hold them.
std::string printable(std::string_view bytes) {
    std::string text;
    append_json_string(bytes, text);
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t size = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
        bool whole = lead < 0x80 || lead >= 0xC2;
        for (std::size_t k = 1; k < size; ++k)
            whole = whole && i + k < text.size() &&
                    (static_cast<unsigned char>(text[i + k]) & 0xC0) == 0x80;
        out += whole ? text.substr(i, size) : "\uFFFD";
        i += whole ? size : 1;
    }
    return out;
}

void append_sample(const training_pair& pair, const pass_trial& trial,
                   const objective_settings& objective, const tokenizer& words, std::string& text) {
    const sample_loss& loss = trial.samples.front();
    const at::Tensor log_p = trial.outcome.log_probability.to(at::kCPU);
    const at::Tensor scale = trial.outcome.row_scale.to(at::kCPU);
    const double share =
        objective.learns_from_verdicts() ? 1 : divisor(objective.norm, loss.tokens, loss.tokens, 1);
    std::string prompt;
    words.decode(std::span(pair.tokens).first(pair.prompt_length), prompt);
    text += format("sample %.100s: %zu tokens of prompt, %zu of %sresponse\n", pair.id.c_str(),
                   pair.prompt_length, pair.tokens.size() - pair.prompt_length,
                   pair.rejected.empty() ? "" : "the chosen ");
    text += "prompt " + printable(prompt) + '\n';
    const bool masks = objective.kind == objective_kind::cuset;
    const bool shows_windows = !pair.left_out.empty();
    text += masks ? format("token  confidence  sure  cuda%s  coefficient  text\n",
                           shows_windows ? "  windows" : "")
                  : "token  confidence  coefficient  text\n";
    for (std::size_t t = 0; t < loss.tokens; ++t) {
        const double confidence = std::exp(static_cast<double>(log_p.const_data_ptr<float>()[t]));
        text += format("%5zu  %10.4g", t + 1, confidence);
        if (masks) {
            // A soft mask leaves nothing out, and before the first step no token is stubborn.
            const bool sure = !is_dropped(objective, confidence, false);
            const bool cuda = objective.cuda_mask && t < pair.sensitive.size() && pair.sensitive[t];
            text += format("  %4s  %4s", sure ? "+" : ".", cuda ? "+" : ".");
            if (shows_windows) text += format("  %7s", pair.left_out[t] ? "." : "+");
        }
        text += format("  %11.4g  ", share * static_cast<double>(scale.const_data_ptr<float>()[t]));
        text += printable(words.bytes_of(pair.tokens[pair.prompt_length + t])) + '\n';
    }
    text += format("kept %zu of %zu tokens, mean confidence %.4f", loss.kept, loss.tokens,
                   loss.mean_confidence);
    if (masks && objective.reweight) text += format(", weight %.4f", loss.weight);
    text += "\n\n";
}

/// `received` before a pass that is done now.
void append_exchanges(const trainable_decoder& decoder, const process_group& processes,
                      double gradient, double received, double passes, std::string& text) {
    const shared_base_figures base = decoder.shared_base();
    constexpr double mib = 0x1p20;
    text += format(
        "base %.3f MiB a process: %.3f of the layers (1 of %zu parts), %.3f to gather two, %.3f "
        "that each has\n",
        decoder.weight_bytes() / mib, base.own_bytes / mib, processes.size(), base.room_bytes / mib,
        (decoder.weight_bytes() - base.own_bytes - base.room_bytes) / mib);
    text += format(
        "each process receives %.3f MiB of layers a step, in %.4g passes, and adds up %.3f MiB of "
        "gradients\n",
        (base.received_bytes - received) * passes / mib, passes, gradient / mib);
}

}  // namespace

result<std::string> dry_run(const trainable_decoder& decoder, const data_set& data,
                            const training_settings& settings, process_group& processes,
                            const tokenizer& words) try {
    trainer trial(decoder, data, settings, processes);
    const auto [largest, pass_tokens] = trial.largest_pass();
    CUSET_TRY(check_memory(decoder, pass_tokens));
    CUSET_TRY(trial.keep_reference({}));
    constexpr std::size_t shown = 0;
    CUSET_ASSIGN(const pass_trial first, trial.try_pass(std::span(&shown, 1)));
    // Not those of the first pass, which begins without a layer.
    const double received = decoder.shared_base().received_bytes;
    CUSET_ASSIGN(const pass_trial most, trial.try_pass(largest));
    std::size_t longest = 0, tokens = 0, parameters = 0;
    std::vector<std::size_t> lengths;
    for (const auto& pair : data.pairs) {
        lengths.push_back(pair.length());
        tokens += pair.length();
        longest = std::max(longest, pair.length());
    }
    for (const auto& p : decoder.parameters())
        parameters += static_cast<std::size_t>(p.value.numel());

    std::string text;
    append_sample(data.pairs[shown], first, settings.objective, words, text);
    if (settings.objective.tau_warmup > 0)
        text += format("the mask above is that of step %zu on, when tau has risen to %g\n",
                       settings.objective.tau_warmup + 1, settings.objective.tau);
    if (settings.objective.divides_weights())
        text += "the weight above is not yet divided by the mean of its step\n";
    const double speed = static_cast<double>(pass_tokens) / most.seconds;
    batch_plan plan(settings.batches, lengths);
    const double epochs = settings.max_steps > 0 ? static_cast<double>(settings.max_steps) /
                                                       static_cast<double>(plan.steps_in(1))
                                                 : settings.epochs;
    text += format("samples %zu, tokens %zu (%zu of responses), the longest %zu\n",
                   data.pairs.size(), tokens, data.response_tokens(), longest);
    text += format("steps %zu, epochs %.4g\n", trial.total_steps(), epochs);
    text += format("trained parameters %zu\n", parameters);
    text += format(
        "speed %.4g tokens/s, so about %.0f s for the run\n", speed,
        static_cast<double>(tokens) * epochs / (speed * static_cast<double>(processes.size())));
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    text +=
        format("peak memory %.0f MiB (estimated %.0f) for a pass of %zu tokens\n",
               static_cast<double>(usage.ru_maxrss) / 1024,
               estimated_bytes(decoder, pass_tokens, decoder.recomputes()) / 0x1p20, pass_tokens);
    if (decoder.shares_base())
        append_exchanges(decoder, processes, static_cast<double>(parameters) * sizeof(float),
                         received, trial.passes_a_step(), text);
    return text;
} catch (const std::exception& exception) {
    return training_error(exception);
}

}  // namespace cuset
