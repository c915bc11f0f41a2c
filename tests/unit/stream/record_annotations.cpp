// A record's scores, spans and window.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <random>

#include "cuset/stream/pair_record.h"
#include "record_text.h"

using namespace cuset;
using namespace cuset::test;

BOOST_AUTO_TEST_SUITE(records)

BOOST_AUTO_TEST_CASE(scores) {
    const auto score = [](std::string_view value) {
        return read(R"({"response":"r","score":)" + std::string(value) + '}',
                    options(record_part::response | record_part::score));
    };
    BOOST_TEST(score(R"({"end":[],"confidence":[]})") == ">r");
    BOOST_TEST(score(R"({"model":"m","end":[0,0,1],"id":[1,"x",{}],"confidence":[0,1,1e-300]})") ==
               ">r");
    BOOST_TEST(score("5") == "\"score\" is not an object");
    BOOST_TEST(score(R"({"end":[1],"confidence":5})") ==
               "\"score.confidence\" is not an array of numbers");
    for (const auto bad :
         {"[-1]", "[1.0]", "[1e0]", "[\"1\"]", "[18446744073709551616]", "[null]", "[[1]]"})
        BOOST_TEST(score(std::string(R"({"confidence":[1],"end":)") + bad + '}') ==
                       "\"score.end\" is not an array of byte offsets",
                   bad);
    for (const auto bad : {"[\"1\"]", "[null]", "[true]", "[1e400]", "[{}]"})
        BOOST_TEST(score(std::string(R"({"end":[1],"confidence":)") + bad + '}') ==
                       "\"score.confidence\" is not an array of numbers",
                   bad);
    for (const auto bad : {"[1.0000001]", "[-1e-9]", "[2]"})
        BOOST_TEST(score(std::string(R"({"end":[1],"confidence":)") + bad + '}') ==
                       "\"score.confidence\" lies outside [0, 1]",
                   bad);
    BOOST_TEST(score(R"({"end":[1],"confidence":[]})").ends_with("differ in length"));
    BOOST_TEST(score(R"({"end":[2,1],"confidence":[1,1]})") == "\"score.end\" falls");
    for (const auto bad : {"[01]", "[1.]", "[.5]", "[+1]", "[NaN]", "[1,]", "[,1]", "[1 2]",
                           "[1\f]", "[1,,2]", "[1e]", "[-]", "[1", "[1}", "[tru]"}) {
        BOOST_TEST(
            score(std::string(R"({"end":[1],"confidence":)") + bad + '}') == "not valid JSON", bad);
        BOOST_TEST(
            score(std::string(R"({"confidence":[1],"end":)") + bad + '}') == "not valid JSON", bad);
        BOOST_TEST(score(std::string(R"({"end":[1],"confidence":[1],"id":)") + bad + '}') ==
                       "not valid JSON",
                   bad);
    }
}

BOOST_AUTO_TEST_CASE(roles_of_tokens) {
    const auto tag = [](std::string_view roles) {
        return read(R"({"response":"r","tag":{"spans":[],"roles":)" + std::string(roles) + "}}",
                    options(record_part::response | record_part::tag | record_part::roles, ""));
    };
    for (const auto good : {"[]", R"([["index",0,2],["memory",2,3]])"})
        BOOST_TEST(tag(good) == ">r");
    for (const auto bad :
         {"5", "[5]", "[[]]", R"([["index",0]])", R"([["index",0,1,2]])", R"([["index",2,1]])",
          R"([["index",0,2],["host",1,3]])", R"([[0,0,1]])", R"([["index","0",1]])", "{}"})
        BOOST_TEST(
            tag(bad) == "\"tag.roles\" is not an array of [role, begin, end] that do not overlap",
            bad);
}

// A confidence becomes the nearest double, however it is written.
BOOST_AUTO_TEST_CASE(numbers_are_rounded_rightly) {
    std::mt19937_64 random(5);
    std::string ends, confidences;
    std::vector<double> wanted;
    for (int i = 0; i < 20000; ++i) {
        std::string text = "0.";
        for (std::size_t n = random() % 25 + 1; n > 0; --n)
            text += static_cast<char>('0' + random() % 10);
        if (random() % 2)
            text += (random() % 2 ? "e-" : "E-0") + std::to_string(random() % 330);
        else if (random() % 4 == 0)
            text += "e+0";
        wanted.push_back(std::strtod(text.c_str(), nullptr));
        const std::string comma = i == 0 ? "" : random() % 10 ? "," : " ,\t";
        ends += comma + "7";
        confidences += comma + text;
    }
    record_reader reader(options(record_part::score));
    pair_record record;
    const padded_line line("{\"score\":{\"end\":[ " + ends + "],\"confidence\":[" + confidences +
                           " ]}}");
    BOOST_TEST(reader.read(line.get(), record).message() == "");
    BOOST_TEST((record.confidence == wanted));
    const padded_line large(
        R"({"score":{"end":[0,9999999999999999999,18446744073709551615],"confidence":[1,1e0,10e-1]}})");
    BOOST_TEST(reader.read(large.get(), record).message() == "");
    BOOST_TEST(record.token_end.at(1) == 9999999999999999999u);
    BOOST_TEST(record.token_end.at(2) == 18446744073709551615u);
    BOOST_TEST(record.confidence.at(2) == 1);
}

BOOST_AUTO_TEST_CASE(spans) {
    const auto tag = [](std::string_view value) {
        record_reader reader(options(record_part::tag, "window"));
        pair_record record;
        const padded_line line(R"({"tag":)" + std::string(value) + '}');
        const status s = reader.read(line.get(), record);
        if (!s) return std::string("refused");
        std::string out = record.has_tag ? "tag" : "none";
        for (const auto& span : record.spans)
            out += ' ' + span.kind + ' ' + span.name + ' ' + std::to_string(span.begin) + '-' +
                   std::to_string(span.end);
        return out;
    };
    BOOST_TEST(
        tag(R"({"spans":[{"kind":"kernel","name":"bn","begin":1,"end":9,"x":[]}],"lang":"cuda"})") ==
        "tag kernel bn 1-9");
    BOOST_TEST(tag(R"({"spans":[]})") == "tag");
    BOOST_TEST(tag(R"({"lang":"cuda"})") == "none");
    BOOST_TEST(tag("null") == "none");
    for (const auto bad :
         {"5", "[]", R"({"spans":{}})", R"({"spans":[5]})", R"({"spans":[{}]})",
          R"({"spans":[{"kind":"k","begin":2,"end":1}]})", R"({"spans":[{"kind":"k","begin":2}]})",
          R"({"spans":[{"kind":"k","begin":-2,"end":1}]})",
          R"({"spans":[{"kind":7,"begin":2,"end":3}]})",
          R"({"spans":[{"kind":"k","name":[],"begin":2,"end":3}]})"})
        BOOST_TEST(tag(bad) == "refused", bad);
}

BOOST_AUTO_TEST_CASE(windows_of_records) {
    const auto window = [](std::string_view value) {
        record_reader reader(options(record_part::window, ""));
        pair_record record;
        const padded_line line(R"({"window":)" + std::string(value) + '}');
        const status s = reader.read(line.get(), record);
        if (!s) return s.message();
        if (!record.has_window) return std::string("none");
        return std::to_string(record.window.first) + '-' + std::to_string(record.window.last) +
               ' ' + std::to_string(record.window.min);
    };
    BOOST_TEST(window(R"({"size":256,"min":0.25,"weight":0.75,"token":[3,9],"begin":1,"end":2})") ==
               "3-9 0.250000");
    BOOST_TEST(window(R"({"token":[3,9],"min":5,"min":0,"token":[0,0]})") == "0-0 0.000000");
    BOOST_TEST(window("null") == "none");
    for (const char* bad : {"7", "{}", R"({"min":1})", R"({"token":[1,2]})",
                            R"({"token":[2,1],"min":1})", R"({"token":[1],"min":1})",
                            R"({"token":[1,2],"min":"1"})", R"({"token":[-1,2],"min":1})"})
        BOOST_TEST(window(bad) ==
                   "\"window\" is not an object with a range of tokens and their mean (min)");
    BOOST_TEST(window(R"({"token":[1,2],"min":})") == "not valid JSON");
}

BOOST_AUTO_TEST_SUITE_END()
