// Training steps: passes, loss, update. training_run writes the files.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/model/trainable_decoder.h"
#include "cuset/processes/process_group.h"
#include "cuset/train/batch_plan.h"
#include "cuset/train/data_set.h"
#include "cuset/train/head_loss.h"
#include "cuset/train/objective.h"
#include "cuset/train/optimizer.h"
#include "cuset/train/schedule.h"
#include "cuset/train/stubborn_tokens.h"

namespace cuset {

struct training_settings {
    objective_settings objective;
    schedule_settings schedule;
    adamw_settings optimizer;
    batch_settings batches;
    double epochs = 3;
    std::size_t max_steps = 0;       ///< 0: as `epochs` says
    std::size_t pass_tokens = 4096;  ///< in one forward pass; more samples of a step share it
    bool deterministic = false;      ///< the same bits in every run, on a GPU too
};

/// The results of a step. Sums are over the step's samples on all processes.
struct step_report {
    std::size_t step = 0, total_steps = 0;  ///< this one, from 1
    double epoch = 0;                       ///< epochs done after it
    double loss = 0;                        ///< of the step, as the objective defines it
    double nll = 0;                         ///< mean −log p of a response token
    double gradient_norm = 0;               ///< before the clip
    double learning_rate = 0;
    double mean_confidence = 0;  ///< of a response token
    double mask_share = 0;       ///< of the response tokens that have a coefficient
    double mean_weight = 0;      ///< of a sample, before a division by it
    double reward_margin = 0;    ///< dpo: mean z of a pair
    double accuracy = 0;         ///< dpo: the share of the pairs with z > 0
    /// grpo, of a token of an answer that is not masked: mean r, the share whose gradient the clip
    /// took, and the mean divergence from the model at the start (0 where it has no weight).
    double ratio = 0, clip_share = 0, divergence = 0;
    std::size_t tokens = 0;  ///< prompts included
    bool stop = false;       ///< a process has been asked to stop
};

/// The model on samples that it is not trained on, without dropout.
struct evaluation {
    /// Mean −log p of a response token, as transformers' eval_loss; dpo: its loss.
    double loss = 0;
    double mean_confidence = 0;
    double reward_margin = 0, accuracy = 0;  ///< dpo: as in a step_report
};

/// Samples that share a forward pass.
struct pass_samples {
    std::vector<std::size_t> samples;
    std::size_t tokens = 0;
};

/// The results of a pass without an update.
struct pass_trial {
    std::vector<sample_loss> samples;
    pass_outcome outcome;
    double seconds = 0;  ///< forward and backward
};

class trainer {
public:
    /// All arguments outlive the object; `settings.batches.processes` is the group's size. `data`
    /// is not empty, and the same on all processes. The call sets for the whole program whether
    /// LibTorch's algorithms are deterministic.
    trainer(const trainable_decoder& decoder, const data_set& data,
            const training_settings& settings, process_group& processes);

    std::size_t total_steps() const { return total_; }
    std::size_t steps_done() const { return optimizer_.steps_done(); }
    adamw& optimizer() { return optimizer_; }
    const adamw& optimizer() const { return optimizer_; }

    /// For objectives that keep it, computes the log-probabilities of all response tokens, also of
    /// `held_out`, by the model as it is now, without dropout: call it while the parameters are
    /// those of the start, before any other function. It keeps four bytes a token. Others: nothing.
    status keep_reference(const data_set& held_out);

    /// The samples of this process's largest pass in the first epoch, by tokens.
    pass_samples largest_pass();

    /// The mean number of passes in a step of the first epoch.
    double passes_a_step();

    /// Runs a forward and a backward pass; parameters and gradient stay as they were.
    result<pass_trial> try_pass(std::span<const std::size_t> samples);

    /// Does the next step. `stop_wanted` is called after its passes; the report says whether any
    /// process was asked to stop. On a GPU the host waits only when all of the step is queued, or
    /// all but the update where the weights are divided by their mean. A loss or gradient that is
    /// not finite is a data error that names the step's samples, and the parameters stay as they
    /// were.
    result<step_report> step(const std::function<bool()>& stop_wanted = {});

    /// A loss that is not finite is a data error.
    result<evaluation> evaluate(const data_set& held_out);

    /// For each response token of some samples, in their order, 1 if the objective's confidence
    /// mask, by its last τ, leaves it out and 0 if not, by the model without dropout. The same on
    /// all processes.
    result<std::vector<float>> dropped_tokens(std::span<const std::size_t> samples);

    /// stubborn_tokens::state(), which a run that goes on from here needs; empty for objectives
    /// that watch no tokens. The same on all processes.
    std::vector<float> stubborn_state() const;
    /// Takes that of a checkpoint, whose steps are done.
    status restore_stubborn_state(std::span<const float> state);

    /// The number of steps in this many epochs.
    std::size_t steps_in(double epochs) { return plan_.steps_in(epochs); }

private:
    struct step_sums;
    struct pass_of_step {
        std::vector<std::size_t> samples;
        pass_outcome outcome;
    };
    void check_others() const;
    /// Calls each(samples) for every pass of this process's share of some samples. If processes
    /// share the base, a pass is an exchange: all have as many passes as the one with most, the
    /// last of which may have no samples.
    template <class Each>
    void for_passes(const data_set& data, std::span<const std::size_t> samples,
                    const Each& each) const;
    /// By sample, then by response token, those of the rejected response last.
    using kept_log_p = std::vector<std::vector<float>>;
    struct pass_input {
        std::vector<training_sample> inputs;
        std::vector<loss_sample> targets;
    };
    pass_input input_of(const data_set& data, const kept_log_p& reference,
                        std::span<const std::size_t> samples, std::size_t epoch) const;
    result<kept_log_p> log_p_of(const data_set& data) const;
    pass_outcome pass(std::span<const std::size_t> samples, std::size_t epoch,
                      const objective_settings& objective, const step_totals& totals) const;
    /// Divides gradient and loss by the mean of the step's weights.
    void divide_by_mean_weight(step_sums& sums, std::size_t samples);
    /// Tells stubborn_ what the step's passes say of these samples, by the step's τ.
    status watch_tokens(std::span<const pass_of_step> passes, std::span<const std::size_t> samples,
                        double tau);
    result<step_report> take_step(const std::function<bool()>& stop_wanted);
    result<evaluation> evaluate_share(const data_set& held_out);
    /// The model's results for this process's share of some samples, without dropout:
    /// each(samples, input, outcome) for every pass. `samples` are places in `data`.
    template <class Each>
    void for_evaluated(const data_set& data, const kept_log_p& reference,
                       std::span<const std::size_t> samples, const Each& each) const;
    result<std::vector<float>> find_dropped(std::span<const std::size_t> samples);
    status not_finite(const char* what, std::size_t number,
                      std::span<const std::size_t> samples) const;

    const trainable_decoder& decoder_;
    const data_set& data_;
    const training_settings& settings_;
    process_group& processes_;
    batch_plan plan_;
    std::size_t total_;
    adamw optimizer_;
    kept_log_p reference_, held_out_reference_;
    std::optional<stubborn_tokens> stubborn_;
    bool has_updated_ = false;  ///< in this process: the update's kernels are loaded
};

}  // namespace cuset
