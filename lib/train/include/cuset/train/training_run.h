// A whole run: steps, evaluations, checkpoints, log and the adapter at the end.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/train/run_folder.h"
#include "cuset/train/trainer.h"

namespace cuset {

struct run_options {
    std::filesystem::path folder;
    std::size_t log_every = 1;   ///< steps
    std::size_t save_every = 0;  ///< steps, and the last; 0: a checkpoint only if a run is stopped
    std::size_t keep = 2;        ///< checkpoints
    std::size_t evaluate_every = 0;  ///< steps; 0: after each epoch
    /// Ends the run when this many evaluations in a row were no better than the best, whose
    /// parameters are then the result; 0: off.
    std::size_t patience = 0;
    bool resume = false;                ///< from the latest checkpoint, if there is one
    std::filesystem::path resume_from;  ///< from this one
    /// A run that is resumed may have more steps now. It goes on from its checkpoint as a run that
    /// had them from the start: the order of samples, dropout and the optimiser's moments depend on
    /// the number of the step alone, and the learning rate of each step left is that of the longer
    /// run. The steps done stay as they were. A finished run without a checkpoint is refused.
    bool extend = false;
    /// Whether the optimiser's moments stay in the folder (optimizer_file), for another run.
    bool keeps_moments = false;
    std::filesystem::path first_moments{};  ///< the file that the run begins with; empty: zeros
    std::filesystem::path events{};         ///< a folder for TensorBoard's event files; empty: none
    std::vector<named_setting> more_settings{};  ///< of the caller, for run.json
    std::string version;                         ///< of the program, and
    std::string library_versions;  ///< lines about libraries and devices, for run.json
    std::function<bool()> stop_wanted = [] { return false; };  ///< asked in every step
};

inline constexpr const char* optimizer_file = "optimizer.safetensors";

struct run_outcome {
    std::size_t steps = 0;     ///< done in all
    bool interrupted = false;  ///< stop_wanted was true: a checkpoint holds what was done
};

/// Trains to the end, or until asked to stop. Only the first process writes. The largest pass runs
/// before the first step, so that a run that does not fit fails at once, and the message says what
/// would fit. `held_out` may be empty.
result<run_outcome> run_training(const trainable_decoder& decoder, const data_set& data,
                                 const data_set& held_out, const training_settings& settings,
                                 const run_options& options, process_group& processes);

}  // namespace cuset
