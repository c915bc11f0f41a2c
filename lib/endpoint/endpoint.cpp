#include "cuset/endpoint/endpoint.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "back_off.h"
#include "chat_json.h"
#include "cuset/base/format.h"
#include "cuset/base/log.h"
#include "http_client.h"
#include "scoring_json.h"
#include "server_url.h"

namespace cuset {

namespace {

using clock = http_client::clock;

constexpr std::size_t most_places = 1024;
constexpr auto between_notes = std::chrono::seconds(10);

enum class outcome : unsigned char {
    whole,     ///< an answer to read
    again,     ///< another attempt may succeed
    refused,   ///< this request is answered with an error
    run_over,  ///< every other request would fail too
};

clock::time_point after(double seconds) {
    return clock::now() +
           std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(seconds));
}

/// Says what a reply means before its body is read. `why` explains any reply that is not whole.
outcome outcome_of_reply(http_reply& reply, const std::string& url, const std::string& key,
                         std::string& why) {
    if (reply.how != http_reply::ending::whole) {
        why = url + ": " + reply.failure;
        switch (reply.how) {
            case http_reply::ending::too_long: return outcome::refused;
            case http_reply::ending::hopeless: return outcome::run_over;
            default: return outcome::again;
        }
    }
    const long code = reply.code;
    if (code >= 200 && code < 300) return outcome::whole;
    why = url + " answers " + std::to_string(code);
    if (code >= 300 && code < 400) {
        why += ": redirects are not followed";
        return outcome::run_over;
    }
    if (const std::string reason = error_text(reply.body, key); !reason.empty())
        why += ": " + reason;
    if (code == 401 || code == 403)
        why += key.empty() ? " (no key was sent: set CUSET_API_KEY, or the variable that "
                             "--key-variable names)"
                           : " (the key that was sent is refused)";
    switch (code) {
        case 408:
        case 409:
        case 425:
        case 429: return outcome::again;
        case 401:
        case 403:
        case 404:
        case 405: return outcome::run_over;
        default: return code >= 400 && code < 500 ? outcome::refused : outcome::again;
    }
}

outcome outcome_of(reading read) {
    switch (read) {
        case reading::whole: return outcome::whole;
        case reading::no_json: return outcome::again;
        case reading::strange: break;
    }
    return outcome::refused;
}

/// Judges a reply and reads it with `read`(body, out, why).
template <class Read, class Value>
outcome take(http_reply& reply, const std::string& url, const std::string& key, Read read,
             Value& out, std::string& why) {
    outcome what = outcome_of_reply(reply, url, key, why);
    if (what != outcome::whole) return what;
    what = outcome_of(read(reply.body, out, why));
    if (what != outcome::whole) why.insert(0, url + ": ");
    // Some servers send an error with the status of a success.
    if (what == outcome::refused)
        if (const std::string reason = error_text(reply.body, key); !reason.empty())
            why += ": " + reason;
    return what;
}

/// Whether the server knows the token limit only by the newer name.
bool wants_newer_limit_name(std::string_view message) {
    return message.find("max_completion_tokens") != message.npos &&
           message.find("instead") != message.npos;
}

/// While requests are in flight, new input is noticed after at most this time.
constexpr double look_at_input_seconds = 0.1;

/// Decides when a failed request is sent again.
class patience {
public:
    explicit patience(const endpoint_options& options) : options_(options) {}

    /// Returns the time of the next attempt after attempt `attempt` (from 1) of request `number`,
    /// or the error of a request that is out of attempts. Logs a note about the waiting now and
    /// then.
    result<clock::time_point> next(std::size_t number, std::size_t attempt, const http_reply& reply,
                                   const std::string& why) {
        if (attempt >= options_.attempts)
            return status(error_kind::io, why + " (after " + std::to_string(attempt) +
                                              (attempt == 1 ? " attempt)" : " attempts)"));
        if (reply.retry_after_seconds.value_or(0) > longest_wait_seconds)
            return status(error_kind::io,
                          why + " (and wants a wait of " +
                              std::to_string(std::llround(*reply.retry_after_seconds)) + " s)");
        const double wait =
            back_off(options_.first_back_off_seconds, number, attempt, reply.retry_after_seconds);
        if (const auto now = clock::now(); now >= next_note_) {
            next_note_ = now + between_notes;
            log(log_level::note, format("waiting %.1f s: ", wait) + why);
        }
        return after(wait);
    }

private:
    const endpoint_options& options_;
    clock::time_point next_note_{};
};

result<std::string> ask_for_model(const endpoint_options& options, const server_urls& urls) {
    CUSET_ASSIGN(auto client, http_client::make(1, options.key, options.timeout_seconds));
    patience retries(options);
    std::vector<std::size_t> ended;
    for (std::size_t attempt = 1;; ++attempt) {
        CUSET_TRY(client.send(0, urls.models, nullptr));
        do {
            CUSET_TRY(client.wait(after(60), ended));
        } while (ended.empty());
        std::string name, why;
        switch (
            take(client.reply(0), urls.models_shown, options.key, read_first_model, name, why)) {
            case outcome::whole: return name;
            case outcome::again: break;
            case outcome::refused:
            case outcome::run_over:
                if (client.reply(0).how == http_reply::ending::hopeless)
                    return status(error_kind::io, std::move(why));
                // Without a right key, a name would not help.
                if (client.reply(0).code == 401 || client.reply(0).code == 403)
                    return data_error(std::move(why));
                return data_error(why + " (the model has to be named)");
        }
        CUSET_ASSIGN(const auto due, retries.next(0, attempt, client.reply(0), why));
        while (clock::now() < due) CUSET_TRY(client.wait(due, ended));
    }
}

/// Chat completions.
class chat_exchange {
public:
    using request = completion_request;
    using answer = completion;

    chat_exchange(const endpoint_options& options, const server_urls& urls, bool& newer_limit_name)
        : options_(options), urls_(urls), newer_limit_name_(newer_limit_name) {}

    const std::string& url(const completion_request&) const { return urls_.chat; }
    const std::string& shown_url(const completion_request&) const { return urls_.chat_shown; }
    std::string body(const completion_request& asked) const {
        return request_body(asked, options_.model, newer_limit_name_, options_.body);
    }
    reading read(std::string& body, completion& out, std::string& why) const {
        return read_completion(body, out, why);
    }
    /// Whether a refused request is to be written in another way from now on.
    bool adapts_to(std::string_view why) {
        if (!wants_newer_limit_name(why)) return false;
        newer_limit_name_ = true;
        return true;
    }

private:
    const endpoint_options& options_;
    const server_urls& urls_;
    bool& newer_limit_name_;
};

/// Scores of texts.
class scoring_exchange {
public:
    using request = text_to_score;
    using answer = scored_tokens;

    scoring_exchange(const endpoint_options& options, const server_urls& urls)
        : options_(options), urls_(urls) {}

    const std::string& url(const text_to_score& asked) const {
        return asked.messages.empty() ? urls_.completions : urls_.chat;
    }
    const std::string& shown_url(const text_to_score& asked) const {
        return asked.messages.empty() ? urls_.completions_shown : urls_.chat_shown;
    }
    std::string body(const text_to_score& asked) const {
        return scoring_body(asked, options_.model, options_.body);
    }
    reading read(std::string& body, scored_tokens& out, std::string& why) const {
        return read_scores(body, out, why);
    }
    bool adapts_to(std::string_view) { return false; }

private:
    const endpoint_options& options_;
    const server_urls& urls_;
};

/// One run. Each place holds a request that is in flight or waits for its next attempt.
template <class Exchange>
class request_run {
public:
    using request_type = typename Exchange::request;
    using answer_type = typename Exchange::answer;
    using draw = std::function<result<std::optional<request_type>>()>;
    using delivery = std::function<status(std::size_t, result<answer_type>)>;

    request_run(const endpoint_options& options, Exchange exchange, http_client client)
        : options_(options),
          exchange_(std::move(exchange)),
          client_(std::move(client)),
          retries_(options),
          places_(options.concurrency) {}

    status to_its_end(const draw& next, const delivery& done,
                      const std::function<bool()>& would_wait) {
        std::vector<std::size_t> ended;
        for (;;) {
            CUSET_TRY(fill(next, would_wait));
            const bool waits = !no_more_ && would_wait && would_wait();
            if (is_idle()) return {};
            CUSET_ASSIGN(auto until, send_due());
            // The writer of our input cannot wake us here.
            if (waits) until = std::min(until, after(look_at_input_seconds));
            CUSET_TRY(client_.wait(until, ended));
            // Delivers all that has come, even if one of them ends the run.
            status error;
            for (const std::size_t at : ended) {
                status taken = take_reply(at, done);
                if (error.is_ok()) error = std::move(taken);
            }
            CUSET_TRY(error);
        }
    }

private:
    struct place {
        enum : unsigned char { empty, waiting, in_flight } state = empty;
        std::size_t number = 0, attempt = 0;
        request_type request;
        std::string body;
        bool is_adapted = false;  ///< the body was written anew once
        clock::time_point due;
    };

    bool is_idle() const {
        return std::none_of(places_.begin(), places_.end(),
                            [](const place& p) { return p.state != place::empty; });
    }

    status fill(const draw& next, const std::function<bool()>& would_wait) {
        for (place& p : places_) {
            if (no_more_ || p.state != place::empty) continue;
            if (!is_idle() && would_wait && would_wait()) return {};
            CUSET_ASSIGN(auto request, next());
            if (!request) {
                no_more_ = true;
                break;
            }
            p = {};
            p.number = drawn_++;
            p.request = *std::move(request);
            write_body(p);
        }
        return {};
    }

    /// Prepares a request to be sent at once.
    void write_body(place& p) {
        p.body = exchange_.body(p.request);
        p.state = place::waiting;
        p.due = {};
    }

    /// Sends what is due, and returns the latest time to come back here.
    result<clock::time_point> send_due() {
        const auto now = clock::now();
        auto until = now + std::chrono::minutes(1);
        for (std::size_t at = 0; at < places_.size(); ++at) {
            place& p = places_[at];
            if (p.state != place::waiting) continue;
            if (p.due > now) {
                until = std::min(until, p.due);
                continue;
            }
            CUSET_TRY(client_.send(at, exchange_.url(p.request), &p.body));
            p.state = place::in_flight;
            ++p.attempt;
        }
        return until;
    }

    status take_reply(std::size_t at, const delivery& done) {
        place& p = places_[at];
        http_reply& reply = client_.reply(at);
        answer_type answer;
        std::string why;
        const auto read = [this](std::string& body, answer_type& out, std::string& reason) {
            return exchange_.read(body, out, reason);
        };
        switch (take(reply, exchange_.shown_url(p.request), options_.key, read, answer, why)) {
            case outcome::whole: return deliver(p, std::move(answer), done);
            case outcome::again: {
                auto due = retries_.next(p.number, p.attempt, reply, why);
                if (!due) return deliver(p, std::move(due).error(), done);
                p.due = *due;
                p.state = place::waiting;
                return {};
            }
            case outcome::refused:
                if (reply.code == 400 && !p.is_adapted && exchange_.adapts_to(why)) {
                    p.is_adapted = true;
                    --p.attempt;
                    write_body(p);
                    return {};
                }
                return deliver(p, data_error(std::move(why)), done);
            case outcome::run_over: break;
        }
        return {reply.how == http_reply::ending::hopeless ? error_kind::io : error_kind::data,
                std::move(why)};
    }

    status deliver(place& p, result<answer_type> answer, const delivery& done) {
        p.state = place::empty;
        return done(p.number, std::move(answer));
    }

    const endpoint_options& options_;
    Exchange exchange_;
    http_client client_;
    patience retries_;
    std::vector<place> places_;
    std::size_t drawn_ = 0;
    bool no_more_ = false;
};

}  // namespace

result<endpoint> endpoint::open(endpoint_options options) {
    CUSET_ASSIGN(const server_urls urls, urls_of_server(options.url));
    if (std::any_of(options.key.begin(), options.key.end(), [](char c) {
            const auto byte = static_cast<unsigned char>(c);
            return byte < 0x20 || byte == 0x7f;
        }))
        return usage_error("the server's key holds a line break or another control character");
    if (options.concurrency < 1 || options.concurrency > most_places)
        return usage_error("requests in flight: 1 to " + std::to_string(most_places));
    if (options.attempts < 1) return usage_error("a request needs an attempt");
    if (!(options.timeout_seconds > 0) || !(options.first_back_off_seconds >= 0))
        return usage_error("a timeout has to be above 0, a back-off at least 0");
    if (options.model.empty()) {
        CUSET_ASSIGN(options.model, ask_for_model(options, urls));
    }
    return endpoint(std::move(options));
}

status endpoint::run(const draw& next, const deliver& done,
                     const std::function<bool()>& would_wait) {
    CUSET_ASSIGN(const server_urls urls, urls_of_server(options_.url));
    CUSET_ASSIGN(auto client,
                 http_client::make(options_.concurrency, options_.key, options_.timeout_seconds));
    return request_run<chat_exchange>(options_, chat_exchange(options_, urls, newer_limit_name_),
                                      std::move(client))
        .to_its_end(next, done, would_wait);
}

status endpoint::score(const draw_text& next, const deliver_scores& done) {
    CUSET_ASSIGN(const server_urls urls, urls_of_server(options_.url));
    CUSET_ASSIGN(auto client,
                 http_client::make(options_.concurrency, options_.key, options_.timeout_seconds));
    return request_run<scoring_exchange>(options_, scoring_exchange(options_, urls),
                                         std::move(client))
        .to_its_end(next, done, {});
}

}  // namespace cuset
