// Records or tokens a second, and the time that is left, as messages to the log.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

namespace cuset {

class progress_meter {
public:
    /// `unit` in the plural, as in "records".
    explicit progress_meter(std::string_view unit);

    /// Tells the log a few times a second at most. `done` and `total` are bytes of input (or any
    /// other measure of the way); total 0 if the end is not known. `now` is what runs at the moment.
    void update(std::uint64_t count, std::uint64_t done, std::uint64_t total,
                std::string_view now = {});

private:
    using clock = std::chrono::steady_clock;
    std::string_view unit_;
    clock::time_point start_ = clock::now();
    clock::time_point last_ = start_;
};

}  // namespace cuset
