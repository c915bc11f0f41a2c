// How long to wait before a request is sent again.
#pragma once

#include <cstddef>
#include <optional>

namespace cuset {

constexpr double longest_back_off_seconds = 60;
/// The longest Retry-After that is obeyed; beyond it the request fails.
constexpr double longest_wait_seconds = 3600;

/// Seconds to wait after attempt `attempt` (from 1) of request `number`. The wait is first_seconds
/// · 2^(attempt - 1), at most longest_back_off_seconds; its upper half is random, so that requests
/// that failed together do not return together. It is at least `asked_seconds`, spread over
/// first_seconds in the same way. The same arguments give the same wait.
double back_off(double first_seconds, std::size_t number, std::size_t attempt,
                std::optional<double> asked_seconds);

}  // namespace cuset
