// The walks over postfix expressions, forwards and backwards.
#include "cuset/syntax/expression.h"

#include <boost/test/unit_test.hpp>
#include <initializer_list>
#include <string>
#include <string_view>

namespace {

using namespace cuset::syntax;

token_stream lexed(std::string_view text) {
    token_stream code;
    lex(text, code);
    return code;
}

std::string from_token(const token_stream& code, std::uint32_t i) {
    return i < code.size() ? std::string(code.text.substr(code.tokens[i].begin)) : "";
}

// What follows the first word and its parts of these kinds.
std::string rest(std::string_view text, std::initializer_list<std::uint8_t> kinds) {
    const token_stream code = lexed(text);
    return from_token(code, after_parts(code, 1, code.size(), kinds));
}

std::string last_expression(std::string_view text) {
    const token_stream code = lexed(text);
    return from_token(code, expression_start(code, code.size() - 1, 0));
}

std::string last_name(std::string_view text) {
    const token_stream code = lexed(text);
    return name_of_expression(code, code.size() - 1, 0);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(expression)

BOOST_AUTO_TEST_CASE(forwards) {
    BOOST_TEST(rest("a = 1", {'[', '.'}) == "= 1");
    BOOST_TEST(rest("a[i].b[f(2)] = 1", {'[', '.'}) == "= 1");
    BOOST_TEST(rest("a[i]->b", {'[', '.'}) == "->b");
    BOOST_TEST(rest("a[i].b->c(2) + d", {'[', '.', arrow, '('}) == "+ d");
    BOOST_TEST(rest("f<T, g<2>>::h(x)", {less, scope}) == "(x)");
    BOOST_TEST(rest("a.template b<2>()", {'.', less, '('}) == "");
    BOOST_TEST(rest("a < b", {less}) == "< b");
    BOOST_TEST(rest("a << b", {less}) == "<< b");
    BOOST_TEST(rest("a.*p", {'.'}) == ".*p");
    BOOST_TEST(rest("a[1](2", {'[', '('}) == "(2");
    const token_stream code = lexed("a[i].b = 1");
    BOOST_TEST(after_parts(code, 1, 5, {'[', '.'}) == 4U);  // `.b` is not complete there
}

BOOST_AUTO_TEST_CASE(backwards) {
    BOOST_TEST(last_expression("x = ns::k<T, f<2>>") == "ns::k<T, f<2>>");
    BOOST_TEST(last_expression("return this->k[i]") == "this->k[i]");
    BOOST_TEST(last_expression("x = a.b(c).d(e)") == "a.b(c).d(e)");
    BOOST_TEST(last_expression("f(x, ::k)") == "f(x, ::k)");
    BOOST_TEST(last_expression("if (a) (*fp)") == "(*fp)");
    BOOST_TEST(last_expression("x; a##b") == "a##b");
    BOOST_TEST(last_expression("x + y") == "y");
    BOOST_TEST(last_name("ns::k<T>") == "k");
    BOOST_TEST(last_name("kernels[i][2]") == "kernels");
    BOOST_TEST(last_name("static_cast<fn>(k)") == "k");
    BOOST_TEST(last_name("make_kernel(n)") == "make_kernel");
    BOOST_TEST(last_name("KERNEL(add)") == "add");
    BOOST_TEST(last_name("(2)") == "");
}

BOOST_AUTO_TEST_CASE(operators) {
    for (const char* text : {"a = 1", "a += 1", "a <<= 1", "a ^= 1"})
        BOOST_TEST(is_assignment(lexed(text), 1));
    for (const char* text : {"a == 1", "a != 1", "a <= 1", "a + =", "a)=1", "a"})
        BOOST_TEST(!is_assignment(lexed(text), 1));
    BOOST_TEST(is_step(lexed("a++"), 1));
    BOOST_TEST(is_step(lexed("a--"), 1));
    BOOST_TEST(!is_step(lexed("a + +b"), 1));
    BOOST_TEST(!is_step(lexed("a+-b"), 1));
}

BOOST_AUTO_TEST_SUITE_END()
