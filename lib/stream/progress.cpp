#include "cuset/stream/progress.h"

#include <array>
#include <cinttypes>
#include <cstdio>
#include <string>

#include "cuset/base/log.h"

namespace cuset {

progress_meter::progress_meter(std::string_view unit) : unit_(unit) {}

void progress_meter::update(std::uint64_t count, std::uint64_t done, std::uint64_t total) {
    const auto now = clock::now();
    if (now - last_ < std::chrono::milliseconds(200)) return;
    last_ = now;
    const double seconds = std::chrono::duration<double>(now - start_).count();
    std::array<char, 160> text;
    int length = std::snprintf(text.data(), text.size(), "%" PRIu64 " %.*s, %.0f/s", count,
                               static_cast<int>(unit_.size()), unit_.data(),
                               static_cast<double>(count) / seconds);
    std::string message(text.data(), static_cast<std::size_t>(length));
    if (total > 0 && done > 0) {
        const double share = static_cast<double>(done) / static_cast<double>(total);
        length = std::snprintf(text.data(), text.size(), ", %.0f %%, %.0f s left", 100 * share,
                               seconds * (1 - share) / share);
        message.append(text.data(), static_cast<std::size_t>(length));
    }
    log(log_level::progress, message);
}

}  // namespace cuset
