// The servers of an endpoint: which one gets a request, which one rests, and which is asked no
// more.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cuset/base/status.h"
#include "request_pace.h"
#include "server_url.h"

namespace cuset {

/// What has become of a request up to now.
struct request_tries {
    std::size_t number = 0;
    std::vector<std::size_t> failures;  ///< at each server
    std::optional<std::size_t> last;    ///< the server that has it, or had it last
    /// When it may be sent again to a server that has failed it as often as the last one.
    std::chrono::steady_clock::time_point due{};
    std::chrono::steady_clock::time_point sent{};  ///< to the last one
};

/// It looks at no clock of its own. Of one server, or of the last that is left, it says no more
/// than how many requests it may have and when they are due.
class server_pool {
public:
    using time_point = std::chrono::steady_clock::time_point;
    struct limits {
        std::size_t concurrency, attempts;
        double first_back_off_seconds;
    };
    struct server {
        server_urls urls;
        bool newer_limit_name = false;  ///< it knows the limit of tokens by its newer name only
        bool is_lost = false;           ///< it is asked no more
        bool is_told = false;           ///< a warning has named it
        std::size_t in_flight = 0, sent = 0;
        /// Different requests that failed in a row while it answered none, and the last of them.
        std::size_t failed = 0;
        std::optional<std::size_t> last_failed;
        time_point last_answer{}, last_failure{}, rests_until{};
    };

    /// Reads `urls` (see endpoint_options::url). error_kind::usage: a URL is not valid or is there
    /// twice.
    static result<server_pool> open(const std::string& urls, limits most, request_pace pace);

    std::vector<server>& servers() { return servers_; }
    request_pace& pace() { return pace_; }
    std::size_t most_in_flight() const { return limits_.concurrency * servers_.size(); }
    /// How many requests may be at work: those of the servers that are still asked.
    std::size_t most_at_work() const { return limits_.concurrency * left_; }

    /// Nothing is in flight any more, and requests are numbered anew.
    void begin_run();

    /// The server that a request goes to now, or none.
    std::optional<std::size_t> choice_for(const request_tries& request, time_point now) const;
    /// When the next rest ends, if a server rests.
    std::optional<time_point> end_of_rest(time_point now) const;

    void sent(request_tries& request, std::size_t to, time_point now);
    void ended(const request_tries& request) { --servers_[*request.last].in_flight; }
    void answered(const request_tries& request, time_point now);
    /// An attempt failed. `asked_seconds`: the wait that the server asks for.
    void failed(request_tries& request, std::optional<double> asked_seconds, const std::string& why,
                time_point now);
    /// The server is asked no more; false if it is the last that is left.
    bool lose(std::size_t at, const std::string& why);

    /// Whether each server that is left has used up its attempts.
    bool is_out_of_attempts(const request_tries& request) const;
    /// Whether a server that is left has failed the request less often than the last one.
    bool has_other_for(const request_tries& request) const;

private:
    server_pool(limits most, request_pace pace) : limits_(most), pace_(pace) {}
    bool rests(const server& s, time_point now) const { return left_ > 1 && s.rests_until > now; }
    void warn(server& s, const std::string& why);

    limits limits_;
    request_pace pace_;
    std::vector<server> servers_;
    std::size_t left_ = 0;
};

}  // namespace cuset
