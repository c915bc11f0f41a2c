// Answers from an OpenAI-compatible server (vLLM, SGLang, llama.cpp, a hosted one), or from several
// that serve one model: chat completions over HTTP, several at a time. Proxies come from the
// environment as libcurl reads it (https_proxy, no_proxy); CURL_CA_BUNDLE or SSL_CERT_FILE names
// other certificates to trust.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cuset/base/status.h"

namespace cuset {

/// A member that is merged into the body of each request.
struct body_member {
    std::string key;
    std::string json;  ///< its value; null takes out what would be sent
};

/// Reads the members of a JSON object; of duplicate keys the last counts. error_kind::usage: it is
/// no JSON object, or has one of the members `kept`, without which an answer could not be read.
result<std::vector<body_member>> read_body_members(std::string_view text,
                                                   std::span<const std::string_view> kept);

/// What a chat request has to have as it is.
inline constexpr std::array<std::string_view, 4> kept_in_chat = {"messages", "model", "n",
                                                                 "stream"};

struct endpoint_options {
    /// The base URL of the API: "http://host:8000/v1". "/chat/completions" is appended if it is
    /// missing; a query ("?api-version=1") stays. Several servers of the same model have a comma
    /// between them: "http://a:8000/v1,http://b:8000/v1". A comma that neither "http://" nor
    /// "https://" follows is part of a URL.
    std::string url;
    std::string model;  ///< the servers' name for the model; empty: the first that GET {url}/models
                        ///< lists, at the first server that answers
    /// Take the place of members that the requests have, or come behind them. A limit of tokens
    /// takes the place of ours by either of its names.
    std::vector<body_member> body = {};
    std::string key;  ///< sent as a bearer token, to each server; empty: none. Never in a message
    /// Requests in flight at each server, 1 to 1024; one that waits for its next attempt keeps its
    /// place.
    std::size_t concurrency = 8;
    std::size_t attempts = 6;  ///< attempts for a request at each server, the first included
    /// Requests that are sent in a minute to all servers together, further attempts included, but
    /// for the question of the model's name. They leave at equal distances, so that no minute has
    /// more, and what was not sent in time is not made up for. 0: no limit.
    std::size_t requests_per_minute = 0;
    double timeout_seconds = 600;       ///< the limit for one attempt, connecting included
    double first_back_off_seconds = 1;  ///< doubled from attempt to attempt, up to 60, with jitter
};

struct server_message {
    std::string role, content;
};

/// Texts are valid UTF-8, numbers finite.
struct completion_request {
    /// The conversation: turns of "user" and "assistant", behind a "system" message if there is
    /// one. The last is the user's. They are sent as they are, but for an empty system message,
    /// which is none.
    std::vector<server_message> messages;
    std::size_t max_new_tokens = 0;  ///< 0: the server's
    double temperature = 1, top_p = 1;
    std::size_t top_k = 0;  ///< 0: not sent; vLLM, SGLang and llama.cpp know it
    /// The low 31 bits are sent. Some servers keep a seed in 32 signed bits and refuse a larger
    /// one.
    std::uint64_t seed = 0;
};

struct completion {
    std::string text;  ///< a lone surrogate in the answer is U+FFFD here
    /// What the model thought before it answered, where the server tells it apart from the answer:
    /// message.reasoning_content (DeepSeek, vLLM, SGLang, llama.cpp) or message.reasoning
    /// (OpenRouter, newer vLLM). Empty: nothing is told.
    std::string thought;
    std::optional<std::uint64_t> tokens;  ///< usage.completion_tokens, where the server tells it
    std::string finish;  ///< "stop", "length" or any other word of the server; empty: it says none
};

/// What a server scores: a text or, if there are messages, what its own template makes of them.
struct text_to_score {
    std::string text;
    std::vector<server_message> messages;
    /// Whether the beginning of an answer follows the messages. If not, the last is an answer.
    bool begins_answer = false;
};

/// A token of a scored text, as a server tells it.
struct server_token {
    std::optional<std::string> text;        ///< none if the server leaves it out
    std::optional<double> log_probability;  ///< none for the first, which nothing stands before
    std::optional<std::int32_t> id;
};
/// The text's tokens in their order. Behind them may stand one that the server made, where it does
/// not tell how many tokens the text has.
using scored_tokens = std::vector<server_token>;

/// What a scoring request has to have as it is.
inline constexpr std::array<std::string_view, 8> kept_in_scoring = {
    "add_generation_prompt", "echo", "logprobs", "messages", "model", "n", "prompt", "stream"};

class server_pool;

class endpoint {
public:
    /// Asks the server for the model's name if none is given; otherwise it sends nothing.
    /// error_kind::usage: a URL is not valid, is neither http nor https, holds a user or password,
    /// or is there twice; the key has control characters; options make no sense.
    /// error_kind::io: no server answers (retried as a request is). error_kind::data: the server
    /// lists no model.
    static result<endpoint> open(endpoint_options options);

    const std::string& model() const { return options_.model; }
    /// The base URLs as they were given, with ", " between them, without queries, which may hold a
    /// key.
    std::string place() const;
    /// How many requests are in flight at most, at all servers together.
    std::size_t most_in_flight() const;

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
    /// With several servers, a request goes to the one that has the fewest in flight, and a failed
    /// attempt is repeated at another server at once; a request waits only when each has failed it
    /// as often, and is out of attempts when each has used up its own. A server that has failed
    /// requests and answered none meanwhile rests for a back-off, gets a single request after it,
    /// and is asked no more when options.attempts different requests in a row have failed there. So
    /// is a server at once whose answer would end the run, or which wants a wait of more than an
    /// hour. What it had not answered goes to the others. The first such failure of a server is a
    /// warning that names it. The last server that is left is treated like the only one. What was
    /// learnt of the servers stays from run to run.
    ///
    /// The length limit is sent as "max_tokens", which every server knows; where one refuses that
    /// name and asks for "max_completion_tokens", that is sent from then on.
    ///
    /// `would_wait`: whether drawing waits for somebody; then it is left while requests are in
    /// flight. None: it never waits.
    status run(const draw& next, const deliver& done, const std::function<bool()>& would_wait = {});

    using draw_text = std::function<result<std::optional<text_to_score>>()>;
    using deliver_scores = std::function<status(std::size_t number, result<scored_tokens> scores)>;

    /// Lets the server score texts, with the rules of run(). It is asked by {url}/completions, for
    /// one token, with what the servers know: "echo" and "logprobs" (OpenAI's completions of old,
    /// vLLM, SGLang) and "prompt_logprobs" (vLLM), without tokens of its own before the text
    /// ("add_special_tokens":false). Where an answer has both, texts and probabilities are those of
    /// the first, ids those of the second.
    ///
    /// Messages are asked by {url}/chat/completions, with "prompt_logprobs" alone.
    ///
    /// An answer without either is a data error, as are several tokens at one place of
    /// "prompt_logprobs" and a token other than the first without a probability.
    status score(const draw_text& next, const deliver_scores& done);

private:
    endpoint(endpoint_options options, std::shared_ptr<server_pool> servers)
        : options_(std::move(options)), servers_(std::move(servers)) {}

    endpoint_options options_;
    std::shared_ptr<server_pool> servers_;
};

}  // namespace cuset
