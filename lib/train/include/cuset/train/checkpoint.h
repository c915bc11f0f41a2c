// Checkpoints: folders checkpoint-N of a run, where N is the number of steps done. Each holds the
// adapter (or model) as at the end of a run, state.safetensors (parameters and moments in float)
// and trainer_state.json. Random numbers and the data's order are functions of the settings and of
// N. What run_state has is kept beside them, and else nothing has to be.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/model/trainable_decoder.h"
#include "cuset/train/optimizer.h"
#include "cuset/train/run_settings.h"

namespace cuset {

/// The state of a run beside its parameters and the optimiser.
struct run_state {
    double seconds = 0;                                          ///< of training
    std::size_t tokens = 0;                                      ///< trained on, prompts included
    double best_loss = std::numeric_limits<double>::infinity();  ///< of all evaluations
    std::size_t best_step = 0;
    std::size_t evaluations_since_best = 0;
    at::Tensor best;      ///< parameters at that time, flat; undefined if they are not kept
    at::Tensor dropped;   ///< trainer::dropped_tokens() before the first step, until it is compared
    at::Tensor stubborn;  ///< trainer::stubborn_state(); undefined if empty
    std::vector<double> first_drops;       ///< the shares that the first steps left out
    std::vector<std::size_t> extended_at;  ///< the steps from which the run was made longer
};

/// Writes run/checkpoint-N: first as a hidden folder, which is renamed when it is whole and on
/// disk. If it fails, nothing of it stays.
status write_checkpoint(const std::filesystem::path& run, const trainable_decoder& decoder,
                        const adamw& optimizer, const run_state& state,
                        std::span<const named_setting> settings);

/// Loads a checkpoint's parameters, moments and steps into decoder and optimizer. error_kind::usage
/// lists the settings that differ there; error_kind::data: cut off, or of another model. With
/// `extend` the length of the run may differ, which extended_at then notes.
result<run_state> read_checkpoint(const std::filesystem::path& checkpoint,
                                  const trainable_decoder& decoder, adamw& optimizer,
                                  std::span<const named_setting> settings, bool extend = false);

/// The checkpoint with the most steps.
std::optional<std::filesystem::path> latest_checkpoint(const std::filesystem::path& run);

/// Removes the checkpoints up to step `step`, except the last `keep` of them.
void remove_old_checkpoints(const std::filesystem::path& run, std::size_t step, std::size_t keep);

/// Called before a run begins or continues: removes what a killed run left half made, and restores
/// a checkpoint that it was about to replace.
void tidy_checkpoints(const std::filesystem::path& run);

/// Writes the optimiser's moments and the number of steps that they come from, earlier runs'
/// included, for another run to begin with; and loads them. Data errors as of read_checkpoint().
status write_moments(const std::filesystem::path& file, const adamw& optimizer);
status read_moments(const std::filesystem::path& file, adamw& optimizer);

/// Copies all parameters into one row; and back.
at::Tensor flat_parameters(const trainable_decoder& decoder);
void set_parameters(const trainable_decoder& decoder, const at::Tensor& flat);

}  // namespace cuset
