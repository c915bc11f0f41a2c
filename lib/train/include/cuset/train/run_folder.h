// The folder that a run writes: run.json, trainer_log.jsonl, loss_curve.svg, checkpoints, and at
// the end the adapter.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cuset/base/fd.h"
#include "cuset/base/status.h"
#include "cuset/train/run_settings.h"

namespace cuset {

/// A usage error where `path` holds a run, finished or not, or a model.
status check_unused(const std::filesystem::path& path);

class run_folder {
public:
    /// Makes the folder where it is not there, and locks it against other runs. Unless `resume`,
    /// it must pass check_unused(); with it, what is there must be a run.
    static result<run_folder> open(const std::filesystem::path& path, bool resume);

    const std::filesystem::path& path() const { return path_; }

    /// Whether run.json says that the run came to its end.
    bool is_finished() const { return finished_; }
    /// The run's settings as run.json has them; empty where there is none.
    const std::string& recorded_settings() const { return recorded_; }

    /// Writes run.json, an object whose "settings" and "finished" a later open() reads.
    status write_record(const std::string& json) const;

    /// Keeps the log's lines up to a step (0: none); what a killed run logged behind its last
    /// checkpoint is dropped, since it comes again.
    status cut_log(std::size_t last_step);
    /// Appends a line, whole or not at all for a reader.
    status append_log(const std::string& line);

    /// Draws loss_curve.svg from the log.
    status draw_losses(const std::string& title) const;

private:
    std::filesystem::path path_;
    unique_fd lock_, log_;
    bool finished_ = false;
    std::string recorded_;
};

}  // namespace cuset
