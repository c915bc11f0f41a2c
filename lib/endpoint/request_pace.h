// When the next request may be sent, so that no more than so many are sent in a minute.
#pragma once

#include <chrono>
#include <cstddef>

namespace cuset {

/// Requests at equal distances. It looks at no clock of its own: whoever sends tells the time.
class request_pace {
public:
    using time_point = std::chrono::steady_clock::time_point;

    /// 0: there is no limit.
    explicit request_pace(std::size_t per_minute);

    /// The earliest time for the next request; one that has passed means at once.
    time_point earliest() const { return earliest_; }
    /// A request was sent: the next one may follow a distance later, however late this one was.
    void sent(time_point now) { earliest_ = now + distance_; }

private:
    std::chrono::steady_clock::duration distance_{};
    time_point earliest_{};
};

}  // namespace cuset
