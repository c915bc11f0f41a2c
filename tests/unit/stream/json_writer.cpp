#include "cuset/stream/json_writer.h"

#include <boost/test/unit_test.hpp>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include "cuset/stream/json_text.h"

using namespace cuset;

namespace {

std::string with_six_digits(double value) { return json_of(value, 6); }

std::string id_of(std::string_view text) {
    std::string out;
    json_writer(out).id(text);
    return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(json_writing)

BOOST_AUTO_TEST_CASE(nesting) {
    std::string out = "before ";
    json_writer json(out);
    json.begin_object().key("a").begin_array().end_array().member("b", 1);
    json.key("c").begin_object().end_object().key("d").begin_array();
    json.begin_array().value("x").null().end_array().value(false).raw("{ }");
    json.begin_object().member("\"", -0.5).end_object().end_array().end_object();
    BOOST_TEST(out == R"(before {"a":[],"b":1,"c":{},"d":[["x",null],false,{ },{"\"":-0.5}]})");
}

BOOST_AUTO_TEST_CASE(lines) {
    std::string out;
    json_writer json(out);
    json.begin_object(json_layout::lines).member("a", 1);
    json.key("b").begin_object(json_layout::lines).member("c", true).member("d", "").end_object();
    json.key("e").begin_object().member("f", 1).key("g").begin_array(json_layout::lines);
    json.value(2).value(3).end_array().end_object().key("h").values(std::vector{4, 5});
    json.key("i").begin_array(json_layout::lines).value(6).end_array().end_object();
    BOOST_TEST(out == R"({
  "a": 1,
  "b": {
    "c": true,
    "d": ""
  },
  "e": {"f": 1, "g": [2, 3]},
  "h": [4, 5],
  "i": [
    6
  ]
})");
}

BOOST_AUTO_TEST_CASE(values) {
    BOOST_TEST(json_of("a\n") == R"("a\n")");
    BOOST_TEST(json_of(std::string("b")) == R"("b")");
    BOOST_TEST(json_of(true) == "true");
    BOOST_TEST(json_of(UINT64_MAX) == "18446744073709551615");
    BOOST_TEST(json_of(INT64_MIN) == "-9223372036854775808");
    BOOST_TEST(json_of(std::optional<int>()) == "null");
    BOOST_TEST(json_of(std::optional(7)) == "7");
    for (const double no_number : {NAN, INFINITY, -INFINITY}) {
        BOOST_TEST(json_of(no_number) == "null");
        BOOST_TEST(json_of(no_number, 6) == "null");
    }
    for (const double value : {0.1, 1e-4, 1.0 / 3, DBL_TRUE_MIN, 1e308, 16.0, -2.5})
        BOOST_TEST(std::strtod(json_of(value).c_str(), nullptr) == value);
}

BOOST_AUTO_TEST_CASE(ids) {
    for (const char* number : {"0", "16", "-7", "9223372036854775807"})
        BOOST_TEST(id_of(number) == number);
    for (const std::string text :
         {"", "007", "-0", "+1", "1.0", "1e3", " 1", "9223372036854775808"})
        BOOST_TEST(id_of(text) == '"' + text + '"');
}

BOOST_AUTO_TEST_CASE(six_significant_digits) {
    BOOST_TEST(with_six_digits(1.23456789e-9) == "1.23457e-09");
    BOOST_TEST(with_six_digits(0.998211) == "0.998211");
    BOOST_TEST(with_six_digits(1) == "1");
    BOOST_TEST(with_six_digits(0) == "0");
    BOOST_TEST(with_six_digits(0.1) == "0.1");
    BOOST_TEST(with_six_digits(0.99999999) == "1");
    BOOST_TEST(with_six_digits(1e-5) == "1e-05");
    BOOST_TEST(with_six_digits(FLT_MIN) == "1.17549e-38");
    BOOST_TEST(with_six_digits(static_cast<double>(FLT_TRUE_MIN)) == "1.4013e-45");
    BOOST_TEST(with_six_digits(DBL_TRUE_MIN) == "4.94066e-324");
    BOOST_TEST(json_of(-DBL_MAX, 17) == "-1.7976931348623157e+308");
}

// Any positive number is printed as a JSON number, within half a unit of the sixth digit, not 0.
BOOST_AUTO_TEST_CASE(random_numbers) {
    std::mt19937_64 random(20240601);
    for (int i = 0; i < 20000; ++i) {
        const double value =
            std::ldexp(static_cast<double>(random() | 1), -64 - static_cast<int>(random() % 1000));
        const std::string text = with_six_digits(value);
        BOOST_REQUIRE_MESSAGE(is_json_number(text), text);
        const double back = std::strtod(text.c_str(), nullptr);
        BOOST_REQUIRE_MESSAGE(back > 0, text);
        BOOST_REQUIRE_MESSAGE(std::abs(back - value) <= 5.01e-6 * value, text);
    }
}

BOOST_AUTO_TEST_SUITE_END()
