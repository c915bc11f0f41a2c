// One run of requests: draws them, sends them to the servers, and delivers what comes back.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "back_off.h"
#include "cuset/endpoint/endpoint.h"
#include "patience.h"
#include "reply_outcome.h"
#include "server_pool.h"

namespace cuset {

/// While requests are in flight, new input is noticed after at most this time.
constexpr double look_at_input_seconds = 0.1;

/// Each place holds a request that is in flight or waits for its next attempt. Exchange says how a
/// request is written and its answer read.
template <class Exchange>
class request_run {
public:
    using request_type = typename Exchange::request;
    using answer_type = typename Exchange::answer;
    using draw = std::function<result<std::optional<request_type>>()>;
    using delivery = std::function<status(std::size_t, result<answer_type>)>;

    request_run(const endpoint_options& options, server_pool& servers, Exchange exchange,
                http_client client)
        : options_(options),
          servers_(servers),
          exchange_(std::move(exchange)),
          client_(std::move(client)),
          places_(servers.most_in_flight()) {}

    status to_its_end(const draw& next, const delivery& done,
                      const std::function<bool()>& would_wait) {
        std::vector<std::size_t> ended;
        servers_.begin_run();
        for (;;) {
            CUSET_TRY(fill(next, would_wait));
            const bool waits = !no_more_ && would_wait && would_wait();
            if (at_work_ == 0) return {};
            CUSET_ASSIGN(auto until, send_due());
            // The writer of our input cannot wake us here.
            if (waits) until = std::min(until, time_after(look_at_input_seconds));
            CUSET_TRY(client_.wait(until, ended));
            // Delivers all that has come, even if one of them ends the run.
            status error;
            for (const std::size_t at : ended) servers_.ended(places_[at].tries);
            for (const std::size_t at : ended) {
                status taken = take_reply(at, done);
                if (error.is_ok()) error = std::move(taken);
            }
            CUSET_TRY(error);
        }
    }

private:
    using clock = http_client::clock;

    struct place {
        enum : unsigned char { empty, waiting, in_flight } state = empty;
        request_tries tries;
        request_type request;
        std::string body;
        bool is_adapted = false;  ///< for this server, the body was written anew once
    };

    status fill(const draw& next, const std::function<bool()>& would_wait) {
        for (place& p : places_) {
            if (no_more_ || at_work_ >= servers_.most_at_work()) break;
            if (p.state != place::empty) continue;
            if (at_work_ > 0 && would_wait && would_wait()) return {};
            CUSET_ASSIGN(auto request, next());
            if (!request) {
                no_more_ = true;
                break;
            }
            p = {};
            p.tries.number = drawn_++;
            p.tries.failures.resize(servers_.servers().size());
            p.request = *std::move(request);
            p.state = place::waiting;
            ++at_work_;
        }
        return {};
    }

    /// Sends what may be sent, the oldest request first, and returns the latest time to come back
    /// here.
    result<clock::time_point> send_due() {
        const auto now = clock::now();
        auto until = now + std::chrono::minutes(1);
        std::vector<std::size_t> waiting;
        for (std::size_t at = 0; at < places_.size(); ++at)
            if (places_[at].state == place::waiting) waiting.push_back(at);
        std::sort(waiting.begin(), waiting.end(), [this](std::size_t a, std::size_t b) {
            return places_[a].tries.number < places_[b].tries.number;
        });
        for (const std::size_t at : waiting) {
            place& p = places_[at];
            if (p.tries.due > now) until = std::min(until, p.tries.due);
            const auto to = servers_.choice_for(p.tries, now);
            if (!to) continue;
            if (const auto earliest = servers_.pace().earliest(); earliest > now)
                return std::min(until, earliest);
            CUSET_TRY(send(at, *to, now));
        }
        if (const auto rest = servers_.end_of_rest(now); rest && !waiting.empty())
            until = std::min(until, *rest);
        return until;
    }

    status send(std::size_t at, std::size_t to, clock::time_point now) {
        place& p = places_[at];
        const server_pool::server& s = servers_.servers()[to];
        if (p.tries.last != to) p.is_adapted = false;
        p.body = exchange_.body(p.request, s.newer_limit_name);
        CUSET_TRY(client_.send(at, exchange_.url(p.request, s.urls), &p.body));
        p.state = place::in_flight;
        servers_.sent(p.tries, to, now);
        return {};
    }

    status take_reply(std::size_t at, const delivery& done) {
        place& p = places_[at];
        server_pool::server& s = servers_.servers()[*p.tries.last];
        http_reply& reply = client_.reply(at);
        answer_type answer;
        std::string why;
        const auto read = [this](std::string& body, answer_type& out, std::string& reason) {
            return exchange_.read(body, out, reason);
        };
        switch (
            take(reply, exchange_.shown_url(p.request, s.urls), options_.key, read, answer, why)) {
            case outcome::whole:
                servers_.answered(p.tries, clock::now());
                return deliver(p, std::move(answer), done);
            case outcome::again: return try_again(p, reply.retry_after_seconds, why, done);
            case outcome::refused:
                servers_.answered(p.tries, clock::now());
                if (reply.code == 400 && !p.is_adapted && exchange_.wants_newer_limit_name(why)) {
                    s.newer_limit_name = p.is_adapted = true;
                    return send_again(p, {});
                }
                return deliver(p, data_error(std::move(why)), done);
            case outcome::run_over:
                if (servers_.lose(*p.tries.last, why)) return send_again(p, {});
                break;
        }
        return {reply.how == http_reply::ending::hopeless ? error_kind::io : error_kind::data,
                std::move(why)};
    }

    /// After an attempt that failed.
    status try_again(place& p, std::optional<double> asked_seconds, const std::string& why,
                     const delivery& done) {
        const std::size_t at = *p.tries.last;
        servers_.failed(p.tries, asked_seconds, why, clock::now());
        if (servers_.is_out_of_attempts(p.tries)) {
            std::size_t attempts = 0;
            for (const std::size_t failures : p.tries.failures) attempts += failures;
            return deliver(p, out_of_attempts(why, attempts), done);
        }
        if (asked_seconds.value_or(0) > longest_wait_seconds) {
            if (servers_.lose(at, why)) return send_again(p, {});
            return deliver(p, asks_for_long_wait(why, *asked_seconds), done);
        }
        const double wait = back_off(options_.first_back_off_seconds, p.tries.number,
                                     p.tries.failures[at], asked_seconds);
        if (!servers_.has_other_for(p.tries)) note_.tell(wait, why);
        return send_again(p, time_after(wait));
    }

    status send_again(place& p, clock::time_point due) {
        p.tries.due = due;
        p.state = place::waiting;
        return {};
    }

    status deliver(place& p, result<answer_type> answer, const delivery& done) {
        p.state = place::empty;
        --at_work_;
        return done(p.tries.number, std::move(answer));
    }

    const endpoint_options& options_;
    server_pool& servers_;
    Exchange exchange_;
    http_client client_;
    waiting_note note_;
    std::vector<place> places_;
    std::size_t drawn_ = 0, at_work_ = 0;
    bool no_more_ = false;
};

}  // namespace cuset
