// CUDABench's score of a program: how near its kernel comes to the roofline of the GPU.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "cuset/base/status.h"
#include "cuset/cost/ncu_table.h"

namespace cuset {

/// Figures of the kernel that counts. Work is single precision alone; traffic is that of the
/// device's memory.
struct roofline_score {
    std::string kernel;
    std::uint64_t kernels = 0;              ///< of the program, by name
    std::uint64_t launches = 0;             ///< of the kernel that counts
    double flops = 0, bytes = 0;            ///< a second
    double peak_flops = 0, peak_bytes = 0;  ///< a second
    double bandwidth_utilization = 0;       ///< bytes / peak_bytes
    double compute_efficiency = 0;          ///< flops / peak_flops
    double score = 0;
    bool operator==(const roofline_score&) const = default;
};

/// As CUDABench's Evaluate/evaluator_core.py has it (2026), over the means of a kernel's launches:
///     flops       (2 ffma + fmul + fadd) · partition_clock
///     peak_flops  2 peak_ffma · clock
///     peak_bytes  peak_bytes · memory_clock
///     score       flops / min(peak_flops, flops / bytes · peak_bytes), or bandwidth_utilization
///                 where flops is 0
/// which is the greater of compute_efficiency and bandwidth_utilization. Of several kernels the one
/// with the most flops counts, or, where none has any, the one whose launches' bytes a second have
/// the greatest sum; of equal ones the first by name. That program adds values without a look at
/// their units, so that its figures are others where units differ from GPU to GPU or row to row;
/// here units count.
///
/// `kernels`: as read_ncu_table() gives them, at least one. A data error where a peak is not above
/// 0.
result<roofline_score> score_of(std::span<const kernel_profile> kernels);

}  // namespace cuset
