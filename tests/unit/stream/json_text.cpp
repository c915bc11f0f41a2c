#include "cuset/stream/json_text.h"

#include <boost/test/unit_test.hpp>

using namespace cuset;

namespace {

std::string decoded(std::string_view inside) {
    std::string out;
    BOOST_TEST(decode_json_string(inside, out), inside);
    return out;
}

bool is_refused(std::string_view inside) {
    std::string out;
    return !decode_json_string(inside, out);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(json_text)

BOOST_AUTO_TEST_CASE(escapes) {
    BOOST_TEST(decoded("") == "");
    BOOST_TEST(decoded(R"(a\"b\\c\/d\be\ff\ng\rh\ti)") == "a\"b\\c/d\be\ff\ng\rh\ti");
    BOOST_TEST(decoded(R"(\u0041\u00e9\u20AC\ud83d\uDE00)") == "A\u00e9\u20ac\U0001F600");
    BOOST_TEST(decoded(R"(\u007f\u0080\u07ff\u0800\uffff)") == "\x7f\u0080\u07ff\u0800\uffff");
    BOOST_TEST(decoded(R"(\ud800\udc00\udbff\udfff)") == "\U00010000\U0010FFFF");
    BOOST_TEST(decoded(R"(\u0000x)") == std::string_view("\0x", 2));
    BOOST_TEST(decoded("\u00e9 as it is") == "\u00e9 as it is");
}

BOOST_AUTO_TEST_CASE(lone_surrogates) {
    BOOST_TEST(decoded(R"(\ud800)") == "\uFFFD");
    BOOST_TEST(decoded(R"(\udfff)") == "\uFFFD");
    BOOST_TEST(decoded(R"(a\ud83dz)") == "a\uFFFDz");
    BOOST_TEST(decoded(R"(\ude00\ud83d)") == "\uFFFD\uFFFD");
    // Only the second of the two high surrogates has its low half.
    BOOST_TEST(decoded(R"(\ud83d\ud83d\ude00)") == "\uFFFD\U0001F600");
    BOOST_TEST(decoded(R"(\ud83d\u0041)") == "\uFFFDA");
    BOOST_TEST(decoded(R"(\ud83d\n)") == "\uFFFD\n");
}

BOOST_AUTO_TEST_CASE(bad_escapes) {
    for (const auto bad : {"\\", "\\x", "\\u", "\\u12", "\\u12g4", "\\u 123", "\\u+123", "\\u-001",
                           "\\ud83d\\u", "\\ud83d\\u12", "\\U0041", "\\a", "\\'", "\\0"})
        BOOST_TEST(is_refused(bad), bad);
}

BOOST_AUTO_TEST_CASE(numbers) {
    for (const auto good :
         {"0", "-0", "1", "10", "-12.5", "0.0", "1e5", "1E+5", "1e-05", "0e0", "1.5e300",
          "123456789012345678901234567890", "1e99999", "-0.000000000000000000000000000000001"})
        BOOST_TEST(is_json_number(good), good);
    for (const auto bad : {"",   "-",   "01",       "-01",       "00",  "1.",    ".5",  "-.5",
                           "+1", "1e",  "1e+",      "1.e5",      "0x1", "1_0",   " 1",  "1 ",
                           "1a", "NaN", "Infinity", "-Infinity", "nan", "1e5.5", "--1", "1,"})
        BOOST_TEST(!is_json_number(bad), bad);
}

BOOST_AUTO_TEST_CASE(lone_surrogates_are_replaced) {
    const std::pair<std::string, std::string> cases[] = {
        {R"("a\ud800")", R"("a\ufffd")"},
        {R"("\uDC00b")", R"("\ufffdb")"},
        {R"("\ud83d\ude00")", R"("\ud83d\ude00")"},
        {R"("\ud83d\ud83d\ude00\udbff")", R"("\ufffd\ud83d\ude00\ufffd")"},
        {R"("\\ud800 \u00e9 \ud8")", R"("\\ud800 \u00e9 \ud8")"},
        {R"("\)", R"("\)"},
    };
    for (const auto& [json, expected] : cases) {
        std::string text = json;
        replace_lone_surrogates(text);
        BOOST_TEST(text == expected);
    }
}

BOOST_AUTO_TEST_CASE(strings_are_escaped) {
    std::string out;
    append_json_string("a\"b\\c\n\x01\x1f\x7f\u00e9/", out);
    BOOST_TEST(out == "\"a\\\"b\\\\c\\n\\u0001\\u001f\x7f\u00e9/\"");
    // Written text decodes to the original.
    std::string all;
    for (int c = 0; c < 128; ++c) all.push_back(static_cast<char>(c));
    out.clear();
    append_json_string(all, out);
    BOOST_TEST(decoded(std::string_view(out).substr(1, out.size() - 2)) == all);
}

BOOST_AUTO_TEST_SUITE_END()
