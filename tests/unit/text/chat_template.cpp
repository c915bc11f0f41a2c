#include "cuset/text/chat_template.h"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

using cuset::chat_message;
using cuset::chat_template;
using cuset::chat_template_kind;
using cuset::error_kind;

const chat_message user{"user", "Add."};

std::string prompt(const char* name, std::vector<chat_message> messages,
                   std::optional<std::string_view> response = std::nullopt) {
    const auto chat = chat_template::by_name(name);
    BOOST_REQUIRE(chat);
    const auto out = chat->render(messages, response);
    BOOST_REQUIRE_MESSAGE(out, out.error().message());
    return out->prompt;
}

std::string tail(const char* name) {
    return chat_template::by_name(name)->render(std::vector{user})->tail;
}

BOOST_AUTO_TEST_CASE(prompts) {
    BOOST_TEST(prompt("none", {user}) == "Add.");
    BOOST_TEST(prompt("chatml", {user}) ==
               "<|im_start|>user\nAdd.<|im_end|>\n<|im_start|>assistant\n");
    BOOST_TEST(prompt("smollm", {user})
                   .starts_with("<|im_start|>system\nYou are a helpful AI assistant named SmolLM, "
                                "trained by Hugging Face<|im_end|>\n<|im_start|>user\n"));
    BOOST_TEST(prompt("qwen", {{"system", "S"}, user}) ==
               "<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nAdd.<|im_end|>\n"
               "<|im_start|>assistant\n");
    BOOST_TEST(prompt("deepseek-coder", {{"system", "S\n"}, user}) ==
               "<｜begin▁of▁sentence｜>S\n### Instruction:\nAdd.\n### Response:\n");
    BOOST_TEST(prompt("seed-coder", {{"system", " S "}, user}) ==
               "<[begin▁of▁sentence]>system\nS<[end▁of▁sentence]><[begin▁of▁sentence]>user\nAdd."
               "<[end▁of▁sentence]><[begin▁of▁sentence]>assistant\n");
    BOOST_TEST(prompt("llama3", {{"user", "\n a\u3000"}, {"assistant", "b"}, user}) ==
               "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\na<|eot_id|>"
               "<|start_header_id|>assistant<|end_header_id|>\n\nb<|eot_id|>"
               "<|start_header_id|>user<|end_header_id|>\n\nAdd.<|eot_id|>"
               "<|start_header_id|>assistant<|end_header_id|>\n\n");
}

// LLaMA-Factory 0.9.5's format_assistant, after the content.
BOOST_AUTO_TEST_CASE(tails) {
    for (const char* name : {"chatml", "smollm", "qwen", "qwen3", "qwen3_nothink"}) {
        BOOST_TEST(tail(name) == "<|im_end|>\n");
    }
    BOOST_TEST(tail("deepseek-coder") == "\n<|EOT|>\n");
    BOOST_TEST(tail("seed-coder") == "<[end▁of▁sentence]>");
    BOOST_TEST(tail("llama3") == "<|eot_id|>");
    BOOST_TEST(tail("none").empty());
}

BOOST_AUTO_TEST_CASE(thinking) {
    const std::string open = "<|im_start|>user\nAdd.<|im_end|>\n<|im_start|>assistant\n";
    BOOST_TEST(prompt("qwen3", {user}) == open);
    BOOST_TEST(prompt("qwen3", {user}, "code") == open + "<think>\n\n</think>\n\n");
    BOOST_TEST(prompt("qwen3", {user}, "<think>\nx\n</think>\n\ncode") == open);
    BOOST_TEST(prompt("qwen3_nothink", {user}, "code") == open);
    BOOST_TEST(
        prompt("qwen3", {user, {"assistant", "<think>\nx\n</think>\n\ncode"}, user}).find("x\n") ==
        std::string::npos);
}

// tests/oracle/llamafactory_templates.py compares tokens with LLaMA-Factory's own.
BOOST_AUTO_TEST_CASE(of_llamafactory) {
    const auto rendered = [](const char* name, std::vector<chat_message> messages,
                             std::optional<std::string_view> response) {
        return *chat_template::by_name(name)->render(messages, response);
    };
    const auto coder = rendered("lf:deepseekcoder", {{"system", "S\n"}, user}, "x");
    BOOST_TEST(coder.prompt == "<｜begin▁of▁sentence｜>S\n### Instruction:\nAdd.\n### Response:");
    BOOST_TEST(coder.lead == "\n");
    BOOST_TEST(!coder.lead_is_apart);
    BOOST_TEST(coder.tail == "\n<|EOT|>\n");
    // A piece for each message.
    BOOST_TEST(coder.cuts.size() == 2);
    BOOST_TEST(coder.prompt.substr(coder.cuts[1]).starts_with("### Instruction"));
    const auto thought = rendered("lf:qwen3", {user}, "x");
    BOOST_TEST(thought.prompt == "<|im_start|>user\nAdd.<|im_end|>\n<|im_start|>assistant\n");
    BOOST_TEST(thought.lead == "<think>\n\n</think>\n\n");
    BOOST_TEST(thought.lead_is_apart);
    BOOST_TEST(rendered("lf:qwen3", {user}, "<think>\ny\n</think>\n\nx").lead.empty());
    BOOST_TEST(rendered("lf:qwen3", {user}, std::nullopt).lead.empty());
    BOOST_TEST(rendered("lf:smollm2", {{"system", ""}, user}, "x")
                   .prompt.starts_with("<|im_start|>system\nYou are a helpful AI assistant named "
                                       "SmolLM, trained by Hugging Face."));
}

BOOST_AUTO_TEST_CASE(bad_dialogues) {
    const chat_template chat(chat_template_kind::qwen);
    const auto refused = [&](std::vector<chat_message> messages) {
        const auto out = chat.render(messages);
        return !out && out.error().kind() == error_kind::data;
    };
    BOOST_TEST(refused({}));
    BOOST_TEST(refused({{"system", "S"}}));
    BOOST_TEST(refused({user, {"assistant", "A"}}));
    BOOST_TEST(refused({user, {"system", "S"}, user}));
    BOOST_TEST(refused({{"tool", "T"}, user}));
}

BOOST_AUTO_TEST_CASE(names) {
    for (const char* name :
         {"chatml", "smollm", "qwen", "qwen3", "qwen3_nothink", "deepseek-coder", "seed-coder",
          "llama3", "none", "lf:chatml", "lf:smollm", "lf:smollm2", "lf:qwen", "lf:qwen3",
          "lf:qwen3_nothink", "lf:deepseekcoder", "lf:seed_coder", "lf:llama3"}) {
        BOOST_TEST(chat_template::by_name(name)->name() == name);
    }
    const auto unknown = chat_template::by_name("vicuna");
    BOOST_REQUIRE(!unknown);
    BOOST_TEST((unknown.error().kind() == error_kind::usage));
    BOOST_TEST(unknown.error().message().find("deepseek-coder") != std::string::npos);
}

struct model_folder {
    std::filesystem::path path;
    model_folder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "cuset-XXXXXX").string();
        BOOST_REQUIRE(mkdtemp(pattern.data()) != nullptr);
        path = pattern;
    }
    ~model_folder() { std::filesystem::remove_all(path); }
    void write(const char* name, const std::string& text) const {
        std::ofstream(path / name) << text;
    }
};

BOOST_AUTO_TEST_CASE(detection) {
    const model_folder folder;
    const auto kind = [&] { return chat_template::detect(folder.path); };
    const auto unsupported = [&](const std::string& why) {
        const auto found = kind();
        BOOST_REQUIRE(!found);
        BOOST_TEST((found.error().kind() == error_kind::unsupported));
        BOOST_TEST(found.error().message().find("--template") != std::string::npos);
        BOOST_TEST(found.error().message().find(why) != std::string::npos, found.error().message());
    };
    unsupported("has no chat template");
    folder.write("tokenizer_config.json", "{}");
    unsupported("has no chat template");
    folder.write("tokenizer_config.json", R"({"chat_template":"{{ 'USER: ' }}"})");
    unsupported("not one that is known");
    // ChatML with a default system prompt that is none of ours.
    folder.write("tokenizer_config.json",
                 R"({"chat_template":"<|im_start|>system\\nYou are X<|im_end|>"})");
    unsupported("not one that is known");
    folder.write("tokenizer_config.json",
                 R"({"chat_template":"<|start_header_id|><|eot_id|>Cutting Knowledge Date"})");
    unsupported("3.1");
    folder.write("tokenizer_config.json", R"({"chat_template":7})");
    BOOST_TEST((kind().error().kind() == error_kind::data));
    folder.write("tokenizer_config.json", "{");
    BOOST_TEST((kind().error().kind() == error_kind::data));
    folder.write("tokenizer_config.json",
                 R"({"chat_template":[{"name":"tool_use","template":"x"},)"
                 R"({"name":"default","template":"<|start_header_id|><|eot_id|>"}]})");
    BOOST_TEST((kind()->kind() == chat_template_kind::llama3));
    // The file of its own wins.
    folder.write("chat_template.jinja", "'<|im_start|>' + message.role <|im_end|>");
    BOOST_TEST((kind()->kind() == chat_template_kind::chatml));
}

// The public templates, which tests/oracle/template_render.py renders with jinja2.
BOOST_AUTO_TEST_CASE(public_templates) {
    const std::pair<const char*, chat_template_kind> files[] = {
        {"smollm2", chat_template_kind::smollm},
        {"qwen2.5-coder", chat_template_kind::qwen},
        {"qwen3", chat_template_kind::qwen3},
        {"qwen3-instruct-2507", chat_template_kind::chatml},
        {"deepseek-coder-instruct", chat_template_kind::deepseek_coder},
        {"seed-coder-instruct", chat_template_kind::seed_coder},
        {"llama3", chat_template_kind::llama3}};
    for (const auto& [name, kind] : files) {
        std::ifstream in(std::string(CUSET_SOURCE_DIR "/tests/oracle/templates/") + name +
                         ".jinja");
        BOOST_REQUIRE(in);
        const std::string text(std::istreambuf_iterator<char>(in), {});
        const auto found = chat_template::recognise(text, name);
        BOOST_REQUIRE_MESSAGE(found, found.error().message());
        BOOST_TEST((found->kind() == kind));
    }
}

}  // namespace
