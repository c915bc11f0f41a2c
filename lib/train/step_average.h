// The averages of trainer_log.jsonl over the steps since its last line.
#pragma once

#include <cstddef>

#include "cuset/stream/json_writer.h"
#include "cuset/train/trainer.h"

namespace cuset {

class step_average {
public:
    void add(const step_report& step);
    double loss() const { return sums_.loss / static_cast<double>(count_); }
    /// Writes the members of a line that the objective has.
    void write(const objective_settings& objective, json_writer& json) const;

private:
    step_report sums_;
    std::size_t count_ = 0;
};

}  // namespace cuset
