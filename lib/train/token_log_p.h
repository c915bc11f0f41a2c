// The log-probabilities of the response tokens of some samples, of which each process computes a
// share.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/processes/process_group.h"
#include "cuset/train/data_set.h"
#include "cuset/train/head_loss.h"

namespace cuset {

class token_log_p {
public:
    /// `data` outlives the object.
    token_log_p(const data_set& data, std::span<const std::size_t> samples);

    /// Takes those of a pass over these samples, in this order. It waits for the device.
    void add(std::span<const std::size_t> samples, const pass_outcome& outcome);
    /// Called on all processes after their passes: each has those of all samples then.
    status add_up(process_group& processes);
    /// By response token, those of the rejected response last.
    std::span<const double> of(std::size_t sample) const;

private:
    const data_set& data_;
    std::map<std::size_t, std::size_t> first_token_;  // of each sample
    std::vector<double> values_;                      // zeros where another process has them
};

}  // namespace cuset
