#include "cuset/base/visible_text.h"

#include <boost/test/unit_test.hpp>

using namespace cuset;

BOOST_AUTO_TEST_SUITE(visible)

BOOST_AUTO_TEST_CASE(what_is_visible_stays) {
    for (const std::string_view text :
         {"", "a \\x1b b", "caf\u00e9 \u6f22\u5b57 \U0001f600 e\u0301 \uFFFD", " \u00A0~"})
        BOOST_TEST(visible_text(text) == text);
}

BOOST_AUTO_TEST_CASE(what_is_hidden_is_named) {
    BOOST_TEST(visible_text("a\x1b[2J\r\n\tb\x7f") == "a\\x1b[2J\\r\\n\\tb\\x7f");
    BOOST_TEST(visible_text(std::string_view("\0", 1)) == "\\x00");
    BOOST_TEST(visible_text("\u009b1m \u061c \u202e \u2066 \u2028 \u200b \ufeff") ==
               "\\x9b1m \\u061c \\u202e \\u2066 \\u2028 \\u200b \\ufeff");
    BOOST_TEST(visible_text("\ufffe \uffff \ufdd0 \U0001fffe \U0010ffff \U000e0041") ==
               "\\ufffe \\uffff \\ufdd0 \\U0001fffe \\U0010ffff \\U000e0041");
}

// Overlong forms, surrogates, what lies beyond U+10FFFF, and characters that are cut off.
BOOST_AUTO_TEST_CASE(bytes_that_are_no_text) {
    BOOST_TEST(visible_text("\xff\xfe") == "\\xff\\xfe");
    BOOST_TEST(visible_text("\xc0\xaf") == "\\xc0\\xaf");
    BOOST_TEST(visible_text("\xe0\x80\xaf") == "\\xe0\\x80\\xaf");
    BOOST_TEST(visible_text("\xed\xa0\x80") == "\\xed\\xa0\\x80");
    BOOST_TEST(visible_text("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
    BOOST_TEST(visible_text("\xe2\x82") == "\\xe2\\x82");
    BOOST_TEST(visible_text("\xe2\x82x\xc3\xa9") == "\\xe2\\x82x\u00e9");
}

BOOST_AUTO_TEST_CASE(no_half_characters) {
    BOOST_TEST(beginning_of("abc", 3) == "abc");
    BOOST_TEST(beginning_of("abc", 2) == "ab");
    for (std::size_t most = 2; most < 5; ++most)
        BOOST_TEST(beginning_of("ab\u2018c", most) == "ab", most);
    BOOST_TEST(beginning_of("ab\u2018c", 5) == "ab\u2018");
    BOOST_TEST(beginning_of("\U0001f600x", 3) == "");
    BOOST_TEST(beginning_of("\x80\x80\x80\x80\x80\x80", 5) == "\x80\x80\x80\x80\x80");
}

// For all characters the result is well-formed, hides nothing, and does not change when it is made
// again.
BOOST_AUTO_TEST_CASE(every_character) {
    for (char32_t c = 0; c < 0x110000; ++c) {
        std::string text;
        append_utf8(c, text);
        const std::string shown = visible_text(text);
        bool clean = !shown.empty() && visible_text(shown) == shown;
        for (std::size_t at = 0; at < shown.size();)
            clean = clean && !is_hidden(next_character(shown, at));
        std::size_t at = 0;
        const bool surrogate = c >= 0xD800 && c < 0xE000;
        clean = clean && next_character(text, at) == (surrogate ? ill_formed : c);
        if (!clean) BOOST_FAIL("U+" << std::hex << static_cast<unsigned>(c) << ": " << shown);
    }
}

BOOST_AUTO_TEST_SUITE_END()
