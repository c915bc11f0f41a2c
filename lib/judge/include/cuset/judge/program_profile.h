// CUDABench's score of a program by Nsight Compute (cuset-eval --profile ncu).
#pragma once

#include <string>

#include "cuset/cost/roofline_score.h"
#include "cuset/stream/json_writer.h"

namespace cuset {

/// What ncu measured of a program's run on a task's first inputs.
struct program_profile {
    std::string not_profiled{};  ///< why there is no score; then the rest is not set
    roofline_score roofline{};
    bool operator==(const program_profile&) const = default;
};

/// {"score":0.43,"bandwidth_utilization":0.43,"compute_efficiency":0.02,"kernel":"k(float *)",
/// "kernels":1,"launches":3,"flops_per_second":…,"bytes_per_second":…,"peak_flops_per_second":…,
/// "peak_bytes_per_second":…}, where kernel is the one that counts, with its launches; or
/// {"not_profiled":"why"}.
void write_profile(const program_profile& profile, json_writer& json);

}  // namespace cuset
