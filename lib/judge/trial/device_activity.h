// What a run did on a GPU, from the lines of programs/activity_log.cu. Private to lib/judge.
#pragma once

#include <string>
#include <string_view>

namespace cuset {

/// Seconds of a run's work on the device, on all streams. What overlaps counts once: work that is
/// moved to a side stream neither hides nor counts twice.
struct activity_times {
    double device = 0;  ///< kernels, and what fills or copies memory on the device
    double kernels = 0;
    double memory = 0;     ///< fills and copies on the device
    double transfers = 0;  ///< copies from and to the host
    /// Why these are no times of the run; then they are 0.
    std::string fault{};
};

/// Reads the lines that begin with "activity " (programs.h). It is a fault if
/// - CUPTI refused, or the lines do not end as the library ends them: the program ended by _exit(),
///   a signal or a limit, or there are more than the channel takes;
/// - several processes used the device;
/// - records were dropped, or a launch has none;
/// - work was still running at the end, or was launched after it, as by a destructor;
/// - nothing ran.
activity_times times_of_activity(std::string_view channel_output);

}  // namespace cuset
