// How long to wait before a request is sent again.
#pragma once

#include <cstddef>
#include <optional>

namespace cuset {

constexpr double longest_back_off_seconds = 60;
/// What a Retry-After may ask for; beyond it the request ends.
constexpr double longest_wait_seconds = 3600;

/// Seconds to wait after attempt `attempt` (from 1) of request `number`: first_seconds · 2^(attempt
/// - 1), at most longest_back_off_seconds, of which the upper half is random, so that requests that
/// failed together do not come back together; and at least `asked_seconds`, spread likewise over
/// first_seconds. The same for the same arguments.
double back_off(double first_seconds, std::size_t number, std::size_t attempt,
                std::optional<double> asked_seconds);

}  // namespace cuset
