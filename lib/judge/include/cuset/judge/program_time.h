// How long a program's work on a GPU takes, beside that of its task's own program (cuset-eval
// --time).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "cuset/stream/json_writer.h"

namespace cuset {

/// The middle of several runs, and the quartiles: half of the runs lie between them.
struct time_spread {
    double median = 0, lower = 0, upper = 0;  ///< seconds
    bool operator==(const time_spread&) const = default;
};

/// Quartiles by linear interpolation between the order statistics. At least one number.
time_spread spread_of(std::span<const double> seconds);

/// What several runs of a program took, each a process of its own, in turn with as many of
/// bench.cu.
struct program_time {
    std::string not_timed;   ///< why there is no time; then the rest is not set
    std::uint64_t runs = 0;  ///< of each of both, without the warm-ups
    /// bench.cu's time over the program's: the median of the pairs of runs that follow each other,
    /// so that a drift of the clocks cancels out.
    double speedup = 0;
    /// The work on the device of a run: kernels, and what fills or copies memory there, on all
    /// streams. What overlaps counts once. Copies from and to the host do not count.
    time_spread device, reference;
    /// Medians of the program's parts: kernels, fills and copies on the device, and copies from and
    /// to the host. Seconds, what overlaps within a part counts once.
    double kernels = 0, memory = 0, transfers = 0;
    time_spread process, reference_process;  ///< from the start of the process to its end
    /// The clock of the GPU's multiprocessors in MHz, as nvidia-smi told it before the first and
    /// behind the last run; nothing where it told none. Nobody sets it.
    std::optional<std::uint64_t> clock_before, clock_after;
    bool operator==(const program_time&) const = default;
};

/// {"runs":20,"speedup":1.25,"device_us":SPREAD,"reference_us":SPREAD,"kernels_us":80,
/// "memory_us":0,"transfers_us":310,"process_ms":SPREAD,"reference_process_ms":SPREAD,
/// "sm_clock_mhz":{"before":1980,"after":1965}}, where SPREAD is
/// {"median":80,"lower_quartile":79,"upper_quartile":82}; or {"not_timed":"why"}.
void write_time(const program_time& time, json_writer& json);

}  // namespace cuset
