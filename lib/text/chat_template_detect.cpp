// Finds the template of a model folder by marks in its Jinja source. The marks are literal text
// that the template prints. A template that is close to a known one but prints something else is
// refused.
#include <fcntl.h>
#include <simdjson.h>

#include <cctype>
#include <cerrno>

#include "cuset/base/fd.h"
#include "cuset/text/chat_template.h"

namespace cuset {

namespace {

/// All of a file; an empty optional if there is no such file.
result<std::optional<std::string>> read_if_there(const std::filesystem::path& path) {
    const std::string name = path.string();
    const unique_fd fd(::open(name.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd && errno == ENOENT) return std::optional<std::string>();
    if (!fd) return io_error(name, errno);
    CUSET_ASSIGN(std::string text, read_all(fd.get(), name));
    return std::optional(std::move(text));
}

/// The template in tokenizer_config.json: a string, or the one named "default" in a list. Nothing
/// if the file has none.
result<std::optional<std::string>> template_in(const std::string& config, const std::string& name) {
    simdjson::dom::parser parser;
    simdjson::dom::object root;
    if (const auto error = parser.parse(config).get(root); error != simdjson::SUCCESS)
        return data_error(name + ": not a JSON object: " + simdjson::error_message(error));
    simdjson::dom::element value;
    std::string_view text;
    if (root.at_key("chat_template").get(value) != simdjson::SUCCESS || value.is_null())
        return std::optional<std::string>();
    if (value.get(text) == simdjson::SUCCESS) return std::optional(std::string(text));
    simdjson::dom::array list;
    if (value.get(list) != simdjson::SUCCESS)
        return data_error(name + ": \"chat_template\" is not a string");
    for (const simdjson::dom::element item : list) {
        std::string_view label;
        if (item.at_key("name").get(label) == simdjson::SUCCESS && label == "default" &&
            item.at_key("template").get(text) == simdjson::SUCCESS)
            return std::optional(std::string(text));
    }
    return data_error(name + ": \"chat_template\" has no template named \"default\"");
}

/// Whether the template prints a system prompt of its own: words right after the system header, not
/// the end of a string literal.
bool has_default_system(std::string_view jinja) {
    for (const std::string_view head : {"<|im_start|>system\\n", "<|im_start|>system\n"}) {
        for (std::size_t at = jinja.find(head); at != std::string_view::npos;
             at = jinja.find(head, at + 1)) {
            const std::size_t next = at + head.size();
            if (next < jinja.size() && std::isalpha(static_cast<unsigned char>(jinja[next])) != 0)
                return true;
        }
    }
    return false;
}

}  // namespace

result<chat_template> chat_template::recognise(std::string_view jinja, std::string_view source) {
    const auto has = [jinja](std::string_view mark) {
        return jinja.find(mark) != std::string_view::npos;
    };
    const auto refuse = [source](std::string_view why) {
        return unsupported(std::string(source) + ": " + std::string(why) +
                           "; name one with --template");
    };
    using enum chat_template_kind;
    if (has("utilizing the Seed-Coder model")) return chat_template(seed_coder);
    if (has("utilizing the Deepseek Coder model") && has("<|EOT|>"))
        return chat_template(deepseek_coder);
    if (has("<|start_header_id|>") && has("<|eot_id|>")) {
        if (!has("Cutting Knowledge Date")) return chat_template(llama3);
        return refuse(
            "the chat template is Llama 3.1's or later, which writes a date into the "
            "prompt and is not known here (\"llama3\" is the one without)");
    }
    if (has("<|im_start|>") && has("<|im_end|>")) {
        if (has("assistant named SmolLM, trained by Hugging Face")) return chat_template(smollm);
        if (has("You are Qwen, created by Alibaba Cloud. You are a helpful assistant."))
            return chat_template(qwen);
        if (has("enable_thinking") && has("reasoning_content")) return chat_template(qwen3);
        if (!has("<think>") && !has_default_system(jinja)) return chat_template(chatml);
    }
    return refuse("the chat template is not one that is known here");
}

result<chat_template> chat_template::detect(const std::filesystem::path& model_folder) {
    const std::filesystem::path jinja_file = model_folder / "chat_template.jinja";
    CUSET_ASSIGN(const std::optional<std::string> jinja, read_if_there(jinja_file));
    if (jinja) return recognise(*jinja, jinja_file.string());
    const std::filesystem::path config_file = model_folder / "tokenizer_config.json";
    CUSET_ASSIGN(const std::optional<std::string> config, read_if_there(config_file));
    if (config) {
        CUSET_ASSIGN(const std::optional<std::string> text,
                     template_in(*config, config_file.string()));
        if (text) return recognise(*text, config_file.string());
    }
    return unsupported(model_folder.string() +
                       ": the model folder has no chat template; name one with --template");
}

}  // namespace cuset
