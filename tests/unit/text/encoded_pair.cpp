#include "cuset/text/encoded_pair.h"

#include <boost/test/unit_test.hpp>
#include <vector>

#include "small_tokenizer.h"

namespace {

using cuset::chat_message;
using cuset::chat_template;

BOOST_AUTO_TEST_CASE(a_prompt_is_what_comes_before_a_response) {
    const auto words = cuset::tokenizer::parse(cuset_test::small_tokenizer{}.json(), "small.json");
    BOOST_REQUIRE(words);
    const std::vector<std::vector<chat_message>> conversations = {
        {{"user", "write a kernel"}},
        {{"system", "rules\n```cuda\n{}\n```"}, {"user", "  add \xC3\xA9  "}},
        {{"user", "a"}, {"assistant", "b"}, {"user", ""}}};
    for (const char* name : {"none", "chatml", "smollm", "qwen", "qwen3_nothink", "deepseek-coder",
                             "seed-coder", "llama3"}) {
        const auto chat = chat_template::by_name(name).value();
        for (const auto& conversation : conversations) {
            std::vector<std::int32_t> prompt;
            BOOST_TEST(cuset::encode_prompt(*words, chat, conversation, prompt).is_ok());
            cuset::encoded_pair pair;
            BOOST_TEST(
                cuset::encode_pair(*words, chat, conversation, {"answer"}, 10000, pair).is_ok());
            pair.ids.resize(pair.prompt_length);
            BOOST_TEST(prompt == pair.ids, boost::test_tools::per_element());
            BOOST_TEST((name == std::string_view("none") || !prompt.empty()));
        }
    }
}

BOOST_AUTO_TEST_CASE(tokens_around_a_response_have_no_bytes) {
    // The frame is encoded with the response, as a model writes it: their braces join.
    const cuset_test::small_tokenizer small{.merges = {{"{", "{"}, {"}", "}"}}};
    const auto words = cuset::tokenizer::parse(small.json(), "small.json");
    BOOST_REQUIRE(words);
    const auto chat = chat_template::by_name("none").value();
    const std::vector<chat_message> conversation = {{"user", "u"}};
    cuset::encoded_pair framed, whole;
    const auto encode = [&](const cuset::framed_response& response, cuset::encoded_pair& pair,
                            std::size_t most = 100) {
        BOOST_REQUIRE(cuset::encode_pair(*words, chat, conversation, response, most, pair).is_ok());
    };
    encode({.text = "{a}", .before = "`{", .after = "}`"}, framed);
    encode({.text = "`{{a}}`"}, whole);
    BOOST_TEST(framed.ids == whole.ids, boost::test_tools::per_element());
    // `, {{ (half of it the response's), a, }}, `
    BOOST_TEST(framed.ends == (std::vector<std::size_t>{0, 1, 2, 3, 3}),
               boost::test_tools::per_element());
    encode({.text = "a", .before = "``", .after = "`"}, framed, 5);
    BOOST_TEST(framed.ends == (std::vector<std::size_t>{0, 0, 1, 1}),
               boost::test_tools::per_element());
    encode({.text = "", .before = "`", .after = "`"}, framed);
    BOOST_TEST(framed.ends == (std::vector<std::size_t>{0, 0}), boost::test_tools::per_element());
}

}  // namespace
