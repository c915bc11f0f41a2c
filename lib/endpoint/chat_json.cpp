#include "chat_json.h"

#include <simdjson.h>

#include "body_members.h"
#include "cuset/stream/json_text.h"

namespace cuset {

namespace {

namespace dom = simdjson::dom;

constexpr std::size_t longest_error_text = 500;

simdjson::error_code parse(dom::parser& parser, std::string& body, dom::element& out) {
    replace_lone_surrogates(body);
    return parser.parse(body).get(out);
}

/// Takes the first text of error.message, error, message, detail and detail[0].msg (FastAPI).
std::string_view message_of(const dom::element& answer) {
    std::string_view text;
    if (!answer["error"]["message"].get(text) || !answer["error"].get(text) ||
        !answer["message"].get(text) || !answer["detail"].get(text) ||
        !answer["detail"].at(0)["msg"].get(text))
        return text;
    return {};
}

/// Puts a text on one line, removes what could steer a terminal, and cuts it between characters.
std::string one_line(std::string_view text) {
    std::string line;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool blank = byte <= 0x20 || byte == 0x7f;
        if (blank && (line.empty() || line.back() == ' ')) continue;
        if (line.size() >= longest_error_text && (byte & 0xc0U) != 0x80U) {
            line += "…";
            return line;
        }
        line += blank ? ' ' : c;
    }
    while (line.ends_with(' ')) line.pop_back();
    return line;
}

/// Some servers send both names, and one of them empty or null.
std::string_view thought_in(const dom::element& message) {
    for (const std::string_view name : {"reasoning_content", "reasoning"})
        if (std::string_view text; !message[name].get(text) && !text.empty()) return text;
    return {};
}

reading no_json(simdjson::error_code error, std::string& why) {
    why = std::string("the answer is no JSON: ") + simdjson::error_message(error);
    return reading::no_json;
}

}  // namespace

std::string request_body(const completion_request& request, const std::string& model,
                         bool newer_limit_name, std::span<const body_member> theirs) {
    std::string out;
    merged_object body(out, theirs);
    json_writer& json = body.json();
    json.member("model", model).key("messages").begin_array();
    for (const server_message& m : request.messages)
        if (m.role != "system" || !m.content.empty())
            json.begin_object().member("role", m.role).member("content", m.content).end_object();
    json.end_array();
    if (request.max_new_tokens != 0 && body.is_ours("max_tokens") &&
        body.is_ours("max_completion_tokens"))
        json.member(newer_limit_name ? "max_completion_tokens" : "max_tokens",
                    request.max_new_tokens);
    body.member("temperature", request.temperature, 6).member("top_p", request.top_p, 6);
    if (request.top_k > 0) body.member("top_k", request.top_k);
    body.member("seed", request.seed & 0x7fffffffU).member("stream", false).end();
    return out;
}

reading read_completion(std::string& body, completion& out, std::string& why) {
    dom::parser parser;
    dom::element answer, message, content;
    if (const auto error = parse(parser, body, answer)) return no_json(error, why);
    const auto choice = answer["choices"].at(0);
    const auto strange = [&why](const char* what) {
        why = what;
        return reading::strange;
    };
    if (choice["message"].get(message) || !message.is_object())
        return strange("the answer has no choices[0].message");
    std::string_view text;
    if (message["content"].get(content)) {
        // Some servers leave out fields that are null, so an absent content is null.
        if (message["reasoning_content"].error() && message["reasoning"].error())
            return strange("the answer has no choices[0].message.content");
    } else if (!content.is_null() && content.get(text)) {
        return strange("the answer's choices[0].message.content is no string");
    }
    out.text = text;
    out.thought = thought_in(message);
    if (!choice["finish_reason"].get(text)) out.finish = text;
    if (std::uint64_t tokens = 0; !answer["usage"]["completion_tokens"].get(tokens))
        out.tokens = tokens;
    return reading::whole;
}

reading read_first_model(std::string& body, std::string& name, std::string& why) {
    dom::parser parser;
    dom::element answer;
    if (const auto error = parse(parser, body, answer)) return no_json(error, why);
    std::string_view id;
    if (answer["data"].at(0)["id"].get(id) || id.empty()) {
        why = "the server lists no model";
        return reading::strange;
    }
    name = id;
    return reading::whole;
}

std::string error_text(std::string& body, std::string_view key) {
    dom::parser parser;
    dom::element answer;
    std::string text(parse(parser, body, answer) ? std::string_view(body) : message_of(answer));
    // The key goes before the text is cut: half a key is already too much.
    for (std::size_t at = 0; !key.empty() && (at = text.find(key, at)) != text.npos; ++at)
        text.replace(at, key.size(), "*");
    return one_line(text);
}

}  // namespace cuset
