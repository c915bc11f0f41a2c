// What the reader of declarations finds in them.
#include "cuset/syntax/declaration.h"

#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>

using namespace cuset::syntax;

namespace {

std::string bytes(const token_stream& code, token_range r) {
    if (r.empty()) return "";
    const std::uint32_t begin = code.tokens[r.first].begin;
    return std::string(code.text.substr(begin, code.tokens[r.end - 1].end - begin));
}

// "type | declarator : name : extents : initialiser | ...", and "..." if a part could not be read.
std::string read(std::string_view text) {
    token_stream code;
    lex(text, code);
    const declaration d = read_declaration(code, {0, code.size()});
    std::string all = bytes(code, d.type);
    for (const declarator& each : d.declarators)
        all += " | " + bytes(code, each.all) + " : " + bytes(code, each.name) + " : " +
               bytes(code, each.extents) + " : " + bytes(code, each.initialiser);
    return all + (d.is_partial ? " ..." : "");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(declarations)

BOOST_AUTO_TEST_CASE(parts) {
    for (const auto& [text, expected] : {
             std::pair{"int a", "int | a : a :  : "},
             {"static const float a[4][N] = {1, 2}, *b",
              "static const float | a[4][N] : a : [4][N] : = {1, 2} | *b : b :  : "},
             {"dim3 grid((n + 1) / 2, 4), block{16}",
              "dim3 | grid : grid :  : ((n + 1) / 2, 4) | block : block :  : {16}"},
             {"float* const __restrict__ p = q", "float | * const __restrict__ p : p :  : = q"},
             {"int const a = 1, *const b = 0",
              "int const | a : a :  : = 1 | *const b : b :  : = 0"},
             {"std::vector<int, A<B>> v(n)", "std::vector<int, A<B>> | v : v :  : (n)"},
             {"unsigned long long n = f<1, 2>(x), m",
              "unsigned long long | n : n :  : = f<1, 2>(x) | m : m :  : "},
             {"__shared__ __align__(16) T (*p)[4], (&r)[2]",
              "__shared__ __align__(16) T | (*p)[4] : p : [4] :  | (&r)[2] : r : [2] : "},
             {"int (*f)(int) = g", "int | (*f)(int) : f :  : = g"},
             {"T x(*p)", "T | x : x :  : (*p)"},
             {"__shared__ struct { int a; } s", "__shared__ struct { int a; } | s : s :  : "},
             {"int a##_##b, c##2[3]", "int | a##_##b : a##_##b :  :  | c##2[3] : c##2 : [3] : "},
             {"int a alignas(8) = 3, b[2] __align__(4)",
              "int | a alignas(8) : a :  : = 3 | b[2] __align__(4) : b : [2] : "},
             // The first of two words may be a macro.
             {"EXPORT int a", "EXPORT int | a : a :  : "},
         }) {
        BOOST_TEST(read(text) == expected);
    }
}

BOOST_AUTO_TEST_CASE(no_declaration) {
    for (const char* text : {"a", "a = b", "f(x)", "a[1] = 2", "*p = 1", "a + b = c", "a.b = c",
                             "p->x", "(*p)[4]", "const a", "int", "int a < b = c"}) {
        BOOST_TEST(read(text).find('|') == std::string::npos, text);
    }
}

// The parts before an unreadable one are returned.
BOOST_AUTO_TEST_CASE(partial) {
    BOOST_TEST(read("int a, int b") == "int | a : a :  :  ...");
    BOOST_TEST(read("int a, b:3") == "int | a : a :  :  ...");
    BOOST_TEST(read("dim3 a((1, 2") == "dim3 | a : a :  : ((1, 2 ...");
}

BOOST_AUTO_TEST_CASE(extent) {
    const auto around = [](std::string_view text) {
        token_stream code;
        lex(text, code);
        std::uint32_t at = 0;
        while (!code.is_word(at, "M")) ++at;
        const declaration_end end = find_declaration_end(code, at, code.size());
        using enum declaration_end::kind;
        switch (end.why) {
            case semicolon: return bytes(code, {declaration_start(code, at, 0), end.at});
            case cut_off: return std::string("cut off");
            case far: return std::string("far");
            case directive: return std::string("directive");
            case broken: return std::string("broken");
        }
        return std::string();
    };
    BOOST_TEST(around("f(); static A<b> alignas(8) M int a[] = {1; 2}; x;") ==
               "static A<b> alignas(8) M int a[] = {1; 2}");
    BOOST_TEST(around("x; extern \"C\" M int a;") == "extern \"C\" M int a");
    BOOST_TEST(around("return M a;") == "M a");
    BOOST_TEST(around("M void f() { x; } y;") == "broken");
    BOOST_TEST(around("M auto f = [](int i) { return i; };") ==
               "M auto f = [](int i) { return i; }");
    BOOST_TEST(around("(M a) b;") == "broken");
    BOOST_TEST(around("M a") == "cut off");
    BOOST_TEST(around("M a\n#if x\n;\n#endif\n") == "directive");
    std::string many = "M a";
    for (int i = 0; i < 3000; ++i) many += ", a";
    BOOST_TEST(around(many + ";") == "far");
    std::string values = "M a[] = {1";
    for (int i = 0; i < 3000; ++i) values += ", 1";
    BOOST_TEST(around(values + "};") == values + "}");
}

BOOST_AUTO_TEST_SUITE_END()
