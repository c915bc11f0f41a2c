// Conversions without a cast, at the places that g++'s messages name.
#include "cuset/host/implicit_conversions.h"

#include <boost/test/unit_test.hpp>
#include <string>

using cuset::with_ptx_conversions;

namespace {

const std::string warning = ": warning: conversion from 'float' to ",
                  reason = " may change value [-Wfloat-conversion]\n";

/// The text with a conversion at that place, "1:2"; "same" if nothing was changed.
std::string converted(const std::string& text, const std::string& place,
                      const std::string& type = "'int'", const std::string& in = "function 'f'") {
    const auto made = with_ptx_conversions(
        text, "program.cu: In " + in + ":\nprogram.cu:" + place + warning + type + reason,
        "program.cu");
    return made ? *made : "same";
}

/// The same for a body of device code, whose first column is 24.
std::string in_body(const std::string& body, int column, const std::string& in = "function 'f'") {
    const std::string head = "__device__ void f(X x) {";
    const std::string all =
        converted(head + body + "}", "1:" + std::to_string(24 + column), "'int'", in);
    return all == "same" ? all : all.substr(head.size(), all.size() - head.size() - 1);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(implicit_conversions)

BOOST_AUTO_TEST_CASE(values) {
    BOOST_TEST(in_body("i = x * y;", 7) == "i = ::cuset_host::cast_to<int>(x * y);");
    BOOST_TEST(in_body("return g(x)[1];", 8) == "return ::cuset_host::cast_to<int>(g(x)[1]);");
    BOOST_TEST(in_body("g(a, b * (c, d), e);", 8) ==
               "g(a, ::cuset_host::cast_to<int>(b * (c, d)), e);");
    BOOST_TEST(in_body("i = h<2, 3>(x) * n;", 16) ==
               "i = ::cuset_host::cast_to<int>(h<2, 3>(x) * n);");
    BOOST_TEST(in_body("i = n ? x : 3;", 7) == "i = ::cuset_host::cast_to<int>(n ? x : 3);");
    BOOST_TEST(in_body("int2 v{x, y};", 11) == "int2 v{x, ::cuset_host::cast_to<int>(y)};");
    BOOST_TEST(in_body("i = y = x;", 7) == "i = ::cuset_host::cast_to<int>(y = x);");
    BOOST_TEST(in_body("i = y = x;", 9) == "i = y = ::cuset_host::cast_to<int>(x);");
}

BOOST_AUTO_TEST_CASE(computed_assignments) {
    BOOST_TEST(in_body("a[i] += x * y;", 6) == "a[i] += ::cuset_host::by_cvt += x * y;");
    BOOST_TEST(in_body("i /= x;", 3) == "i /= ::cuset_host::by_cvt /= x;");
}

BOOST_AUTO_TEST_CASE(templates_have_instances_of_other_types) {
    BOOST_TEST(in_body("*p = x;", 6, "instantiation of 'void f(T) [with T = int]'") ==
               "*p = ::cuset_host::to_any(x);");
}

BOOST_AUTO_TEST_CASE(types) {
    const std::string text = "__device__ void f(X x) { p = x; }";
    BOOST_TEST(converted(text, "1:30", "'pixel' {aka 'unsigned char'}") ==
               "__device__ void f(X x) { p = ::cuset_host::cast_to<unsigned char>(x); }");
    BOOST_TEST(converted(text, "1:30", "\u2018long int\u2019") ==
               "__device__ void f(X x) { p = ::cuset_host::cast_to<long int>(x); }");
    BOOST_TEST(converted(text, "1:30", "'float'") == "same");
    BOOST_TEST(converted(text, "1:30", "'half' {aka 'struct __half'}") == "same");
}

BOOST_AUTO_TEST_CASE(what_stays) {
    // Host code, a place that is no value, another file, and another line than any of the text's.
    BOOST_TEST(converted("void f(float x) { i = x; }", "1:23") == "same");
    BOOST_TEST(in_body("SET(i, x);", 1) == "same");
    BOOST_TEST(in_body("i = g(x...);", 7) == "same");
    BOOST_TEST(converted("__device__ void f() { i = x; }", "2:27") == "same");
    BOOST_TEST(!with_ptx_conversions("__device__ void f() { i = x; }",
                                     "unit1/program.cu:1:27" + warning + "'int'" + reason,
                                     "program.cu"));
    BOOST_TEST(!with_ptx_conversions("__device__ void f() { i = x; }", "", "program.cu"));
    BOOST_TEST(!with_ptx_conversions("", "program.cu:1" + warning, "program.cu"));
}

BOOST_AUTO_TEST_CASE(macros) {
    const std::string text =
        "#define HALF(x) (x) * .5f\n"
        "#define AGAIN(x) HALF(x)\n"
        "__device__ void f() { i = AGAIN(y); }";
    const auto made =
        with_ptx_conversions(text,
                             "program.cu:1:21" + warning + "'int'" + reason +
                                 "program.cu:2:18: note: in expansion of macro 'HALF'\n"
                                 "program.cu:3:27: note: in expansion of macro 'AGAIN'\n",
                             "program.cu");
    BOOST_REQUIRE(made);
    BOOST_TEST(made->ends_with("i = ::cuset_host::cast_to<int>(AGAIN(y)); }"));
}

BOOST_AUTO_TEST_CASE(lines_that_are_numbered) {
    const std::string text =
        "#line 7\n"
        "__device__ int f() { return x; }\n";
    BOOST_TEST(converted(text, "7:29") ==
               "#line 7\n"
               "__device__ int f() { return ::cuset_host::cast_to<int>(x); }\n");
}

BOOST_AUTO_TEST_SUITE_END()
