#include "llamafactory_template.h"

#include <array>

namespace cuset {

namespace {

// A template as LLaMA-Factory 0.9.5 registers it: what stands around the content of each message.
// It encodes each message alone, and cuts a message at its beginning- and end-of-text tokens,
// across which no token goes anyway. A user's turn ends where the answer begins.
struct message_parts {
    std::string_view name{};
    std::string_view prefix{};  // before everything
    std::string_view default_system{};
    std::array<std::string_view, 2> system{}, user{}, assistant{};
    bool thinks = false;  // it is a ReasoningTemplate, with enable_thinking on
};

constexpr std::array<std::string_view, 2> chatml_system{"<|im_start|>system\n", "<|im_end|>\n"};
constexpr std::array<std::string_view, 2> chatml_user{"<|im_start|>user\n",
                                                      "<|im_end|>\n<|im_start|>assistant\n"};
constexpr std::array<std::string_view, 2> chatml_assistant{"", "<|im_end|>\n"};

constexpr message_parts chatml_with(std::string_view name, std::string_view default_system,
                                    bool thinks = false) {
    return {name, "", default_system, chatml_system, chatml_user, chatml_assistant, thinks};
}

#define CUSET_SEED_BOS "<[begin▁of▁sentence]>"
#define CUSET_SEED_EOS "<[end▁of▁sentence]>"
#define CUSET_REFUSAL                                                                             \
    "and you only answer questions related to computer science. For politically sensitive "       \
    "questions, security and privacy issues, and other non-computer science questions, you will " \
    "refuse to answer."

constexpr auto first_kind = static_cast<std::size_t>(chat_template_kind::lf_chatml);

// In the order of chat_template_kind, from lf_chatml on.
constexpr std::array<message_parts, 9> templates{{
    chatml_with("lf:chatml", ""),
    chatml_with("lf:smollm", ""),
    chatml_with("lf:smollm2",
                "You are a helpful AI assistant named SmolLM, trained by Hugging Face."),
    chatml_with("lf:qwen", "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."),
    chatml_with("lf:qwen3", "", true),
    chatml_with("lf:qwen3_nothink", ""),
    {.name = "lf:deepseekcoder",
     .prefix = "<｜begin▁of▁sentence｜>",
     .default_system =
         "You are an AI programming assistant, utilizing the DeepSeek Coder model, developed by "
         "DeepSeek Company, " CUSET_REFUSAL "\n",
     .system = {"", ""},
     .user = {"### Instruction:\n", "\n### Response:"},
     .assistant = {"\n", "\n<|EOT|>\n"}},
    {.name = "lf:seed_coder",
     .default_system =
         "You are an AI programming assistant, utilizing the Seed-Coder model, developed by "
         "ByteDance Seed, " CUSET_REFUSAL "\n\n",
     .system = {CUSET_SEED_BOS "system\n", CUSET_SEED_EOS},
     .user = {CUSET_SEED_BOS "user\n", CUSET_SEED_EOS CUSET_SEED_BOS "assistant\n"},
     .assistant = {"", CUSET_SEED_EOS}},
    {.name = "lf:llama3",
     .prefix = "<|begin_of_text|>",
     .system = {"<|start_header_id|>system<|end_header_id|>\n\n", "<|eot_id|>"},
     .user = {"<|start_header_id|>user<|end_header_id|>\n\n",
              "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n"},
     .assistant = {"", "<|eot_id|>"}},
}};

#undef CUSET_REFUSAL
#undef CUSET_SEED_EOS
#undef CUSET_SEED_BOS

constexpr std::string_view thought_begin = "<think>\n", thought_end = "\n</think>\n\n";

const message_parts& parts_of(chat_template_kind kind) {
    return templates[static_cast<std::size_t>(kind) - first_kind];
}

/// The text without its thoughts, each from the first beginning to the next end, and then without
/// the newlines before it.
std::string without_thoughts(std::string text) {
    std::size_t from = 0;
    for (std::size_t begin; (begin = text.find(thought_begin, from)) != text.npos; from = begin) {
        const std::size_t end = text.find(thought_end, begin + thought_begin.size());
        if (end == text.npos) break;
        text.erase(begin, end + thought_end.size() - begin);
    }
    return text.erase(0, std::min(text.find_first_not_of('\n'), text.size()));
}

}  // namespace

bool is_of_llamafactory(chat_template_kind kind) {
    return static_cast<std::size_t>(kind) >= first_kind;
}

std::string_view llamafactory_name(chat_template_kind kind) { return parts_of(kind).name; }

rendered_chat render_of_llamafactory(chat_template_kind kind,
                                     std::span<const chat_message> messages,
                                     std::optional<std::string_view> response) {
    const message_parts& parts = parts_of(kind);
    rendered_chat out;
    const auto add = [&](const std::array<std::string_view, 2>& around, std::string_view content) {
        if (!out.prompt.empty()) out.cuts.push_back(out.prompt.size());
        out.prompt.append(around[0]).append(content).append(around[1]);
    };
    out.prompt = parts.prefix;
    // An empty system message is none, and the default takes its place.
    std::string_view system = parts.default_system;
    if (messages.front().role == "system") {
        if (!messages.front().content.empty()) system = messages.front().content;
        messages = messages.subspan(1);
    }
    if (!system.empty()) add(parts.system, system);
    for (const chat_message& message : messages) {
        const bool is_history = message.role == "assistant";
        add(is_history ? parts.assistant : parts.user,
            is_history && parts.thinks ? without_thoughts(message.content) : message.content);
    }
    out.tail = parts.assistant[1];
    // A model that is asked for an answer writes the lead itself.
    if (!response) return out;
    out.lead = parts.assistant[0];
    if (parts.thinks && response->find("<think>") == response->npos &&
        response->find("</think>") == response->npos) {
        out.lead = std::string(thought_begin) + std::string(thought_end);
        out.lead_is_apart = true;
    }
    return out;
}

}  // namespace cuset
