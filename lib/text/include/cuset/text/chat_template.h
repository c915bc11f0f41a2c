// Chat templates: what stands around a prompt and a response so that the model sees the dialogue it
// was trained on. Known by name; nothing here interprets Jinja.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "cuset/base/status.h"

namespace cuset {

/// One turn: role is "system", "user" or "assistant" ("tool" and others are refused).
struct chat_message {
    std::string role;
    std::string content;
};

/// The text around a response. The whole sequence is encode(prompt) + encode(response + tail),
/// prompt and response apart, so that byte offsets of the response are clean.
struct rendered_chat {
    std::string prompt;            ///< all before the response, generation prompt included
    std::string tail;              ///< what follows the response, such as "<|im_end|>\n"
    bool starts_with_bos = false;  ///< `prompt` begins with the template's beginning-of-text token
};

enum class chat_template_kind : unsigned char {
    none,            ///< the contents as they are, nothing around them
    chatml,          ///< SmolLM2 ("smollm" is an alias)
    qwen,            ///< Qwen2.5
    qwen3,           ///< Qwen3, thinking left to the model
    qwen3_nothink,   ///< Qwen3 with the empty thinking block in the prompt
    deepseek_coder,  ///< DeepSeek-Coder instruct (v1)
    seed_coder,      ///< Seed-Coder instruct
    llama3,          ///< Llama-3 instruct
};

class chat_template {
public:
    /// By --template's NAME: chatml, smollm, qwen, qwen3, qwen3_nothink, deepseek-coder,
    /// seed-coder, llama3, none. Any other is a usage error that lists these.
    static result<chat_template> by_name(std::string_view name);

    /// `--template auto`: recognises the template of a model folder by what its
    /// chat_template.jinja or tokenizer_config.json contains, with config.json's model_type to tell
    /// relatives apart. A folder without a template, or with an unknown one, is refused
    /// (unsupported) with a message that names `--template`.
    static result<chat_template> detect(const std::filesystem::path& model_folder);

    explicit chat_template(chat_template_kind kind) : kind_(kind) {}

    chat_template_kind kind() const { return kind_; }
    std::string_view name() const;

    /// Renders a dialogue up to, and not including, the response. `messages` ends with the user's
    /// turn (an assistant turn before it is history). Data error if a role is unknown or the order
    /// of roles is one the template cannot express.
    result<rendered_chat> render(std::span<const chat_message> messages) const;

private:
    chat_template_kind kind_;
};

}  // namespace cuset
