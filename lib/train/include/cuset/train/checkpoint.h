// Checkpoints: folders checkpoint-N of a run, N the steps done. Each holds the adapter (or model)
// as the end of a run would, state.safetensors (parameters and moments in float) and
// trainer_state.json. Random numbers and the data's order are functions of the settings and of N,
// so that is all there is to keep.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>

#include "cuset/base/status.h"
#include "cuset/model/trainable_decoder.h"
#include "cuset/train/optimizer.h"
#include "cuset/train/run_settings.h"

namespace cuset {

/// What a run knows beside its parameters and the optimiser.
struct run_state {
    double seconds = 0;                                          ///< of training
    std::size_t tokens = 0;                                      ///< trained on, prompts included
    double best_loss = std::numeric_limits<double>::infinity();  ///< of all evaluations
    std::size_t best_step = 0;
    std::size_t evaluations_since_best = 0;
    at::Tensor best;  ///< parameters then, flat; undefined where they are not kept
};

/// Writes run/checkpoint-N: as a hidden folder first, renamed when it is whole and on disk. Where
/// it fails nothing of it stays.
status write_checkpoint(const std::filesystem::path& run, const trainable_decoder& decoder,
                        const adamw& optimizer, const run_state& state,
                        std::span<const named_setting> settings);

/// Puts a checkpoint's parameters, moments and steps into decoder and optimizer.
/// error_kind::usage lists the settings that are other ones there; error_kind::data: cut off, or
/// of another model.
result<run_state> read_checkpoint(const std::filesystem::path& checkpoint,
                                  const trainable_decoder& decoder, adamw& optimizer,
                                  std::span<const named_setting> settings);

/// The checkpoint with the most steps.
std::optional<std::filesystem::path> latest_checkpoint(const std::filesystem::path& run);

/// Of the checkpoints up to step `step` removes all but the last `keep`.
void remove_old_checkpoints(const std::filesystem::path& run, std::size_t step, std::size_t keep);

/// Before a run begins or goes on: removes what a killed one left half made, and puts back a
/// checkpoint that it was about to replace.
void tidy_checkpoints(const std::filesystem::path& run);

/// All parameters in one row, a copy; and back.
at::Tensor flat_parameters(const trainable_decoder& decoder);
void set_parameters(const trainable_decoder& decoder, const at::Tensor& flat);

}  // namespace cuset
