#include "preference_record.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "member_value.h"

namespace cuset {

namespace {

namespace dom = simdjson::dom;

/// Reads [{"role", "content"}, …].
status read_messages(std::string_view key, dom::array messages, std::vector<chat_turn>& turns) {
    for (const dom::element message : messages) {
        std::string_view role, content;
        if (message["role"].get(role) || message["content"].get(content))
            return data_error('"' + std::string(key) +
                              "\" has a message without a role and a content that are strings");
        turns.push_back({std::string(role), std::string(content)});
    }
    return {};
}

/// A response: the text alone, or all turns of a conversation that ends with it.
struct side {
    std::string text;
    bool is_conversation = false;
    std::vector<chat_turn> before;
};

status read_side(const pair_record& record, const char* key, side& out) {
    dom::parser parser;
    dom::element value;
    const std::string name = '"' + std::string(key) + '"';
    if (!find_member(record, key, parser, value)) return data_error(name + " is missing");
    std::string_view text;
    if (value.get(text) == simdjson::SUCCESS) {
        out.text = text;
        return {};
    }
    dom::array messages;
    if (value.get(messages))
        return data_error(name + " is neither a string nor a list of messages");
    out.is_conversation = true;
    CUSET_TRY(read_messages(key, messages, out.before));
    if (out.before.empty() || out.before.back().role != "assistant")
        return data_error(name + " does not end with the assistant's turn");
    out.text = std::move(out.before.back().content);
    out.before.pop_back();
    return {};
}

bool is_same(const std::vector<chat_turn>& a, const std::vector<chat_turn>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const chat_turn& x, const chat_turn& y) {
                          return x.role == y.role && x.content == y.content;
                      });
}

}  // namespace

status read_preference(pair_record& record, std::string& rejected) {
    side good, bad;
    CUSET_TRY(read_side(record, "chosen", good));
    CUSET_TRY(read_side(record, "rejected", bad));
    if (good.is_conversation != bad.is_conversation)
        return data_error("\"chosen\" and \"rejected\" are a string and a list of messages");
    if (!is_same(good.before, bad.before))
        return data_error("\"chosen\" and \"rejected\" differ before their last turn");
    dom::parser parser;
    dom::element prompt;
    dom::array messages;
    if (find_member(record, "prompt", parser, prompt)) {
        if (!good.before.empty())
            return data_error(
                "\"chosen\" has more than the assistant's turn, though there is a \"prompt\"");
        if (prompt.get(messages) == simdjson::SUCCESS) {
            record.conversation.clear();
            CUSET_TRY(read_messages("prompt", messages, record.conversation));
            record.no_prompt = {};
        }
    } else if (!good.before.empty()) {
        record.conversation = std::move(good.before);
        record.no_prompt = {};
    }
    record.response = std::move(good.text);
    rejected = std::move(bad.text);
    return {};
}

}  // namespace cuset
