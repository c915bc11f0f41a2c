#include "cuset/stream/progress.h"

#include <cinttypes>
#include <string>

#include "cuset/base/format.h"
#include "cuset/base/log.h"

namespace cuset {

progress_meter::progress_meter(std::string_view unit) : unit_(unit) {}

void progress_meter::update(std::uint64_t count, std::uint64_t done, std::uint64_t total,
                            std::string_view now) {
    const auto time = clock::now();
    if (time - last_ < std::chrono::milliseconds(200)) return;
    last_ = time;
    const double seconds = std::chrono::duration<double>(time - start_).count();
    std::string message = format("%" PRIu64 " %.*s, %.0f/s", count, static_cast<int>(unit_.size()),
                                 unit_.data(), static_cast<double>(count) / seconds);
    if (total > 0 && done > 0) {
        const double share = static_cast<double>(done) / static_cast<double>(total);
        message += format(", %.0f %%, %.0f s left", 100 * share, seconds * (1 - share) / share);
    }
    if (!now.empty()) message.append("; now ").append(now);
    log(log_level::progress, message);
}

}  // namespace cuset
