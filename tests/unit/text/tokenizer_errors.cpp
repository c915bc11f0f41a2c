#include <boost/test/unit_test.hpp>
#include <string>

#include "cuset/text/tokenizer.h"
#include "small_tokenizer.h"

namespace {

using cuset::error_kind;
using cuset_test::added_token;
using cuset_test::small_tokenizer;

void refused(const std::string& json, error_kind kind, const std::string& why) {
    const auto made = cuset::tokenizer::parse(json, "x/tokenizer.json");
    BOOST_REQUIRE(!made);
    const std::string& message = made.error().message();
    BOOST_TEST((made.error().kind() == kind), message);
    BOOST_TEST(message.starts_with("x/tokenizer.json: "), message);
    BOOST_TEST_MESSAGE(message);
    BOOST_TEST(message.find(why) != std::string::npos, message << " lacks " << why);
}

BOOST_AUTO_TEST_CASE(broken_json) {
    refused("", error_kind::data, "JSON");
    refused("[]", error_kind::data, "not a JSON object");
    refused("{\"a\":", error_kind::data, "not valid JSON");
    const std::string good = small_tokenizer{}.json();
    for (std::size_t cut = 1; cut < good.size(); cut += 97) {
        refused(good.substr(0, cut), error_kind::data, "");
    }
    refused(std::string(5000, '['), error_kind::data, "");
}

BOOST_AUTO_TEST_CASE(no_such_file) {
    const auto made = cuset::tokenizer::load("/nowhere/tokenizer.json");
    BOOST_REQUIRE(!made);
    BOOST_TEST((made.error().kind() == error_kind::io));
    BOOST_TEST(made.error().message().starts_with("/nowhere/tokenizer.json: "));
}

BOOST_AUTO_TEST_CASE(unsupported_settings_are_named) {
    const auto with = [](auto change) {
        small_tokenizer source;
        change(source);
        return source.json();
    };
    const auto option = [&](const std::string& text) {
        return with([&](small_tokenizer& s) { s.model_options = text; });
    };
    refused(option("\"dropout\":0.1,"), error_kind::unsupported, "dropout");
    refused(option("\"byte_fallback\":true,"), error_kind::unsupported, "byte_fallback");
    refused(option("\"continuing_subword_prefix\":\"##\","), error_kind::unsupported,
            "continuing_subword_prefix");
    refused(option("\"end_of_word_suffix\":\"</w>\","), error_kind::unsupported,
            "end_of_word_suffix");
    refused(with([](small_tokenizer& s) {
                s.missing_bytes = "\n";
                s.model_options = "\"unk_token\":\"a\",";
            }),
            error_kind::unsupported, "unk_token");
    refused(with([](small_tokenizer& s) { s.normalizer = R"({"type":"NFKC"})"; }),
            error_kind::unsupported, "NFKC");
    refused(with([](small_tokenizer& s) { s.pre_tokenizer = "null"; }), error_kind::unsupported,
            "pre_tokenizer");
    refused(with([](small_tokenizer& s) {
                s.pre_tokenizer = R"({"type":"ByteLevel","add_prefix_space":true})";
            }),
            error_kind::unsupported, "ByteLevel(regex, prefix space)");
    refused(with([](small_tokenizer& s) {
                s.pre_tokenizer = R"({"type":"Sequence","pretokenizers":[{"type":"Digits"},)"
                                  R"({"type":"Metaspace"}]})";
            }),
            error_kind::unsupported, "Digits(runs), Metaspace");
    refused(with([](small_tokenizer& s) { s.decoder = R"({"type":"WordPiece"})"; }),
            error_kind::unsupported, "WordPiece");
    refused(with([](small_tokenizer& s) {
                s.added = "[" + added_token(256, "word", "single_word") + "]";
            }),
            error_kind::unsupported, "single_word");
    refused(R"({"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false},)"
            R"("model":{"type":"Unigram"}})",
            error_kind::unsupported, "Unigram");
    // One character off a known pattern.
    refused(with([](small_tokenizer& s) {
                s.pre_tokenizer = cuset_test::qwen_pre_tokenizer;
                const std::size_t at = s.pre_tokenizer.find("\\\\p{N}|");
                s.pre_tokenizer.insert(at + 6, "+");
            }),
            error_kind::unsupported, "\\p{N}+|");
}

BOOST_AUTO_TEST_CASE(settings_without_effect_are_accepted) {
    small_tokenizer source;
    source.model_options =
        "\"dropout\":0.0,\"unk_token\":\"a\",\"continuing_subword_prefix\":\"\",\"fuse_unk\":true,";
    source.normalizer = R"({"type":"Sequence","normalizers":[]})";
    source.decoder = "null";
    BOOST_TEST(cuset::tokenizer::parse(source.json(), "small.json").is_ok());
}

BOOST_AUTO_TEST_CASE(bad_vocabularies) {
    const std::string head =
        R"({"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false},"model":{"type":"BPE",)";
    const auto model = [&](const std::string& text) { return head + text + "}}"; };
    refused(R"({"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false}})", error_kind::data,
            "\"model\" is missing");
    refused(model(R"("merges":[])"), error_kind::data, "vocab");
    refused(model(R"("vocab":[],"merges":[])"), error_kind::data, "vocab");
    refused(model(R"("vocab":{"a":0})"), error_kind::data, "merges");
    refused(model(R"("vocab":{"a":"0"},"merges":[])"), error_kind::data, "not an integer");
    refused(model(R"("vocab":{"a":1.5},"merges":[])"), error_kind::data, "not an integer");
    refused(model(R"("vocab":{"a":-1},"merges":[])"), error_kind::data, "out of range");
    refused(model(R"("vocab":{"a":2147483647},"merges":[])"), error_kind::data, "out of range");
    refused(model(R"("vocab":{"a":99999999999999999999},"merges":[])"), error_kind::data, "");
    refused(model(R"("vocab":{"a":0,"b":0},"merges":[])"), error_kind::data, "twice");
    refused(model(R"("vocab":{"a":0,"a":1},"merges":[])"), error_kind::data, "twice");
    refused(model(R"("vocab":{"a":0},"merges":["a"])"), error_kind::data, "merges[0]");
    refused(model(R"("vocab":{"a":0},"merges":["a a a"])"), error_kind::data, "merges[0]");
    refused(model(R"("vocab":{"a":0},"merges":[["a"]])"), error_kind::data, "merges[0]");
    refused(model(R"("vocab":{"a":0},"merges":[7])"), error_kind::data, "merges[0]");
    refused(model(R"("vocab":{"a":0},"merges":["a b"])"), error_kind::data, "\"b\"");
    refused(model(R"("vocab":{"a":0},"merges":["a a"])"), error_kind::data, "\"aa\"");
    const auto empty = cuset::tokenizer::parse(model(R"("vocab":{},"merges":[])"), "small.json");
    BOOST_REQUIRE(empty);
    std::vector<std::int32_t> ids;
    BOOST_TEST(empty->encode("text", ids).is_ok());
    BOOST_TEST(ids.empty());
}

BOOST_AUTO_TEST_CASE(bad_added_tokens) {
    const auto with = [](const std::string& added) {
        small_tokenizer source;
        source.added = added;
        return source.json();
    };
    refused(with("{}"), error_kind::data, "added_tokens");
    refused(with("[1]"), error_kind::data, "added token");
    refused(with("[{\"content\":\"x\"}]"), error_kind::data, "\"id\"");
    refused(with("[{\"id\":256}]"), error_kind::data, "\"content\"");
    refused(with("[{\"id\":256,\"content\":\"xx\"}]"), error_kind::data, "\"single_word\"");
    refused(with("[" + added_token(300, "xx") + "]"), error_kind::data, "256 is due");
    refused(with("[" + added_token(256, "x") + "]"), error_kind::data, "120 is due");
    refused(with("[" + added_token(256, "xx") + "," + added_token(257, "xx") + "]"),
            error_kind::data, "twice");
}

}  // namespace
