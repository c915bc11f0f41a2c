// Answers from an OpenAI-compatible server (vLLM, SGLang, llama.cpp, a hosted one): chat
// completions over HTTP, several at a time. Proxies come from the environment as libcurl reads it
// (https_proxy, no_proxy); CURL_CA_BUNDLE or SSL_CERT_FILE names other certificates to trust.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "cuset/base/status.h"

namespace cuset {

struct endpoint_options {
    /// The base URL of the API: "http://host:8000/v1". "/chat/completions" is appended if it is
    /// missing; a query ("?api-version=1") stays.
    std::string url;
    std::string model;  ///< the server's name for the model; empty: the first that GET {url}/models
                        ///< lists
    std::string key;    ///< sent as a bearer token; empty: none. Never in a message
    /// Requests in flight, 1 to 1024; one that waits for its next attempt keeps its place.
    std::size_t concurrency = 8;
    std::size_t attempts = 6;           ///< attempts for a request, the first included
    double timeout_seconds = 600;       ///< the limit for one attempt, connecting included
    double first_back_off_seconds = 1;  ///< doubled from attempt to attempt, up to 60, with jitter
};

/// Texts are valid UTF-8, numbers finite.
struct completion_request {
    std::string system;              ///< empty: none
    std::string prompt;              ///< the user's turn
    std::size_t max_new_tokens = 0;  ///< 0: the server's
    double temperature = 1, top_p = 1;
    std::size_t top_k = 0;  ///< 0: not sent; vLLM, SGLang and llama.cpp know it
    /// The low 31 bits are sent. Some servers keep a seed in 32 signed bits and refuse a larger
    /// one.
    std::uint64_t seed = 0;
};

struct completion {
    std::string text;                     ///< a lone surrogate in the answer is U+FFFD here
    std::optional<std::uint64_t> tokens;  ///< usage.completion_tokens, where the server tells it
    std::string finish;                   ///< "stop", "length", …, as the server says; or empty
};

class endpoint {
public:
    /// Asks the server for the model's name if none is given; otherwise it sends nothing.
    /// error_kind::usage: the URL is not valid, is neither http nor https, or holds a user or
    /// password; the key has control characters; options make no sense.
    /// error_kind::io: no server answers (retried as a request is). error_kind::data: the server
    /// lists no model.
    static result<endpoint> open(endpoint_options options);

    const std::string& model() const { return options_.model; }

    /// Returns the next request, or nothing at the end. Requests are numbered from 0 in the order
    /// of drawing. It should return quickly: requests in flight wait meanwhile.
    using draw = std::function<result<std::optional<completion_request>>()>;
    /// Receives the result of request `number`, in any order: a completion, or the error of its
    /// last attempt. If it returns an error, the run ends.
    using deliver = std::function<status(std::size_t number, result<completion> answer)>;

    /// Draws requests as places become free and delivers what comes back, all on the calling
    /// thread. 408, 409, 425, 429, 5xx, timeouts, connections that fail or end early and answers
    /// that are cut or no JSON are tried again after a back-off with jitter, not before the time
    /// that a Retry-After (seconds or a date, at most an hour away) names. A request out of
    /// attempts is error_kind::io.
    ///
    /// Other 4xx end that request with what the server said (error_kind::data), as do a JSON answer
    /// without choices[0].message.content (null, or reasoning alone, is an empty text) and one of
    /// more than 64 MiB.
    ///
    /// 3xx (redirects are not followed: the key is for one host), 401, 403, 404, 405 and a failed
    /// TLS verification end the run: no other request would fare better. Then, and after an error
    /// of draw or deliver, what is in flight is given up, undelivered.
    ///
    /// The length limit is sent as "max_tokens", which every server knows; where one refuses that
    /// name and asks for "max_completion_tokens", that is sent from then on.
    ///
    /// `would_wait`: whether drawing waits for somebody; then it is left while requests are in
    /// flight. None: it never waits.
    status run(const draw& next, const deliver& done, const std::function<bool()>& would_wait = {});

private:
    explicit endpoint(endpoint_options options) : options_(std::move(options)) {}

    endpoint_options options_;
    bool newer_limit_name_ = false;
};

}  // namespace cuset
