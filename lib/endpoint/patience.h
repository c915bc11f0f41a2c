// How long a failed request waits for its next attempt.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "http_client.h"

namespace cuset {

http_client::clock::time_point time_after(double seconds);

/// Of a request that is out of attempts: its error.
status out_of_attempts(const std::string& why, std::size_t attempts);
/// Of a server that asks for a wait of more than longest_wait_seconds.
status asks_for_long_wait(const std::string& why, double seconds);

/// Says now and then that something waits.
class waiting_note {
public:
    void tell(double seconds, const std::string& why);

private:
    http_client::clock::time_point next_{};
};

}  // namespace cuset
