#include "patience.h"

#include <cmath>

#include "cuset/base/format.h"
#include "cuset/base/log.h"

namespace cuset {

namespace {

constexpr auto between_notes = std::chrono::seconds(10);

}  // namespace

http_client::clock::time_point time_after(double seconds) {
    using clock = http_client::clock;
    return clock::now() +
           std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(seconds));
}

status out_of_attempts(const std::string& why, std::size_t attempts) {
    return {error_kind::io, why + " (after " + std::to_string(attempts) +
                                (attempts == 1 ? " attempt)" : " attempts)")};
}

status asks_for_long_wait(const std::string& why, double seconds) {
    return {error_kind::io,
            why + " (and wants a wait of " + std::to_string(std::llround(seconds)) + " s)"};
}

void waiting_note::tell(double seconds, const std::string& why) {
    const auto now = http_client::clock::now();
    if (now < next_) return;
    next_ = now + between_notes;
    log(log_level::note, format("waiting %.1f s: ", seconds) + why);
}

}  // namespace cuset
