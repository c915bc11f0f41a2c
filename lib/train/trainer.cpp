#include "cuset/train/trainer.h"

#include <ATen/ATen.h>
#include <c10/util/Exception.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>

#include "cuset/base/random_key.h"
#include "cuset/train/head_loss.h"

namespace cuset {

namespace {

using steady_clock = std::chrono::steady_clock;

class training_run {
public:
    training_run(const trainable_decoder& decoder, const data_set& data,
                 const training_settings& settings)
        : decoder_(decoder),
          data_(data),
          settings_(settings),
          plan_(settings.batches, data.pairs.size()),
          optimizer_(decoder.parameters(), settings.optimizer),
          total_(total_steps(settings, data.pairs.size())) {}

    status run(const std::function<status(const step_report&)>& report) {
        try_longest();
        const auto start = steady_clock::now();
        const std::size_t steps_per_epoch = plan_.steps_per_epoch();
        for (std::size_t step = 0; step < total_; ++step) {
            const std::size_t epoch = step / steps_per_epoch;
            const auto samples = plan_.step_samples(epoch, step % steps_per_epoch);
            CUSET_ASSIGN(step_report done, take_step(step, epoch, samples));
            done.total_steps = total_;
            done.epoch = static_cast<double>(step + 1) / static_cast<double>(steps_per_epoch);
            done.seconds = std::chrono::duration<double>(steady_clock::now() - start).count();
            if (done.step % settings_.log_every == 0 || done.step == total_)
                CUSET_TRY(report(done));
        }
        return {};
    }

private:
    training_sample input_of(std::size_t sample, std::size_t epoch) const {
        const training_pair& pair = data_.pairs[sample];
        const std::uint64_t key = mixed_key(mixed_key(settings_.batches.seed, epoch), sample);
        return {pair.tokens, pair.prompt_length, key};
    }

    /// Adds the gradients of some samples, in one pass.
    std::vector<sample_loss> pass(std::span<const std::size_t> samples, std::size_t epoch,
                                  const step_totals& totals) const {
        std::vector<training_sample> inputs;
        std::vector<loss_sample> targets;
        for (const std::size_t i : samples) {
            const training_pair& pair = data_.pairs[i];
            inputs.push_back(input_of(i, epoch));
            targets.push_back(
                {std::span(pair.tokens).subspan(pair.prompt_length), &pair.sensitive});
        }
        at::Tensor reference;
        if (settings_.objective.needs_reference())
            reference = decoder_.hidden_rows(inputs, pass_kind::reference);
        const at::Tensor hidden = decoder_.hidden_rows(inputs, pass_kind::training);
        head_loss result = fused_head_loss(hidden, decoder_.head(), targets, settings_.objective,
                                           totals, reference);
        torch::autograd::backward({result.loss}, {});
        return std::move(result.samples);
    }

    void try_longest() {
        const auto longest = std::max_element(
            data_.pairs.begin(), data_.pairs.end(),
            [](const auto& a, const auto& b) { return a.tokens.size() < b.tokens.size(); });
        const std::size_t sample = static_cast<std::size_t>(longest - data_.pairs.begin());
        pass(std::span(&sample, 1), 0, {longest->tokens.size() - longest->prompt_length, 1});
        optimizer_.gradient().zero_();
    }

    result<step_report> take_step(std::size_t step, std::size_t epoch,
                                  std::span<const std::size_t> samples) {
        step_totals totals{0, samples.size()};
        std::vector<std::size_t> lengths;
        for (const std::size_t i : samples) {
            const training_pair& pair = data_.pairs[i];
            totals.tokens += pair.tokens.size() - pair.prompt_length;
            lengths.push_back(pair.tokens.size());
        }
        step_report report;
        report.step = step + 1;
        report.learning_rate = learning_rate(settings_.schedule, step, total_);
        bool finite = true;
        double confidence = 0, weight = 0;
        std::size_t kept = 0, first = 0;
        for (const std::size_t last : cut_passes(lengths, settings_.pass_tokens)) {
            for (const sample_loss& s : pass(samples.subspan(first, last - first), epoch, totals)) {
                report.loss += s.loss;
                report.nll += s.nll;
                confidence += s.mean_confidence * static_cast<double>(s.tokens);
                weight += s.weight;
                kept += s.kept;
                finite = finite && s.finite && std::isfinite(s.loss);
            }
            first = last;
        }
        for (const std::size_t length : lengths) report.tokens += length;
        const auto count = static_cast<double>(totals.tokens);
        report.nll /= count;
        report.mean_confidence = confidence / count;
        report.mask_share = static_cast<double>(kept) / count;
        report.mean_weight = weight / static_cast<double>(samples.size());
        if (finite) report.gradient_norm = optimizer_.step(report.learning_rate);
        if (!finite || !std::isfinite(report.gradient_norm))
            return not_finite(finite ? "gradient" : "loss", report.step, samples);
        return report;
    }

    status not_finite(const char* what, std::size_t step,
                      std::span<const std::size_t> samples) const {
        std::string message = std::string("the ") + what + " of step " + std::to_string(step) +
                              " is not finite; its samples:";
        constexpr std::size_t most = 8;
        for (std::size_t i = 0; i < std::min(most, samples.size()); ++i)
            message += ' ' + data_.pairs[samples[i]].id;
        if (samples.size() > most)
            message += " and " + std::to_string(samples.size() - most) + " more";
        return data_error(std::move(message));
    }

    const trainable_decoder& decoder_;
    const data_set& data_;
    const training_settings& settings_;
    batch_plan plan_;
    adamw optimizer_;
    std::size_t total_;
};

}  // namespace

std::size_t total_steps(const training_settings& settings, std::size_t samples) {
    if (settings.max_steps > 0) return settings.max_steps;
    const auto steps = static_cast<double>(batch_plan(settings.batches, samples).steps_per_epoch());
    return static_cast<std::size_t>(std::ceil(settings.epochs * steps));
}

status train(const trainable_decoder& decoder, const data_set& data,
             const training_settings& settings,
             const std::function<status(const step_report&)>& report) try {
    if (data.pairs.empty()) return data_error("no sample to train on");
    return training_run(decoder, data, settings).run(report);
} catch (const c10::Error& error) {
    const std::string text = error.what_without_backtrace();
    return unsupported("training cannot run here: " + text.substr(0, text.find('\n')));
} catch (const std::bad_alloc&) {
    return unsupported("training does not fit into memory: out of memory");
}

}  // namespace cuset
