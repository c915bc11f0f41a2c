// The folder that a run writes: run.json, trainer_log.jsonl, checkpoints, and at the end the
// adapter, loss_curve.svg and trainer_log.csv.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cuset/base/fd.h"
#include "cuset/base/status.h"
#include "cuset/model/product_choice.h"
#include "cuset/train/event_log.h"
#include "cuset/train/run_settings.h"

namespace cuset {

/// A usage error if `path` holds a run, finished or not, or a model.
status check_unused(const std::filesystem::path& path);

/// Who computes the products of the run in `path`, by its run.json. MKL does in a run whose record
/// is older than the choice; nothing if there is no record.
std::optional<product_choice> recorded_products(const std::filesystem::path& path);

class run_folder {
public:
    /// Creates the folder if it is missing, and locks it against other runs. Unless `resume`, it
    /// must pass check_unused(); with `resume`, it must hold a run if it holds anything.
    static result<run_folder> open(const std::filesystem::path& path, bool resume);

    const std::filesystem::path& path() const { return path_; }

    /// Whether run.json says that the run has finished.
    bool is_finished() const { return finished_; }
    /// The run's settings in run.json; empty if there is none.
    const std::string& recorded_settings() const { return recorded_; }
    /// The number of steps in run.json; 0 if there is none.
    std::size_t recorded_steps() const { return steps_; }

    /// Writes run.json, an object whose "settings" and "finished" a later open() reads.
    status write_record(const std::string& json) const;

    /// Keeps the log's lines up to a step (0: none). Lines that a killed run logged after its last
    /// checkpoint are dropped, since they come again.
    status cut_log(std::size_t last_step);
    /// Appends a line; a reader sees it whole or not at all.
    status append_log(const std::string& line);

    /// From here on the log's lines go to an event file in `events`, too.
    status copy_log_to(const std::filesystem::path& events, std::size_t steps_done);

    /// Draws loss_curve.svg from the log of a run with this objective.
    status draw_losses(const std::string& objective) const;

    /// Writes trainer_log.csv: a column for each member that a line of the log has, a row a line.
    status write_table() const;

private:
    std::filesystem::path path_;
    unique_fd lock_, log_;
    std::optional<event_log> events_;
    bool finished_ = false;
    std::size_t steps_ = 0;
    std::string recorded_;
};

}  // namespace cuset
