#include "scoring_json.h"

#include <simdjson.h>

#include <charconv>

#include "body_members.h"
#include "cuset/base/format.h"
#include "cuset/stream/json_text.h"

namespace cuset {

namespace {

namespace dom = simdjson::dom;

reading strange(std::string what, std::string& why) {
    why = std::move(what);
    return reading::strange;
}

/// Reads vLLM's list: null for the first token, then {"ID":{"logprob":…,"decoded_token":…}} for
/// each.
reading read_listed(dom::array list, scored_tokens& out, std::string& why) {
    for (const dom::element at : list) {
        server_token& token = out.emplace_back();
        if (at.is_null()) continue;
        dom::object candidates;
        if (at.get(candidates))
            return strange("the answer's prompt_logprobs hold something else than objects", why);
        // With the best candidates beside the text's token, nothing says which one that is.
        if (candidates.size() != 1)
            return strange("the answer's prompt_logprobs hold " +
                               std::to_string(candidates.size()) +
                               " tokens at one place: which one is the text's is not told",
                           why);
        const auto [key, value] = *candidates.begin();
        std::int32_t id = 0;
        const auto read = std::from_chars(key.data(), key.data() + key.size(), id);
        if (read.ec == std::errc{} && read.ptr == key.data() + key.size()) token.id = id;
        std::string_view text;
        if (!value["decoded_token"].get(text)) token.text = text;
        if (double number = 0; !value["logprob"].get(number)) token.log_probability = number;
    }
    return reading::whole;
}

/// Reads OpenAI's lists "tokens" and "token_logprobs".
reading read_echoed(dom::array texts, dom::array numbers, scored_tokens& out, std::string& why) {
    for (const dom::element at : texts) {
        std::string_view text;
        if (at.get(text)) return strange("the answer's logprobs.tokens hold no strings", why);
        out.emplace_back().text = text;
    }
    std::size_t i = 0;
    for (const dom::element at : numbers) {
        double number = 0;
        if (i == out.size()) break;
        if (!at.get(number)) out[i].log_probability = number;
        ++i;
    }
    if (i != out.size() || numbers.size() != out.size())
        return strange("the answer's logprobs.tokens and token_logprobs differ in length", why);
    return reading::whole;
}

}  // namespace

std::string scoring_body(const text_to_score& request, const std::string& model,
                         std::span<const body_member> theirs) {
    std::string out;
    merged_object body(out, theirs);
    json_writer& json = body.json();
    json.member("model", model);
    if (request.messages.empty()) {
        json.member("prompt", request.text).member("echo", true).member("logprobs", 1);
        body.member("add_special_tokens", false);
    } else {
        json.key("messages").begin_array();
        for (const server_message& m : request.messages)
            json.begin_object().member("role", m.role).member("content", m.content).end_object();
        json.end_array().member("add_generation_prompt", request.begins_answer);
    }
    // Some servers make a token in any case, and take no limit of 0.
    body.member("max_tokens", 1).member("temperature", 1).member("top_p", 1);
    body.member("prompt_logprobs", 0).member("stream", false).end();
    return out;
}

reading read_scores(std::string& body, scored_tokens& out, std::string& why) {
    dom::parser parser;
    dom::element answer;
    replace_lone_surrogates(body);
    if (const auto error = parser.parse(body).get(answer)) {
        why = std::string("the answer is no JSON: ") + simdjson::error_message(error);
        return reading::no_json;
    }
    const auto choice = answer["choices"].at(0);
    if (choice.error()) return strange("the answer has no choices[0]", why);
    dom::array listed, texts, numbers;
    const bool is_listed =
        !choice["prompt_logprobs"].get(listed) || !answer["prompt_logprobs"].get(listed);
    const bool is_echoed = !choice["logprobs"]["tokens"].get(texts) &&
                           !choice["logprobs"]["token_logprobs"].get(numbers);
    out.clear();
    if (!is_listed && !is_echoed)
        return strange(
            "the answer has no probabilities of the text's tokens: neither "
            "choices[0].prompt_logprobs nor choices[0].logprobs.tokens",
            why);
    if (!is_echoed) {
        if (const reading read = read_listed(listed, out, why); read != reading::whole) return read;
    } else {
        if (const reading read = read_echoed(texts, numbers, out, why); read != reading::whole)
            return read;
        scored_tokens with_ids;
        std::string no_ids;
        // Several candidates at a place only mean that the ids are not known.
        if (is_listed && read_listed(listed, with_ids, no_ids) == reading::whole)
            for (std::size_t i = 0; i < std::min(out.size(), with_ids.size()); ++i)
                out[i].id = with_ids[i].id;
    }
    // Where the server counts the text's tokens, what it made itself is left out.
    if (std::uint64_t count = 0;
        !answer["usage"]["prompt_tokens"].get(count) && count > 0 && count < out.size())
        out.resize(count);
    constexpr double rounding = 1e-4;  // of a sum of probabilities in half precision, with room
    for (std::size_t i = 1; i < out.size(); ++i) {
        if (!out[i].log_probability)
            return strange("the answer has no probability of token " + std::to_string(i + 1), why);
        if (*out[i].log_probability > rounding)
            return strange("the answer's log-probability of token " + std::to_string(i + 1) +
                               " is above 0: " + format("%g", *out[i].log_probability),
                           why);
    }
    return reading::whole;
}

}  // namespace cuset
