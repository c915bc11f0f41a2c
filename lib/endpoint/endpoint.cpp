#include "cuset/endpoint/endpoint.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "back_off.h"
#include "chat_json.h"
#include "http_client.h"
#include "patience.h"
#include "reply_outcome.h"
#include "request_run.h"
#include "scoring_json.h"
#include "server_pool.h"

namespace cuset {

namespace {

using clock = http_client::clock;

constexpr std::size_t most_places = 1024;

/// What a server says to the question of the model's name.
struct told_name {
    std::string name;
    outcome what = outcome::again;
    status error;  ///< unless `what` is whole
    std::optional<double> asked_seconds = {};
};

result<told_name> ask_once(http_client& client, const server_urls& urls, const std::string& key) {
    CUSET_TRY(client.send(0, urls.models, nullptr));
    std::vector<std::size_t> ended;
    do {
        CUSET_TRY(client.wait(time_after(60), ended));
    } while (ended.empty());
    http_reply& reply = client.reply(0);
    told_name told;
    std::string why;
    told.what = take(reply, urls.models_shown, key, read_first_model, told.name, why);
    told.asked_seconds = reply.retry_after_seconds;
    if (told.what == outcome::whole) return told;
    // Without a right key, a name would not help.
    const bool name_helps = told.what != outcome::again && reply.code != 401 && reply.code != 403 &&
                            reply.how != http_reply::ending::hopeless;
    const bool is_io = told.what == outcome::again || reply.how == http_reply::ending::hopeless;
    told.error = status(is_io ? error_kind::io : error_kind::data,
                        name_helps ? why + " (the model has to be named)" : why);
    return told;
}

/// Asks one server after the other, and waits when each has been asked.
result<std::string> ask_for_model(const endpoint_options& options, server_pool& servers) {
    CUSET_ASSIGN(auto client, http_client::make(1, options.key, options.timeout_seconds));
    waiting_note note;
    std::vector<const server_urls*> asked;
    for (const server_pool::server& s : servers.servers()) asked.push_back(&s.urls);
    for (std::size_t attempt = 1;; ++attempt) {
        std::vector<const server_urls*> again;
        status last;
        double wait = 0;
        for (const server_urls* urls : asked) {
            CUSET_ASSIGN(told_name told, ask_once(client, *urls, options.key));
            if (told.what == outcome::whole) return std::move(told.name);
            last = std::move(told.error);
            if (told.what != outcome::again) continue;
            const std::string why = last.message();
            if (attempt >= options.attempts) {
                last = out_of_attempts(why, attempt);
            } else if (told.asked_seconds.value_or(0) > longest_wait_seconds) {
                last = asks_for_long_wait(why, *told.asked_seconds);
            } else {
                const double its =
                    back_off(options.first_back_off_seconds, 0, attempt, told.asked_seconds);
                wait = again.empty() ? its : std::min(wait, its);
                again.push_back(urls);
            }
        }
        if (again.empty()) return last;
        note.tell(wait, last.message());
        std::vector<std::size_t> none;
        for (const auto due = time_after(wait); clock::now() < due;)
            CUSET_TRY(client.wait(due, none));
        asked = std::move(again);
    }
}

/// Chat completions.
class chat_exchange {
public:
    using request = completion_request;
    using answer = completion;

    explicit chat_exchange(const endpoint_options& options) : options_(options) {}

    const std::string& url(const completion_request&, const server_urls& urls) const {
        return urls.chat;
    }
    const std::string& shown_url(const completion_request&, const server_urls& urls) const {
        return urls.chat_shown;
    }
    std::string body(const completion_request& asked, bool newer_limit_name) const {
        return request_body(asked, options_.model, newer_limit_name, options_.body);
    }
    reading read(std::string& body, completion& out, std::string& why) const {
        return read_completion(body, out, why);
    }
    /// Whether the server knows the token limit only by the newer name.
    bool wants_newer_limit_name(std::string_view message) const {
        return message.find("max_completion_tokens") != message.npos &&
               message.find("instead") != message.npos;
    }

private:
    const endpoint_options& options_;
};

/// Scores of texts.
class scoring_exchange {
public:
    using request = text_to_score;
    using answer = scored_tokens;

    explicit scoring_exchange(const endpoint_options& options) : options_(options) {}

    const std::string& url(const text_to_score& asked, const server_urls& urls) const {
        return asked.messages.empty() ? urls.completions : urls.chat;
    }
    const std::string& shown_url(const text_to_score& asked, const server_urls& urls) const {
        return asked.messages.empty() ? urls.completions_shown : urls.chat_shown;
    }
    std::string body(const text_to_score& asked, bool) const {
        return scoring_body(asked, options_.model, options_.body);
    }
    reading read(std::string& body, scored_tokens& out, std::string& why) const {
        return read_scores(body, out, why);
    }
    bool wants_newer_limit_name(std::string_view) const { return false; }

private:
    const endpoint_options& options_;
};

}  // namespace

result<endpoint> endpoint::open(endpoint_options options) {
    CUSET_ASSIGN(server_pool servers, server_pool::open(options.url,
                                                        {options.concurrency, options.attempts,
                                                         options.first_back_off_seconds},
                                                        request_pace(options.requests_per_minute)));
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
        CUSET_ASSIGN(options.model, ask_for_model(options, servers));
    }
    return endpoint(std::move(options), std::make_shared<server_pool>(std::move(servers)));
}

std::string endpoint::place() const {
    std::string all;
    for (const std::string& url : split_urls(options_.url))
        all.append(all.empty() ? "" : ", ").append(url, 0, url.find('?'));
    return all;
}

std::size_t endpoint::most_in_flight() const { return servers_->most_in_flight(); }

status endpoint::run(const draw& next, const deliver& done,
                     const std::function<bool()>& would_wait) {
    CUSET_ASSIGN(auto client, http_client::make(servers_->most_in_flight(), options_.key,
                                                options_.timeout_seconds));
    return request_run<chat_exchange>(options_, *servers_, chat_exchange(options_),
                                      std::move(client))
        .to_its_end(next, done, would_wait);
}

status endpoint::score(const draw_text& next, const deliver_scores& done) {
    CUSET_ASSIGN(auto client, http_client::make(servers_->most_in_flight(), options_.key,
                                                options_.timeout_seconds));
    return request_run<scoring_exchange>(options_, *servers_, scoring_exchange(options_),
                                         std::move(client))
        .to_its_end(next, done, {});
}

}  // namespace cuset
