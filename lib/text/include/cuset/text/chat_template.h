// Chat templates: the text around a prompt and a response that makes the dialogue that the model
// was trained on. They are known by name; nothing here interprets Jinja.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"

namespace cuset {

/// One turn: role is "system", "user" or "assistant" ("tool" and others are refused).
struct chat_message {
    std::string role;
    std::string content;
};

/// Checks the dialogue before a response: a system message may only come first; the last message is
/// the user's; assistant messages before it are history. Other roles or orders are a data error.
status check_dialogue(std::span<const chat_message> messages);

/// The text around a response. The whole sequence is encode(prompt) + encode(response + tail),
/// prompt and response apart, so that byte offsets of the response are clean; the response itself
/// is never changed. LLaMA-Factory's templates also cut the prompt into pieces that are encoded
/// apart, and have a lead: text of the labels before the response.
///
/// For the model's own templates, prompt + response + tail is what its Jinja template renders, with
/// its default system prompt where the dialogue has none, and the tail is that of LLaMA-Factory's
/// template of the same model. LLaMA-Factory's own (lf:NAME, token by token those of version 0.9.5)
/// differ from them so:
///   - DeepSeek-Coder and SmolLM2: it spells the default system prompt a little differently
///     ("DeepSeek", a full stop). The newline between "### Response:" and the response belongs to
///     the labels there, to the prompt here.
///   - Qwen3: an empty thinking block before the response belongs to the labels there; see
///     render().
/// Where a template of a model changes the response:
///   - Llama-3 and Seed-Coder: their Jinja strips white space around every turn, so around the
///     response too. It is stripped from the prompt's turns, and the response is left as it is.
struct rendered_chat {
    std::string prompt;             ///< all before the response, generation prompt included
    std::vector<std::size_t> cuts;  ///< offsets in it, ascending, across which no token goes
    std::string lead;               ///< what a response begins with, and a model writes
    bool lead_is_apart = false;     ///< the lead is encoded alone, not with the response
    std::string tail;               ///< what follows the response, such as "<|im_end|>\n"
};

enum class chat_template_kind : unsigned char {
    none,            ///< the contents one after the other, nothing around them
    chatml,          ///< ChatML without a default system prompt (Qwen3-Coder, Qwen3-2507 instruct)
    smollm,          ///< ChatML with SmolLM2's default system prompt
    qwen,            ///< ChatML with Qwen2.5's default system prompt
    qwen3,           ///< Qwen3 with its thinking block, see render()
    qwen3_nothink,   ///< Qwen3 without one, as LLaMA-Factory's template of that name
    deepseek_coder,  ///< DeepSeek-Coder instruct (6.7B and its sisters)
    seed_coder,      ///< Seed-Coder-8B-Instruct
    llama3,          ///< Llama-3 instruct
    // LLaMA-Factory's templates, to the letter and to the token: "lf:" and its name.
    lf_chatml,
    lf_smollm,
    lf_smollm2,
    lf_qwen,
    lf_qwen3,
    lf_qwen3_nothink,
    lf_deepseekcoder,
    lf_seed_coder,
    lf_llama3,
};

class chat_template {
public:
    /// Finds a template by --template's NAME, one of names(). Any other name is a usage error that
    /// lists them.
    static result<chat_template> by_name(std::string_view name);

    /// The names of all templates: the models' own, none, and LLaMA-Factory's.
    static std::vector<std::string> names();

    /// `--template auto`: recognises the template of a model folder by what its chat_template.jinja
    /// or tokenizer_config.json contains. A folder without a template, or with one that none of
    /// these renders alike, is refused (unsupported) with a message that names `--template`.
    static result<chat_template> detect(const std::filesystem::path& model_folder);

    /// The same for the text of a Jinja template; `source` stands before messages.
    static result<chat_template> recognise(std::string_view jinja, std::string_view source);

    explicit chat_template(chat_template_kind kind) : kind_(kind) {}

    chat_template_kind kind() const { return kind_; }
    std::string_view name() const;

    /// Renders a dialogue up to, and not including, the response. Errors are those of
    /// check_dialogue().
    ///
    /// `response` is the text that will follow, if it is known. Only qwen3 uses it: if the response
    /// has no "<think>" and "</think>", the empty thinking block "<think>\n\n</think>\n\n" ends the
    /// prompt, as in the model's own template. LLaMA-Factory does the same with enable_thinking
    /// off. With it on (its default), LLaMA-Factory puts the block in front of the response, into
    /// the labels, which would score tokens that nobody wrote. Without `response` (sampling) the
    /// model may think; pass "" to prevent that. Thoughts in the history are dropped.
    /// lf:qwen3 is LLaMA-Factory's with enable_thinking on: the block is the lead, encoded apart.
    result<rendered_chat> render(std::span<const chat_message> messages,
                                 std::optional<std::string_view> response = std::nullopt) const;

private:
    chat_template_kind kind_;
};

}  // namespace cuset
