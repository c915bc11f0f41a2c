// The training loop: passes, loss, update, log.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>

#include "cuset/base/status.h"
#include "cuset/model/trainable_decoder.h"
#include "cuset/train/batch_plan.h"
#include "cuset/train/data_set.h"
#include "cuset/train/objective.h"
#include "cuset/train/optimizer.h"
#include "cuset/train/schedule.h"

namespace cuset {

struct training_settings {
    objective_settings objective;
    schedule_settings schedule;
    adamw_settings optimizer;
    batch_settings batches;
    double epochs = 3;
    std::size_t max_steps = 0;       ///< 0: as `epochs` says
    std::size_t pass_tokens = 4096;  ///< of one forward pass; more samples of a step share one
    std::size_t log_every = 1;
};

/// What a step did. Sums are over all samples of the step.
struct step_report {
    std::size_t step = 0, total_steps = 0;  ///< this one, from 1
    double epoch = 0;                       ///< epochs done after it
    double loss = 0;                        ///< of the step, as the objective defines it
    double nll = 0;                         ///< mean −log p of a response token
    double gradient_norm = 0;               ///< before the clip
    double learning_rate = 0;
    double mean_confidence = 0;  ///< of a response token
    double mask_share = 0;       ///< of the response tokens that have a coefficient
    double mean_weight = 0;      ///< of a sample
    std::size_t tokens = 0;      ///< prompts included
    double seconds = 0;          ///< since training began
};

/// How many steps a run has.
std::size_t total_steps(const training_settings& settings, std::size_t samples);

/// Trains `decoder` on `data`. `report` is called after each step that log_every names, and after
/// the last. A loss or gradient that is not finite is a data error that names the step's samples,
/// and leaves the parameters as the step before it made them. The longest sample goes through a
/// forward and a backward pass before the first step, so that a run that does not fit fails at
/// once.
status train(const trainable_decoder& decoder, const data_set& data,
             const training_settings& settings,
             const std::function<status(const step_report&)>& report);

}  // namespace cuset
