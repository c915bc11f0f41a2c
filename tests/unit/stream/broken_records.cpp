// Lines that are not JSON or not text.
#include <boost/test/unit_test.hpp>

#include "cuset/stream/pair_record.h"
#include "record_text.h"

using namespace cuset;
using namespace cuset::test;

BOOST_AUTO_TEST_SUITE(records)

// Each of these is broken somewhere, some in places that no tool reads.
BOOST_AUTO_TEST_CASE(broken_json) {
    const std::string good = R"("prompt":"p","response":"r")";
    for (const std::string bad : {"01",
                                  "1.",
                                  ".5",
                                  "+1",
                                  "NaN",
                                  "Infinity",
                                  "-",
                                  "tru",
                                  "nul",
                                  "truex",
                                  "'x'",
                                  "1\"a\"",
                                  "\"a\"b",
                                  "\"a\" \"b\"",
                                  "[1,]",
                                  "[,]",
                                  "[1 2]",
                                  "{\"a\":1,}",
                                  "{\"a\"}",
                                  "{\"a\" 1}",
                                  "{a:1}",
                                  "{1:2}",
                                  "{,}",
                                  "[1}",
                                  "{\"a\":1]",
                                  "\"\\x\"",
                                  "\"\\u12g4\"",
                                  "\"\\ud800\\u\"",
                                  "{\"\\x\":1}",
                                  "{\"\\u12\":1}",
                                  "\"a\nb\"",
                                  "\"a\tb\"",
                                  "[[[[{\"x\":[01]}]]]]",
                                  "[[[[{\"x\":[\"\\q\"]}]]]]",
                                  "{\"a\":{\"b\":{}}",
                                  "1:2",
                                  "\"a\":1",
                                  "[\"a\":1]",
                                  ",",
                                  ":",
                                  "",
                                  "1\f",
                                  "\f",
                                  "\v1",
                                  "1e5x",
                                  "0x10",
                                  "[1]]",
                                  "{}}",
                                  "-01",
                                  "--1",
                                  "1e+",
                                  "/*c*/1",
                                  "//",
                                  "\\",
                                  "\"\\",
                                  "\"",
                                  "[\"]"}) {
        BOOST_TEST(is_broken("{" + good + ",\"x\":" + bad + "}"), bad);
        BOOST_TEST(is_broken("{\"x\":" + bad + "," + good + "}"), bad);
        BOOST_TEST(is_broken("{" + good + ",\"x\":[0," + bad + "]}"), bad);
        BOOST_TEST(is_broken("{" + good + ",\"tag\":" + bad + "}"), bad);
        BOOST_TEST(is_broken("{" + good + ",\"messages\":[{\"role\":" + bad + "}]}"), bad);
    }
    for (const std::string& bad :
         {"{" + good, "{" + good + "}}", "{" + good + "} x", "{" + good + "}{}", "{" + good + "},",
          "{" + good + "} {" + good + "}", "{" + good + ",}", "{," + good + "}",
          "{" + good + ",,\"x\":1}", "{" + good + " \"x\":1}", "{" + good + "]", "{" + good + "}\f",
          std::string("{}\0", 3), std::string("{\""), std::string("{\"a"), std::string("{\"a\":"),
          std::string("{}]"), std::string("{},{}")})
        BOOST_TEST(is_broken(bad), bad);
    for (const char* first : {"{", " {\t"})
        BOOST_TEST(read(first) == "this record takes several lines: jq -c writes it on one", first);
    // Every strict prefix of a record is broken.
    const std::string whole =
        "{" + good + R"(,"x":[1.5e3,{"a":null,"\u00e9":"\ud83d\ude00"}],"tag":{}})";
    BOOST_TEST(read(whole) == "user:p|>r");
    for (std::size_t n = 1; n < whole.size(); ++n)
        BOOST_TEST(read(whole.substr(0, n)) != "user:p|>r", n);
}

BOOST_AUTO_TEST_CASE(bytes_that_are_not_utf8) {
    for (const std::string bad :
         {"\xff", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\x80"})
        for (const std::string& line :
             {"{\"prompt\":\"p\",\"response\":\"r\",\"x\":\"" + bad + "\"}",
              "{\"prompt\":\"p\",\"response\":\"" + bad + "\"}",
              "{\"prompt\":\"p\",\"response\":\"r\",\"" + bad + "\":1}",
              "{\"prompt\":\"p\",\"response\":\"r\"}" + bad})
            BOOST_TEST(read(line) == "invalid UTF-8", line);
}

BOOST_AUTO_TEST_CASE(deep_nesting) {
    const auto nested = [](std::size_t depth, bool closed) {
        std::string text = R"({"prompt":"p","response":"r","x":)" + std::string(depth, '[');
        if (closed) text += std::string(depth, ']') + '}';
        return read(text);
    };
    BOOST_TEST(nested(990, true) == "user:p|>r");
    BOOST_TEST(nested(1'000'000, true) == "nested more than 1000 deep");
    BOOST_TEST(nested(1'000'000, false) != "user:p|>r");
    std::string objects = R"({"prompt":"p","response":"r")";
    for (int i = 0; i < 100'000; ++i) objects += ",\"x\":{\"y\":[";
    BOOST_TEST(read(objects) != "user:p|>r");
}

BOOST_AUTO_TEST_SUITE_END()
