// An event file of TensorBoard: the figures of a run's log, for what draws such files.
//
// A file is records of 8 bytes of length, little endian, 4 bytes of masked CRC-32C of these, the
// data, and 4 bytes of masked CRC-32C of the data. Masked is ((crc >> 15) | (crc << 17)) +
// 0xa282ead8. The data are protobuf messages `Event` (tensorflow/core/util/event.proto).
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "cuset/base/fd.h"
#include "cuset/base/status.h"

namespace cuset {

class event_log {
public:
    /// Creates a file of a new name in `folder`, which is created if it is missing. `first_step` is
    /// that of the next record: of earlier files in the folder, readers drop it and all after it.
    static result<event_log> create(const std::filesystem::path& folder, std::size_t first_step);

    /// Appends the numbers of a line of trainer_log.jsonl under their names, after "eval/" where
    /// these begin with eval_, and else after "train/". current_steps is the record's step.
    /// Counts of steps and what is no number are left out.
    status append(std::string_view line);

private:
    status append_event(const std::string& event);

    std::filesystem::path path_;
    unique_fd file_;
};

}  // namespace cuset
