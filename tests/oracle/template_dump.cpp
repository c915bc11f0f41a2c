// The chat templates as a filter for template_render.py and llamafactory_templates.py:
//   {"jinja":TEXT or "name":NAME, "messages":[{"role","content"}...], "response":TEXT or null}
// in, {"name","prompt","tail"} or {"error":TEXT} out, one JSON object a line. With a tokenizer.json
// as argument also "prompt_ids" and, for a response, "response_ids" and their "ends".
#include <simdjson.h>

#include <cstdio>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include "cuset/text/chat_template.h"
#include "cuset/text/encoded_pair.h"

namespace {

std::string json_string(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            (out += '\\') += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
            out += escape;
        } else {
            out += c;
        }
    }
    return out += '"';
}

template <class T>
std::string json_array(std::span<const T> values) {
    std::string out;
    for (const T value : values) out += (out.empty() ? "" : ",") + std::to_string(value);
    return '[' + out + ']';
}

// The members with the tokens of a dialogue.
cuset::result<std::string> tokens(const cuset::tokenizer& words, const cuset::chat_template& chat,
                                  const std::vector<cuset::chat_message>& messages,
                                  std::optional<std::string_view> response) {
    std::vector<std::int32_t> prompt;
    if (!response) {
        CUSET_TRY(cuset::encode_prompt(words, chat, messages, prompt));
        return ",\"prompt_ids\":" + json_array(std::span<const std::int32_t>(prompt));
    }
    cuset::encoded_pair pair;
    CUSET_TRY(cuset::encode_pair(words, chat, messages, {*response}, 1 << 20, pair));
    const std::span<const std::int32_t> ids = pair.ids;
    return ",\"prompt_ids\":" + json_array(ids.first(pair.prompt_length)) +
           ",\"response_ids\":" + json_array(ids.subspan(pair.prompt_length)) +
           ",\"ends\":" + json_array(std::span<const std::size_t>(pair.ends));
}

cuset::result<std::string> answer(const cuset::tokenizer* words, simdjson::dom::object request) {
    std::string_view text;
    const bool has_jinja = request.at_key("jinja").get(text) == simdjson::SUCCESS;
    if (!has_jinja && request.at_key("name").get(text) != simdjson::SUCCESS) {
        return cuset::data_error("neither jinja nor name");
    }
    CUSET_ASSIGN(const cuset::chat_template chat,
                 has_jinja ? cuset::chat_template::recognise(text, "jinja")
                           : cuset::chat_template::by_name(text));
    std::vector<cuset::chat_message> messages;
    for (const simdjson::dom::element m : request.at_key("messages").get_array()) {
        messages.push_back({std::string(m.at_key("role").get_string().value()),
                            std::string(m.at_key("content").get_string().value())});
    }
    std::optional<std::string_view> response;
    if (request.at_key("response").get(text) == simdjson::SUCCESS) response = text;
    CUSET_ASSIGN(const cuset::rendered_chat out, chat.render(messages, response));
    std::string more;
    if (words != nullptr) {
        CUSET_ASSIGN(more, tokens(*words, chat, messages, response));
    }
    return "{\"name\":" + json_string(chat.name()) + ",\"prompt\":" + json_string(out.prompt) +
           ",\"tail\":" + json_string(out.tail) + more + '}';
}

}  // namespace

int main(int argc, char** argv) {
    std::optional<cuset::tokenizer> words;
    if (argc > 1) {
        auto loaded = cuset::tokenizer::load(argv[1]);
        if (!loaded) {
            std::cerr << loaded.error().message() << '\n';
            return 1;
        }
        words = std::move(loaded).value();
    }
    simdjson::dom::parser parser;
    for (std::string line; std::getline(std::cin, line);) {
        simdjson::dom::object request;
        if (parser.parse(line).get(request) != simdjson::SUCCESS) return 1;
        const auto out = answer(words ? &*words : nullptr, request);
        std::cout << (out ? *out : "{\"error\":" + json_string(out.error().message()) + "}")
                  << '\n';
    }
    return 0;
}
