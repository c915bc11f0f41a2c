// The chat templates as a filter for template_render.py:
//   {"jinja":TEXT or "name":NAME, "messages":[{"role","content"}...], "response":TEXT or null}
// in, {"name","prompt","tail","bos"} or {"error":TEXT} out, one JSON object a line.
#include <simdjson.h>

#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "cuset/text/chat_template.h"

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

cuset::result<std::string> answer(simdjson::dom::object request) {
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
    return "{\"name\":" + json_string(chat.name()) + ",\"prompt\":" + json_string(out.prompt) +
           ",\"tail\":" + json_string(out.tail) + '}';
}

}  // namespace

int main() {
    simdjson::dom::parser parser;
    for (std::string line; std::getline(std::cin, line);) {
        simdjson::dom::object request;
        if (parser.parse(line).get(request) != simdjson::SUCCESS) return 1;
        const auto out = answer(request);
        std::cout << (out ? *out : "{\"error\":" + json_string(out.error().message()) + "}")
                  << '\n';
    }
    return 0;
}
