#include "cuset/text/chat_template.h"

#include <array>

#include "llamafactory_template.h"
#include "unicode.h"

namespace cuset {

namespace {

/// A template as the pieces around each turn's content.
struct template_parts {
    std::string_view name{};
    std::string_view bos{};             // before everything
    std::string_view default_system{};  // a whole system turn, if the dialogue has none
    std::array<std::string_view, 2> system{}, user{}, assistant{};  // before and after the content
    std::string_view generation{};                                  // before the response
    std::string_view tail{};                                        // after it
    bool strips_content = false;  // Jinja's `| trim` on every turn
};

#define CUSET_SEED_BOS "<[begin▁of▁sentence]>"
#define CUSET_SEED_EOS "<[end▁of▁sentence]>"
#define CUSET_REFUSAL                                                                             \
    "and you only answer questions related to computer science. For politically sensitive "       \
    "questions, security and privacy issues, and other non-computer science questions, you will " \
    "refuse to answer"

constexpr std::array<std::string_view, 2> chatml_system{"<|im_start|>system\n", "<|im_end|>\n"};
constexpr std::array<std::string_view, 2> chatml_user{"<|im_start|>user\n", "<|im_end|>\n"};
constexpr std::array<std::string_view, 2> chatml_assistant{"<|im_start|>assistant\n",
                                                           "<|im_end|>\n"};

constexpr template_parts chatml_with(std::string_view name, std::string_view default_system) {
    return {name,
            "",
            default_system,
            chatml_system,
            chatml_user,
            chatml_assistant,
            "<|im_start|>assistant\n",
            "<|im_end|>\n"};
}

constexpr std::string_view empty_thought = "<think>\n\n</think>\n\n";

// In the order of chat_template_kind.
constexpr std::array<template_parts, 9> templates{{
    {.name = "none"},
    chatml_with("chatml", ""),
    chatml_with("smollm",
                "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by "
                "Hugging Face<|im_end|>\n"),
    chatml_with("qwen",
                "<|im_start|>system\nYou are Qwen, created by Alibaba Cloud. You are a helpful "
                "assistant.<|im_end|>\n"),
    chatml_with("qwen3", ""),
    chatml_with("qwen3_nothink", ""),
    {.name = "deepseek-coder",
     .bos = "<｜begin▁of▁sentence｜>",
     .default_system =
         "You are an AI programming assistant, utilizing the Deepseek Coder model, developed by "
         "Deepseek Company, " CUSET_REFUSAL "\n",
     .system = {"", ""},
     .user = {"### Instruction:\n", "\n"},
     .assistant = {"### Response:\n", "\n<|EOT|>\n"},
     .generation = "### Response:\n",
     .tail = "\n<|EOT|>\n"},
    {.name = "seed-coder",
     .bos = "",  // each turn brings its own
     .default_system = CUSET_SEED_BOS
     "system\nYou are an AI programming assistant, utilizing the Seed-Coder model, developed "
     "by ByteDance Seed, " CUSET_REFUSAL ".\n\n" CUSET_SEED_EOS,
     .system = {CUSET_SEED_BOS "system\n", CUSET_SEED_EOS},
     .user = {CUSET_SEED_BOS "user\n", CUSET_SEED_EOS},
     .assistant = {CUSET_SEED_BOS "assistant\n", CUSET_SEED_EOS},
     .generation = CUSET_SEED_BOS "assistant\n",
     .tail = CUSET_SEED_EOS,
     .strips_content = true},
    {.name = "llama3",
     .bos = "<|begin_of_text|>",
     .default_system = "",
     .system = {"<|start_header_id|>system<|end_header_id|>\n\n", "<|eot_id|>"},
     .user = {"<|start_header_id|>user<|end_header_id|>\n\n", "<|eot_id|>"},
     .assistant = {"<|start_header_id|>assistant<|end_header_id|>\n\n", "<|eot_id|>"},
     .generation = "<|start_header_id|>assistant<|end_header_id|>\n\n",
     .tail = "<|eot_id|>",
     .strips_content = true},
}};

#undef CUSET_REFUSAL
#undef CUSET_SEED_EOS
#undef CUSET_SEED_BOS

const template_parts& parts_of(chat_template_kind kind) {
    return templates[static_cast<std::size_t>(kind)];
}

/// Python's str.strip(): \s and the four ASCII separators. Bytes that are no UTF-8 stay.
std::string_view stripped(std::string_view text) {
    const auto is_space = [](char32_t c) {
        return (c >= 0x1C && c <= 0x1F) || (text::class_of(c) & text::space) != 0;
    };
    const auto length_at = [&](std::size_t at) {
        const auto lead = static_cast<unsigned char>(text[at]);
        return lead < 0x80 ? 1U : lead < 0xE0 ? 2U : lead < 0xF0 ? 3U : 4U;
    };
    while (!text.empty()) {
        const unsigned n = length_at(0);
        if (n > text.size() || !is_space(text::decode_utf8(text.data()).code_point)) break;
        text.remove_prefix(n);
    }
    while (!text.empty()) {
        std::size_t last = text.size() - 1;
        while (last > 0 && (static_cast<unsigned char>(text[last]) & 0xC0) == 0x80) --last;
        if (last + length_at(last) != text.size()) break;
        if (!is_space(text::decode_utf8(text.data() + last).code_point)) break;
        text.remove_suffix(text.size() - last);
    }
    return text;
}

/// The part of an assistant turn in the history that Qwen3's template keeps.
std::string_view without_thought(std::string_view content) {
    constexpr std::string_view end = "</think>";
    const std::size_t at = content.rfind(end);
    if (at == std::string_view::npos) return content;
    content.remove_prefix(at + end.size());
    const std::size_t first = content.find_first_not_of('\n');
    return first == std::string_view::npos ? std::string_view() : content.substr(first);
}

}  // namespace

result<chat_template> chat_template::by_name(std::string_view name) {
    std::string known;
    const auto all = names();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i] == name) return chat_template(static_cast<chat_template_kind>(i));
        known += ", " + all[i];
    }
    return usage_error("unknown chat template \"" + std::string(name) + "\"; there are auto" +
                       known);
}

std::vector<std::string> chat_template::names() {
    constexpr auto last = static_cast<std::size_t>(chat_template_kind::lf_llama3);
    std::vector<std::string> all;
    for (std::size_t i = 0; i <= last; ++i)
        all.emplace_back(chat_template(static_cast<chat_template_kind>(i)).name());
    return all;
}

std::string_view chat_template::name() const {
    return is_of_llamafactory(kind_) ? llamafactory_name(kind_) : parts_of(kind_).name;
}

status check_dialogue(std::span<const chat_message> messages) {
    if (messages.empty() || messages.back().role != "user")
        return data_error("the dialogue before the response does not end with the user's turn");
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const std::string& role = messages[i].role;
        if (role == "system" && i > 0)
            return data_error("a system message that is not the first of the dialogue");
        if (role != "system" && role != "user" && role != "assistant")
            return data_error("role \"" + role + "\" is not system, user or assistant");
    }
    return {};
}

result<rendered_chat> chat_template::render(std::span<const chat_message> messages,
                                            std::optional<std::string_view> response) const {
    CUSET_TRY(check_dialogue(messages));
    if (is_of_llamafactory(kind_)) return render_of_llamafactory(kind_, messages, response);
    const template_parts& parts = parts_of(kind_);
    rendered_chat out;
    out.prompt = parts.bos;
    if (messages.front().role != "system") out.prompt += parts.default_system;
    for (const chat_message& message : messages) {
        const auto& around = message.role == "user"        ? parts.user
                             : message.role == "assistant" ? parts.assistant
                                                           : parts.system;
        std::string_view content = message.content;
        if (kind_ == chat_template_kind::qwen3 && message.role == "assistant")
            content = without_thought(content);
        out.prompt += around[0];
        out.prompt += parts.strips_content ? stripped(content) : content;
        out.prompt += around[1];
    }
    out.prompt += parts.generation;
    if (kind_ == chat_template_kind::qwen3 && response &&
        response->find("<think>") == std::string_view::npos &&
        response->find("</think>") == std::string_view::npos)
        out.prompt += empty_thought;
    out.tail = parts.tail;
    return out;
}

}  // namespace cuset
