#include <boost/test/unit_test.hpp>

#include "asked.h"

using namespace cuset;
using namespace cuset::test;

namespace {

constexpr std::string_view task =
    R"J({"id":7,"task_name":"add","gpu":null,"bench.cu":"code","level1_prompt":"one","level2_prompt":"two",
        "fast":true,"text":"{x}","list":[1],
        "inputs":[{"name":"a","dtype":"float32","shape":"(16, 4)"},{"name":"n","dtype":"u1","shape":"N"}],
        "outputs":[{"name":"y","dtype":"int64","shape":[8]}],
        "context_files":[{"path":"a.h","content":"int a;\n"},{"path":"notes","content":"```\n"}]})J";

/// What a file of this text asks of the task. "PATH" stands for the file's path in an error.
std::string by_file(std::string_view text, ask_options options = {}) {
    const folder room;
    options.ask = room.write("my.ask", text);
    std::string said = asked(task, options);
    if (const std::size_t at = said.find(options.ask); at != said.npos)
        said.replace(at, options.ask.size(), "PATH");
    return said;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(ask_files)

BOOST_AUTO_TEST_CASE(messages) {
    BOOST_TEST(by_file("--- user\nhello") == "user:hello|");
    // The one newline at a message's end is left out, and no other.
    BOOST_TEST(by_file("--- user\nhello\n") == "user:hello|");
    BOOST_TEST(by_file("--- user\n\nhello\n\n") == "user:\nhello\n|");
    BOOST_TEST(by_file("# why\n\n--- system\ns\n--- user\nu\n--- assistant\na\n--- user\nv\n") ==
               "system:s|user:u|assistant:a|user:v|");
    BOOST_TEST(by_file("--- user\n") == "user:|");
    BOOST_TEST(by_file("\xEF\xBB\xBF--- user\nu\n# no comment\n--- A\n---user\n") ==
               "user:u\n# no comment\n--- A\n---user|");
    BOOST_TEST(by_file("--- system verbatim\n{gpu} {{x}} }\n--- user\n{{x}}\n") ==
               "system:{gpu} {{x}} }|user:{x}|");
    BOOST_TEST(by_file("--- user\r\nu\r\n") == "user:u\r|");
}

BOOST_AUTO_TEST_CASE(places) {
    BOOST_TEST(by_file("--- user\n{task_name} {bench.cu} {id} {fast}\n") ==
               "user:add code 7 true|");
    // What a member holds is text, even where it looks like a place.
    BOOST_TEST(by_file("--- user\n{{{text}}}\n") == "user:{{x}}|");
    BOOST_TEST(by_file("--- user\n{level_prompt}\n") == "user:one|");
    BOOST_TEST(by_file("--- user\n{level_prompt}\n", {.ask = {}, .level = 2, .prompt_field = {}}) ==
               "user:two|");
    BOOST_TEST(by_file("--- user\n{level_prompt}\n",
                       {.ask = {}, .level = 1, .prompt_field = "task_name"}) == "user:add|");
    BOOST_TEST(by_file("--- user\n{inputs}\n") ==
               "user:- a: float32 (float), shape (16, 4), 64 elements, file data/a.bin\n"
               "- n: u1, shape N, file data/n.bin|");
    BOOST_TEST(by_file("--- user\n{outputs:{name} {dtype} {shape} {type} {count} {file}{{}}}\n") ==
               "user:y int64 (8,) std::int64_t 8 data/y.bin{}|");
    BOOST_TEST(by_file("--- user\n<{inputs:{name}}>\n") == "user:<a\nn>|");
    BOOST_TEST(by_file("--- user\n<{inputs:}>\n") == "user:<\n>|");
    // A fence is longer than what it holds.
    BOOST_TEST(by_file("--- user\n{context_files}\n") ==
               "user:a.h:\n```cpp\nint a;\n```\n\nnotes:\n````\n```\n````|");
}

BOOST_AUTO_TEST_CASE(files_beside_it) {
    const folder room;
    room.write("rules", "{no place}\n\n");
    const std::string path = room.write("my.ask", "--- user\n<{file:rules}>\n");
    BOOST_TEST(asked(task, {.ask = path, .prompt_field = {}}) == "user:<{no place}\n>|");
    // The text of the file is a part of the ask.
    const std::string before = made_by(task, {.ask = path, .prompt_field = {}});
    room.write("rules", "other\n");
    const std::string after = made_by(task, {.ask = path, .prompt_field = {}});
    BOOST_TEST(before.starts_with("file "));
    BOOST_TEST(before != after);
    // The name of the file is not.
    const std::string other = room.write("other.ask", "# c\n--- user\n<{file:rules}>\n");
    BOOST_TEST(made_by(task, {.ask = other, .prompt_field = {}}) == after);
}

BOOST_AUTO_TEST_CASE(wrong_files) {
    const auto begins = [](std::string_view text, std::string_view with) {
        const std::string said = by_file(text);
        BOOST_TEST(said.starts_with(with), text << " gives " << said);
    };
    begins("", "PATH:1: the user has no message");
    begins("hello\n--- user\n", "PATH:1: text before");
    begins("--- system\ns\n", "PATH:2: the user has no message");
    begins("--- user\nu\n--- assistant\na\n",
           "PATH:4: the last message is the assistant's and lacks {response}");
    begins("--- user\nu\n--- assistant verbatim\n{response}\n", "PATH:4: the last message");
    begins("--- user\nu\n--- assistant\n{{response}}\n", "PATH:4: the last message");
    begins("--- user\nu\n--- assistant\n{response}\n{response}\n",
           "PATH:5: {response} a second time");
    begins("--- user\nu\n--- assistant\n{level_prompt}{response}\n", "PATH:4: {level_prompt}");
    begins("--- user\n\n--- human\n", "PATH:3: the role \"human\"");
    begins("--- user\nu\n--- system\n", "PATH:3: the system message is not the first");
    begins("--- user\nu\n--- user\n", "PATH:3: user and assistant do not take turns");
    begins("--- assistant\na\n--- user\n", "PATH:1: user and assistant");
    begins("--- system\na\n--- assistant\n", "PATH:3: user and assistant");
    begins("--- user\n\nint main() {\n}\n", "PATH:3: a { without its }");
    begins("--- user\nx\n}\n", "PATH:3: a } without its {");
    begins("--- user\n{a b}\n", "PATH:2: \"a b\" in braces");
    begins("--- user\n{}\n", "PATH:2: \"\" in braces");
    begins("--- user\n{x{y}}\n", "PATH:2: a { without its }");
    begins("--- user\n{task_name:x}\n", "PATH:2: {task_name:…} is not known");
    begins("--- user\n{inputs:{size}}\n", "PATH:2: an array has no \"size\"");
    begins("--- user\n{inputs:{name}\n", "PATH:2: an item");
    begins("--- user\n{inputs:{name\n", "PATH:2: an array has no");
    begins("--- user\n{file:\n}", "PATH:2: {file:PATH} does not end on its line");
    begins("--- user\n{file:}", "PATH:2: {file:PATH} without a path");
    begins("--- user\n\n{file:absent}", "PATH:3: ");
}

BOOST_AUTO_TEST_CASE(answers) {
    const auto by = [](std::string_view text) {
        const folder room;
        return answered(task, {.ask = room.write("my.ask", text), .prompt_field = {}});
    };
    BOOST_TEST(by("--- user\nu\n") == "|code|");
    BOOST_TEST(by("--- user\nu\n--- assistant\n{response}\n") == "|code|");
    BOOST_TEST(by("--- user\nu\n--- assistant\n{task_name}:\n```{{cuda}}\n{response}\n```\n\n") ==
               "add:\n```{cuda}\n|code|\n```\n");
    // Elsewhere it is a member like any other.
    BOOST_TEST(by_file("--- user\n{response}\n") ==
               "\"response\" is missing, and PATH:2 asks for it");
    const std::string end = "--- user\nu\n--- assistant\n{response}";
    BOOST_TEST(by_file(end) == "user:u|");
    BOOST_TEST(by_file(end + "{titel}\n").find("titel\" is missing, and PATH:4") == 1U);
    // It is a part of the ask.
    const auto name = [](const std::string& text) {
        const folder room;
        return made_by(task, {.ask = room.write("my.ask", text), .prompt_field = {}});
    };
    BOOST_TEST(name(end + "\n") == name(end));
    BOOST_TEST(name(end + "x\n") != name(end));
}

BOOST_AUTO_TEST_CASE(a_named_gpu) {
    BOOST_TEST(by_file("--- user\n{gpu}\n", {.ask = {}, .prompt_field = {}, .gpu = "H200"}) ==
               "user:H200|");
}

BOOST_AUTO_TEST_CASE(members_that_are_missing) {
    BOOST_TEST(by_file("--- user\n\n{titel}\n") == "\"titel\" is missing, and PATH:3 asks for it");
    BOOST_TEST(by_file("--- user\n{gpu}\n") == "\"gpu\" is missing, and PATH:2 asks for it");
    BOOST_TEST(by_file("--- user\n{list}\n") ==
               "\"list\" is neither text nor a number, and PATH:2 asks for it");
    BOOST_TEST(by_file("--- user\n{level_prompt}\n", {.ask = {}, .level = 3, .prompt_field = {}}) ==
               "\"level3_prompt\" is missing, and PATH:2 asks for it");
}

BOOST_AUTO_TEST_SUITE_END()
