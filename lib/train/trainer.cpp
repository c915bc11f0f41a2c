#include "cuset/train/trainer.h"

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numeric>
#include <tuple>

#include "cuset/base/random_key.h"
#include "cuset/model/device_kernels.h"
#include "cuset/train/mask_watch.h"
#include "token_blame.h"
#include "token_log_p.h"
#include "torch_errors.h"

namespace cuset {

namespace {

std::vector<std::size_t> lengths_of(const data_set& data) {
    std::vector<std::size_t> lengths;
    lengths.reserve(data.pairs.size());
    for (const auto& pair : data.pairs) lengths.push_back(pair.length());
    return lengths;
}

std::size_t tokens_of(const data_set& data, std::span<const std::size_t> samples) {
    std::size_t tokens = 0;
    for (const std::size_t i : samples) tokens += data.pairs[i].length();
    return tokens;
}

/// Those that the norm `tokens` divides by. dpo has no such norm.
std::size_t counted_tokens(const training_pair& pair, const objective_settings& objective) {
    if (pair.is_masked) return 0;
    if (objective.kind != objective_kind::grpo) return pair.response_tokens();
    return blamed_tokens(objective, pair.response_tokens(), &pair.sensitive, pair.old_log_p);
}

std::vector<std::size_t> all_of(const data_set& data) {
    std::vector<std::size_t> all(data.pairs.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
}

}  // namespace

/// The sums that processes add up after their passes.
struct trainer::step_sums {
    double loss = 0, nll = 0, confidence = 0, kept = 0, weight = 0;
    double not_finite = 0, stop = 0;
    double margin = 0, preferred = 0, ratio = 0, clipped = 0, divergence = 0;

    void add(const sample_loss& s) {
        loss += s.loss;
        nll += s.nll;
        confidence += s.mean_confidence * static_cast<double>(s.tokens);
        kept += static_cast<double>(s.kept);
        weight += s.weight;
        margin += s.verdict.margin;
        preferred += s.verdict.preferred;
        ratio += s.verdict.ratio;
        clipped += s.verdict.clipped;
        divergence += s.verdict.divergence;
        if (!s.finite || !std::isfinite(s.loss)) not_finite += 1;
    }

    status add_up(process_group& processes) {
        std::array values{loss, nll,    confidence, kept,  weight,  not_finite,
                          stop, margin, preferred,  ratio, clipped, divergence};
        CUSET_TRY(processes.sum(values));
        std::tie(loss, nll, confidence, kept, weight, not_finite, stop, margin, preferred, ratio,
                 clipped, divergence) = std::tuple_cat(values);
        return {};
    }
};

trainer::trainer(const trainable_decoder& decoder, const data_set& data,
                 const training_settings& settings, process_group& processes)
    : decoder_(decoder),
      data_(data),
      settings_(settings),
      processes_(processes),
      plan_(settings.batches, lengths_of(data)),
      total_(settings.max_steps > 0 ? settings.max_steps : plan_.steps_in(settings.epochs)),
      optimizer_(decoder.parameters(), settings.optimizer) {
    if (settings.objective.watches_tokens()) stubborn_.emplace(data);
    at::globalContext().setDeterministicAlgorithms(settings.deterministic, false);
}

trainer::pass_input trainer::input_of(const data_set& data, const kept_log_p& reference,
                                      std::span<const std::size_t> samples,
                                      std::size_t epoch) const {
    pass_input pass;
    for (const std::size_t i : samples) {
        const training_pair& pair = data.pairs[i];
        const std::uint64_t key = mixed_key(mixed_key(settings_.batches.seed, epoch), i);
        const auto response = std::span(pair.tokens).subspan(pair.prompt_length);
        pass.inputs.push_back({pair.tokens, pair.prompt_length, key});
        pass.targets.push_back({response,
                                &pair.sensitive,
                                &pair.left_out,
                                pair.weight,
                                {},
                                pair.old_log_p,
                                pair.advantage,
                                pair.is_masked});
        const std::span<const float> kept =
            i < reference.size() ? std::span<const float>(reference[i]) : std::span<const float>();
        if (!kept.empty()) pass.targets.back().reference = kept.first(response.size());
        if (stubborn_ && &data == &data_) pass.targets.back().droppable = &stubborn_->droppable(i);
        if (pair.rejected.empty()) continue;
        // One key for both sides: their prompts' tokens get the same dropout, which leaves less
        // noise in the difference.
        pass.inputs.push_back({pair.rejected, pair.rejected_prompt_length, key});
        pass.targets.push_back({std::span(pair.rejected).subspan(pair.rejected_prompt_length),
                                &pair.rejected_sensitive});
        if (!kept.empty()) pass.targets.back().reference = kept.subspan(response.size());
    }
    return pass;
}

/// Adds the gradients of some samples, in one pass. Of none it is the exchanges of a pass.
pass_outcome trainer::pass(std::span<const std::size_t> samples, std::size_t epoch,
                           const objective_settings& objective, const step_totals& totals) const {
    if (samples.empty()) {
        if (objective.needs_reference()) decoder_.take_part(pass_kind::reference);
        decoder_.take_part(pass_kind::training);
        return {};
    }
    const auto [inputs, targets] = input_of(data_, reference_, samples, epoch);
    at::Tensor reference;
    if (objective.needs_reference()) reference = decoder_.hidden_rows(inputs, pass_kind::reference);
    const at::Tensor hidden = decoder_.hidden_rows(inputs, pass_kind::training);
    head_loss result =
        fused_head_loss(hidden, decoder_.head(), targets, objective, totals, reference);
    torch::autograd::backward({result.loss}, {});
    return std::move(result.outcome);
}

/// Throws what training_error() takes. A step may have minutes of passes before its sum.
void trainer::check_others() const {
    if (status alive = processes_.check_others(); !alive) throw failed_exchange(std::move(alive));
}

template <class Each>
void trainer::for_passes(const data_set& data, std::span<const std::size_t> samples,
                         const Each& each) const {
    const auto passes_of = [&](const std::vector<std::size_t>& share) {
        std::vector<std::size_t> lengths;
        for (const std::size_t i : share) lengths.push_back(data.pairs[i].length());
        return cut_passes(lengths, settings_.pass_tokens);
    };
    const auto share = share_of(samples, processes_.rank(), processes_.size());
    const auto ends = passes_of(share);
    std::size_t first = 0;
    for (const std::size_t last : ends) {
        each(std::span(share).subspan(first, last - first));
        first = last;
    }
    if (!decoder_.shares_base()) return;
    std::size_t most = 0;
    for (std::size_t rank = 0; rank < processes_.size(); ++rank)
        most = std::max(most, passes_of(share_of(samples, rank, processes_.size())).size());
    for (std::size_t pass = ends.size(); pass < most; ++pass) each(std::span<const std::size_t>());
}

pass_samples trainer::largest_pass() {
    pass_samples largest;
    for (std::size_t number = 0; number < total_; ++number) {
        const batch_plan::step planned = plan_.at(number);
        if (planned.epoch > 0) break;
        for_passes(data_, planned.samples, [&](std::span<const std::size_t> samples) {
            const std::size_t tokens = tokens_of(data_, samples);
            if (tokens > largest.tokens) largest = {{samples.begin(), samples.end()}, tokens};
        });
    }
    return largest;
}

double trainer::passes_a_step() {
    std::size_t passes = 0, steps = 0;
    for (; steps < total_; ++steps) {
        const batch_plan::step planned = plan_.at(steps);
        if (planned.epoch > 0) break;
        for_passes(data_, planned.samples, [&](std::span<const std::size_t>) { ++passes; });
    }
    return static_cast<double>(passes) / static_cast<double>(steps);
}

result<pass_trial> trainer::try_pass(std::span<const std::size_t> samples) try {
    using clock = std::chrono::steady_clock;
    pass_trial trial;
    if (samples.empty()) {
        pass(samples, 0, settings_.objective, {});
        return trial;
    }
    step_totals totals{0, samples.size()};
    for (const std::size_t i : samples)
        totals.tokens += counted_tokens(data_.pairs[i], settings_.objective);
    const auto start = clock::now();
    trial.outcome = pass(samples, 0, settings_.objective, totals);
    trial.samples = trial.outcome.samples();
    wait_for(decoder_.device());
    trial.seconds = std::chrono::duration<double>(clock::now() - start).count();
    optimizer_.gradient().zero_();
    return trial;
} catch (const std::exception& exception) {
    return training_error(exception);
}

result<step_report> trainer::step(const std::function<bool()>& stop_wanted) try {
    return take_step(stop_wanted);
} catch (const std::exception& exception) {
    return training_error(exception);
}

result<step_report> trainer::take_step(const std::function<bool()>& stop_wanted) {
    const std::size_t number = optimizer_.steps_done();
    const batch_plan::step planned = plan_.at(number);
    step_totals totals{0, planned.samples.size()};
    step_report report;
    std::size_t response_tokens = 0;
    for (const std::size_t i : planned.samples) {
        totals.tokens += counted_tokens(data_.pairs[i], settings_.objective);
        response_tokens += data_.pairs[i].response_tokens();
        report.tokens += data_.pairs[i].length();
    }
    const objective_settings objective = at_step(settings_.objective, number);
    if (stubborn_) stubborn_->enter(planned.epoch);
    // All is queued before anything is read, so that the GPU waits for the host only here; where
    // weights are divided by their mean, all but the update.
    std::vector<pass_of_step> passes;
    for_passes(data_, planned.samples, [&](std::span<const std::size_t> samples) {
        check_others();
        pass_outcome outcome = pass(samples, planned.epoch, objective, totals);
        if (!samples.empty())
            passes.push_back({{samples.begin(), samples.end()}, std::move(outcome)});
    });
    CUSET_TRY(processes_.queue_sum(optimizer_.gradient()));
    step_sums sums;
    const auto add_up = [&] {
        sums.stop = stop_wanted && stop_wanted() ? 1 : 0;
        for (const pass_of_step& pass : passes)
            for (const sample_loss& s : pass.outcome.samples()) sums.add(s);
        return sums.add_up(processes_);
    };
    // Loading the update's kernels may wait for the device, and the device for a process that is
    // lost.
    if (!has_updated_ || objective.divides_weights()) CUSET_TRY(processes_.finish_sum());
    has_updated_ = true;
    if (objective.divides_weights()) {
        CUSET_TRY(add_up());
        divide_by_mean_weight(sums, planned.samples.size());
    }
    optimizer_.queue_step(learning_rate(settings_.schedule, number, total_));
    CUSET_TRY(processes_.finish_sum());
    const adamw_outcome update = optimizer_.finish_step();
    if (!objective.divides_weights()) CUSET_TRY(add_up());
    // A loss that is not finite has made the gradient NaN, on every process.
    if (!update.updated)
        return not_finite(sums.not_finite > 0 ? "loss" : "gradient", number, planned.samples);
    if (stubborn_) CUSET_TRY(watch_tokens(passes, planned.samples, objective.tau));

    const auto tokens = static_cast<double>(response_tokens);
    report.step = number + 1;
    report.total_steps = total_;
    report.epoch = planned.epochs_done;
    report.loss = sums.loss;
    report.nll = sums.nll / tokens;
    report.mean_confidence = sums.confidence / tokens;
    report.mask_share = sums.kept / tokens;
    const auto samples = static_cast<double>(planned.samples.size());
    // The two sides of a pair weigh 1 each.
    report.mean_weight = sums.weight / samples;
    if (settings_.objective.records() == record_form::preferences) report.mean_weight /= 2;
    report.reward_margin = sums.margin / samples;
    report.accuracy = sums.preferred / samples;
    const auto counted = static_cast<double>(std::max<std::size_t>(1, totals.tokens));
    report.ratio = sums.ratio / counted;
    report.clip_share = sums.clipped / counted;
    report.divergence = sums.divergence / counted;
    report.stop = sums.stop > 0;
    report.learning_rate = update.learning_rate;
    report.gradient_norm = update.gradient_norm;
    return report;
}

void trainer::divide_by_mean_weight(step_sums& sums, std::size_t samples) {
    // Gradients that so small weights have multiplied keep all bits of a float; smaller ones do
    // not, and where all weights are 0 there is nothing to divide.
    constexpr double least_mean = 1e-20;
    const double mean = sums.weight / static_cast<double>(samples);
    if (!(mean >= least_mean)) return;
    optimizer_.gradient().mul_(1 / mean);
    sums.loss /= mean;
}

status trainer::watch_tokens(std::span<const pass_of_step> passes,
                             std::span<const std::size_t> samples, double tau) {
    token_log_p log_p(data_, samples);
    for (const pass_of_step& pass : passes) log_p.add(pass.samples, pass.outcome);
    CUSET_TRY(log_p.add_up(processes_));
    for (const std::size_t i : samples) {
        std::vector<bool> low;
        for (const double value : log_p.of(i)) {
            const std::size_t t = low.size();
            const std::vector<bool>& cuda = data_.pairs[i].sensitive;
            low.push_back(std::exp(value) <= tau && !(t < cuda.size() && cuda[t]));
        }
        stubborn_->see(i, std::move(low));
    }
    return {};
}

std::vector<float> trainer::stubborn_state() const {
    return stubborn_ ? stubborn_->state() : std::vector<float>();
}

status trainer::restore_stubborn_state(std::span<const float> state) {
    if (!stubborn_) return {};
    return stubborn_->restore(state, steps_done() > 0 ? plan_.at(steps_done() - 1).epoch : 0);
}

result<evaluation> trainer::evaluate(const data_set& held_out) try {
    return evaluate_share(held_out);
} catch (const std::exception& exception) {
    return training_error(exception);
}

template <class Each>
void trainer::for_evaluated(const data_set& data, const kept_log_p& reference,
                            std::span<const std::size_t> samples, const Each& each) const {
    for_passes(data, samples, [&](std::span<const std::size_t> here) {
        check_others();
        if (here.empty()) {
            decoder_.take_part(pass_kind::evaluation);
            return;
        }
        const pass_input input = input_of(data, reference, here, 0);
        each(here, input,
             head_log_probabilities(decoder_.hidden_rows(input.inputs, pass_kind::evaluation),
                                    decoder_.head(), input.targets));
    });
}

status trainer::keep_reference(const data_set& held_out) try {
    if (!settings_.objective.keeps_reference()) return {};
    CUSET_ASSIGN(reference_, log_p_of(data_));
    CUSET_ASSIGN(held_out_reference_, log_p_of(held_out));
    return {};
} catch (const std::exception& exception) {
    return training_error(exception);
}

result<trainer::kept_log_p> trainer::log_p_of(const data_set& data) const {
    const std::vector<std::size_t> all = all_of(data);
    token_log_p log_p(data, all);
    for_evaluated(data, {}, all,
                  [&](std::span<const std::size_t> here, const pass_input&,
                      const pass_outcome& done) { log_p.add(here, done); });
    CUSET_TRY(log_p.add_up(processes_));
    kept_log_p kept;
    for (const std::size_t i : all) {
        kept.emplace_back(log_p.of(i).begin(), log_p.of(i).end());
        if (!std::all_of(kept.back().begin(), kept.back().end(),
                         [](float value) { return std::isfinite(value); }))
            return data_error("a log-probability of " + data.pairs[i].id +
                              " by the model at the start is not finite");
    }
    return kept;
}

result<evaluation> trainer::evaluate_share(const data_set& held_out) {
    const bool judged = settings_.objective.learns_from_verdicts();
    const auto samples = static_cast<double>(held_out.pairs.size());
    std::array<double, 4> sums{};
    for_evaluated(held_out, held_out_reference_, all_of(held_out),
                  [&](std::span<const std::size_t>, const pass_input& input, pass_outcome outcome) {
                      if (judged)
                          add_figures(outcome, input.targets, settings_.objective,
                                      {held_out.response_tokens(), held_out.pairs.size()});
                      for (const sample_loss& s : outcome.samples()) {
                          sums[0] += judged ? s.loss : s.nll;
                          sums[1] += s.mean_confidence * static_cast<double>(s.tokens);
                          sums[2] += s.verdict.margin;
                          sums[3] += s.verdict.preferred;
                      }
                  });
    CUSET_TRY(processes_.sum(sums));
    if (!std::isfinite(sums[0]))
        return data_error("the held-out loss after step " +
                          std::to_string(optimizer_.steps_done()) + " is not finite");
    const auto tokens = static_cast<double>(held_out.response_tokens());
    return evaluation{judged ? sums[0] : sums[0] / tokens, sums[1] / tokens, sums[2] / samples,
                      sums[3] / samples};
}

result<std::vector<float>> trainer::dropped_tokens(std::span<const std::size_t> samples) try {
    return find_dropped(samples);
} catch (const std::exception& exception) {
    return training_error(exception);
}

result<std::vector<float>> trainer::find_dropped(std::span<const std::size_t> samples) {
    token_log_p log_p(data_, samples);
    for_evaluated(data_, {}, samples,
                  [&](std::span<const std::size_t> here, const pass_input&,
                      const pass_outcome& done) { log_p.add(here, done); });
    CUSET_TRY(log_p.add_up(processes_));
    std::vector<float> dropped;
    for (const std::size_t i : samples) {
        const std::vector<bool>& sensitive = data_.pairs[i].sensitive;
        std::size_t t = 0;
        for (const double value : log_p.of(i)) {
            const bool is_sensitive = t < sensitive.size() && sensitive[t];
            ++t;
            dropped.push_back(is_dropped(settings_.objective, std::exp(value), is_sensitive));
        }
    }
    return dropped;
}

status trainer::not_finite(const char* what, std::size_t number,
                           std::span<const std::size_t> samples) const {
    std::string message = std::string("the ") + what + " of step " + std::to_string(number + 1) +
                          " is not finite; its samples:";
    constexpr std::size_t most = 8;
    for (std::size_t i = 0; i < std::min(most, samples.size()); ++i)
        message += ' ' + data_.pairs[samples[i]].id;
    if (samples.size() > most) message += " and " + std::to_string(samples.size() - most) + " more";
    return data_error(std::move(message));
}

}  // namespace cuset
