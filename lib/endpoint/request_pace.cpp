#include "request_pace.h"

namespace cuset {

request_pace::request_pace(std::size_t per_minute) {
    using duration = std::chrono::steady_clock::duration;
    if (per_minute == 0) return;
    const auto minute = std::chrono::duration_cast<duration>(std::chrono::minutes(1)).count();
    // Rounded up, so that a minute never has one more.
    const auto parts = static_cast<duration::rep>(per_minute);
    distance_ = duration((minute + parts - 1) / parts);
}

}  // namespace cuset
