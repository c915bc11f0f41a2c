#include "server_pool.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "back_off.h"
#include "cuset/base/log.h"

namespace cuset {

result<server_pool> server_pool::open(const std::string& urls, limits most, request_pace pace) {
    server_pool pool(most, pace);
    for (const std::string& url : split_urls(urls)) {
        server s;
        CUSET_ASSIGN(s.urls, urls_of_server(url));
        for (const server& other : pool.servers_)
            if (other.urls.chat == s.urls.chat)
                return usage_error("the server " + s.urls.shown + " is named twice");
        pool.servers_.push_back(std::move(s));
    }
    pool.left_ = pool.servers_.size();
    return pool;
}

void server_pool::begin_run() {
    for (server& s : servers_) {
        s.in_flight = 0;
        s.last_failed.reset();
    }
}

std::optional<std::size_t> server_pool::choice_for(const request_tries& request,
                                                   time_point now) const {
    // A server that is busy counts here: the request waits for it rather than fail once more at
    // one that has failed it already.
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    for (std::size_t i = 0; i < servers_.size(); ++i)
        if (!servers_[i].is_lost && !rests(servers_[i], now))
            fewest = std::min(fewest, request.failures[i]);
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < servers_.size(); ++i) {
        const server& s = servers_[i];
        if (s.is_lost || rests(s, now) || request.failures[i] > fewest) continue;
        if (request.due > now && request.failures[i] >= request.failures[*request.last]) continue;
        // After a rest, a single request finds out whether it answers again.
        if (s.in_flight >= (s.failed > 0 && left_ > 1 ? 1 : limits_.concurrency)) continue;
        const auto load = [this](std::size_t at) {
            return std::tuple(servers_[at].in_flight, servers_[at].sent);
        };
        if (!best || load(i) < load(*best)) best = i;
    }
    return best;
}

std::optional<server_pool::time_point> server_pool::end_of_rest(time_point now) const {
    std::optional<time_point> first;
    for (const server& s : servers_)
        if (!s.is_lost && rests(s, now))
            first = std::min(first.value_or(s.rests_until), s.rests_until);
    return first;
}

void server_pool::sent(request_tries& request, std::size_t to, time_point now) {
    request.last = to;
    request.sent = now;
    ++servers_[to].in_flight;
    ++servers_[to].sent;
    pace_.sent(now);
}

void server_pool::answered(const request_tries& request, time_point now) {
    server& s = servers_[*request.last];
    s.last_answer = now;
    s.failed = 0;
    s.last_failed.reset();
    s.rests_until = {};
}

void server_pool::failed(request_tries& request, std::optional<double> asked_seconds,
                         const std::string& why, time_point now) {
    const std::size_t at = *request.last;
    server& s = servers_[at];
    ++request.failures[at];
    // A server that answers others meanwhile is not to blame, and requests that were in flight
    // together fail together.
    if (s.is_lost || left_ == 1 || s.last_answer > request.sent || s.last_failure > request.sent)
        return;
    s.last_failure = now;
    // One request that no server can answer must not cost a server.
    if (s.last_failed != request.number) ++s.failed;
    s.last_failed = request.number;
    const double rest = back_off(limits_.first_back_off_seconds, at, s.failed, asked_seconds);
    s.rests_until =
        now + std::chrono::duration_cast<time_point::duration>(std::chrono::duration<double>(rest));
    warn(s, why);
    if (s.failed >= limits_.attempts) lose(at, why);
}

bool server_pool::lose(std::size_t at, const std::string& why) {
    server& s = servers_[at];
    if (s.is_lost) return true;
    if (left_ == 1) return false;
    s.is_lost = true;
    --left_;
    warn(s, why);
    log(log_level::note, s.urls.shown + " is asked no more");
    return true;
}

void server_pool::warn(server& s, const std::string& why) {
    if (std::exchange(s.is_told, true)) return;
    log(log_level::warning, why + ": the other servers take its requests");
}

bool server_pool::is_out_of_attempts(const request_tries& request) const {
    for (std::size_t i = 0; i < servers_.size(); ++i)
        if (!servers_[i].is_lost && request.failures[i] < limits_.attempts) return false;
    return true;
}

bool server_pool::has_other_for(const request_tries& request) const {
    for (std::size_t i = 0; i < servers_.size(); ++i)
        if (!servers_[i].is_lost && request.failures[i] < request.failures[*request.last])
            return true;
    return false;
}

}  // namespace cuset
