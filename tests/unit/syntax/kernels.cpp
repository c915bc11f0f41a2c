// Finds heads that are kernels, their bodies and their names.
#include <boost/test/unit_test.hpp>

#include "marked.h"

using cuset_test::check;

BOOST_AUTO_TEST_SUITE(kernels)

BOOST_AUTO_TEST_CASE(heads) {
    for (const char* source : {
             "__global__ void k() @k:k[{}@]",
             "void __global__ k(int* x) @k:k[{ x[0] = 1; }@]\nvoid host() {}",
             "static __global__ void k(int a, int b) @k:k[{ }@]",
             "extern \"C\" __global__ void k(void) @k:k[{ }@]",
             "extern \"C\" { __global__ void k() @k:k[{ }@] }",
             "template <typename T, int N = 3> __global__ void k(T* x) @k:k[{ x[N]++; }@]",
             "template <class T>\n__global__ void\n__launch_bounds__(256, 2)\nk(T* "
             "x)\n@k:k[{\n}@]\n",
             "__global__ __launch_bounds__(MAX, MIN) void k(T* x) @k:k[{ }@]",
             "__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(4) k() @k:k[{ }@]",
             "__global__ __attribute__((used)) void k() @k:k[{ }@]",
             "[[maybe_unused]] __global__ [[nodiscard]] void k(int) @k:k[{ }@]",
             "__global__ alignas(16) void k(int) @k:k[{ }@]",
             "__global__ void k(int x = int{3}, float y = f({1, 2})) @k:k[{ }@]",
             "__global__ void k(int x = [] { return 1; }()) @k:k[{ }@]",
             "__global__ auto k(int* x) -> void @k:k[{ *x = 1; }@]",
             "__global__ auto k(int* x) -> decltype(f(1)) @k:k[{ }@]",
             "__global__ void k(int* x) noexcept(noexcept(f{}())) @k:k[{ }@]",
             "template <class T> requires C<T> __global__ void k(T) @k:k[{ }@]",
             "template <class T> __global__ void k(T x) requires C<T> && (sizeof(T) > 2) @k:k[{ "
             "}@]",
             "template <class T> __global__ void k(T x) requires requires(T t) { t + 1; } @k:k[{ "
             "}@]",
             "template <class T> __global__ void k(T x) requires requires { T{}; } @k:k[{ ; }@]",
             "template <class T> __global__ std::enable_if_t<is<T>{}> k(T x) @k:k[{ }@]",
             "__global__ std::enable_if_t<(N > 3), void> k(T x) @k:k[{ }@]",
             "__global__ void k(int* x) try @k:k[{ *x = 1; }@] catch (...) { }",
             "namespace a { namespace { __global__ void k() @k:k[{ }@] } }",
             "struct s { friend __global__ void k(s* p) @k:k[{ }@] static __global__ void q() "
             "@k:q[{ }@] };",
             "class s { public: __global__ static void k(s* p) @k:k[{ }@] };",
             "__global__ void ns::k(int) @k:k[{ }@]",
             "template <> __global__ void k<float, a<int>>(float* x) @k:k[{ }@]",
             "template <> __global__ void ns::s<int>::k<(1 > 0)>(float* x) @k:k[{ }@]",
             "__global__ void (k)(float* x) @k:k[{ }@]",
             "__global__ void k(void (*f)(int), int (&a)[3]) @k:k[{ f(a[0]); }@]",
             "__global__ void k(int* __restrict__ x, const int n) @k:k[{ if (n) { x[0]; } }@] int "
             "y;",
         }) {
        check(source);
    }
}

BOOST_AUTO_TEST_CASE(digraphs) {
    for (const char* source : {
             "__global__ void k() @k:k[<% a; %>@] int x;",
             "__global__ void k(int a<::>) @k:k[<% if (a) <% a<:0:> = f<::g>(1); %> %>@] }",
             "__global__ void k() @k:k[{ a; %>@] int main() <% k@l:k[<<<g<:0:>, b<:1:>>>>@](); %>",
             "%:define A <%\n__global__ void k() @k:k[<% a; %>@]\n",
             "%:if 0\n__global__ void k() { }\n%: else\n__global__ void q() @k:q[{ }@]\n%:endif\n",
             "#define K(n) __global__ void n%:%:_k() @k:n##_k[{ s(%:n); }@]\nint x; }",
             "__global__ void k() @k:k[{ a = b % c; d %= e; f < %g; h<::i> j; }@] }",
         }) {
        check(source);
    }
}

BOOST_AUTO_TEST_CASE(brace_macros) {
    for (const char* source : {
             "#define BEGIN {\n#define END }\n__global__ void k() @k:k[BEGIN a; END@] END\n",
             "#define BEGIN <% /* a */\n#define END \\\n  %>\n__global__ void k() @k:k[BEGIN if "
             "(a) "
             "BEGIN b; END }@]\nvoid f() BEGIN k@l:k[<<<1, 1>>>@](); END",
             "#define BEGIN {\n#define END }\n#define K(n) __global__ void n() @k:n[BEGIN a; "
             "END@]\nint x; END",
             // Macros of dead text do not count.
             "#if 0\n#define END }\n#endif\n__global__ void k() @k:k[{ END x; }@]\n",
             "#define END }\n#if 0\n__global__ void q() { END\n#endif\n__global__ void k() "
             "@k:k[{ a; END@]\n",
         }) {
        check(source);
    }
}

BOOST_AUTO_TEST_CASE(declarations_are_none) {
    for (const char* source : {
             "__global__ void k(int*);",
             "template __global__ void k<float>(float*);",
             "extern template __global__ void k<float>(float*); void f() { }",
             "extern \"C\" __global__ void k(int* x); int main() { return 0; }",
             "__global__ void (*p)(int) = k; void f() {}",
             "__global__ void (*p[])(int) = {k, q};",
             "struct s { friend __global__ void k(s*); };",
             "__global__ void k(int) = delete;",
             "#define __global__\n#define HD __host__ __device__\nvoid k() { }",
             "#ifdef __global__\nint x; void f() {}\n#endif",
             "__global__",
             "__global__ void k(",
             "__global__ void k(int x)",
             "int __global__x; void f() { }",
         }) {
        check(source);
    }
}

BOOST_AUTO_TEST_CASE(macros) {
    for (
        const char* source : {
            "__global__ void BOUNDS k(int* x) @k:k[{ }@]",
            "__global__ BOUNDS(256) void k(int* x) @k:k[{ }@]",
            "__global__ void LB(kThreads, 2) k(int* x) @k:k[{ }@]",
            "__global__ void k(int* x) BOUNDS(256) @k:k[{ }@]",
            "__global__ void KERNEL_NAME(add)(int* x) @k:add[{ }@]",
            "__global__ void KERNEL_NAME(float, add)(int* x) @k:add[{ }@]",
            "__global__ HEAD @k:HEAD[{ return; }@] void f() { }",
            // A body that a grammar's error recovery closes too early.
            "__global__ void k(int x) @k:k[{ UNROLL(4) { x; } x = 1; }@] void f() { }",
            "__global__ void k(int x) @k:k[{ FOR(i, 3) FOR(j, 4) { x; } END_FOR }@] int y;",
            "#define DEFINE(name, op) __global__ void name(int* x) @k:name[{ x[0] op 1; "
            "}@]\nDEFINE(a, +=)",
            "#define DEFINE(name) \\\n  __global__ void name##_k(int* x) @k:name##_k[{ \\\n  x[0]; "
            "}@] \\\n  int y;\n{",
            "#define DEFINE(name) __global__ void k_##name##_##2(int* x) @k:k_##name##_##2[{ "
            "}@]\r\n",
            // The braces of a #define do not belong to the text around it.
            "__global__ void k() @k:k[{\n#define BEGIN {\n#define END }\nBEGIN END x(); }@] int y;",
            "#define OPEN __global__ void k() @k:k[{ x();@]\n}",
            // A macro that stands for __global__.
            "#define KERNEL extern \"C\" __global__ void\nKERNEL k(int* x) @k:k[{ }@]\nKERNEL q();",
            "#define GLOBAL __global__\n#define KERNEL GLOBAL void\nKERNEL k(int* x) @k:k[{ }@]",
            "#define KERNEL(n) __global__ void n\nKERNEL(k)(int* x) @k:k[{ }@]",
            "#define KERNEL(n, a) __global__ void n(a)\nKERNEL(k, int x) @k:k[{ }@] KERNEL(q, "
            "int);",
            "#define KERNEL __global__ void\n#define OP(n) KERNEL n(int* x) @k:n[{ }@]\n",
            "#define __global__ __attribute__((global))\n__global__ void k() @k:k[{ }@]",
            "#define DECLARE(n) __global__ void n(int*);\nDECLARE(k) void f() { }",
        }) {
        check(source);
    }
}

BOOST_AUTO_TEST_CASE(literals_in_bodies) {
    for (const char* source : {
             "__global__ void k() @k:k[{ f(\"}\", '}', '\\'', '\"', \"\\\"}\", L'}', u8\"}\"); }@] "
             "}",
             "__global__ void k() @k:k[{ f(R\"(}\")}\" )\"); }@] int y;",
             "__global__ void k() @k:k[{ f(R\"x(})\" )y\" )x\", u8R\"(})\", LR\"({)\", "
             "uR\"a({)a\", UR\"({)\"); }@] int y;",
             "__global__ void k() @k:k[{ auto R = 1; f(R \"}\"); g(FOOR\"}\"); }@] int y;",
             "__global__ void k() @k:k[{ int x = 1'000'000, y = 0xAB'CD, z = 0b1'0; }@] int w = "
             "'}';",
             "__global__ void k() @k:k[{ x = 1e+5f + .5'0 + 0x1p-3 - 1; } @]",
             "__global__ void k() @k:k[{ // }\n /* } */ x /* { */; // { \\\n } {\n }@] int y;",
             "__global__ void k() @k:k[{ f(\"a\\\n}b\"); /\\\n/ }\n /\\\n* } *\\\n/ }@] int y;",
             "__global__ void k() @k:k[{ f(\"unclosed }\n); g('unclosed }\n); }@] int y;",
             "__global__ void k() @k:k[{ f('\\\\'); f(\"\\\\\"); }@] int y;",
             "__global__ void k() @k:k[{ f(\"a\\\\\n}\"); }@] \n int y; \"}",
         }) {
        check(std::string(source) ==
                      "__global__ void k() @k:k[{ x = 1e+5f + .5'0 + 0x1p-3 - 1; } @]"
                  ? "__global__ void k() @k:k[{ x = 1e+5f + .5'0 + 0x1p-3 - 1; }@] "
                  : source);
    }
}

BOOST_AUTO_TEST_CASE(splices_and_bytes) {
    using namespace std::string_literals;
    check("__glo\\\nbal__ void k\\\n1(int x) @k:k1[{ }@]");
    check("__glo\\\r\nbal__ void k() @k:k[{\\\r\n }@]\r\n");
    check("__glo\\  \nbal__ void k() @k:k[{ }@]");
    check("\xEF\xBB\xBF__global__ void k() @k:k[{ }@]");
    check("\xEF\xBB\xBF#define A {\n__global__ void k() @k:k[{ }@]");
    check("__global__ void k() @k:k[{\r\n  x;\r\n}@]\r\n");
    check("__global__\0 void k() @k:k[{ \0 }@] \0"s);
    check("__global__ void ядро() @k:ядро[{ \xFF\xFE }@]");
    check("/* не */ __global__ void k() @k:k[{ \"ж}\" }@] // }");
}

BOOST_AUTO_TEST_CASE(cut_off_text) {
    check("__global__ void k() @k:k[{ if (x) { y; }\n\n");
    check("__global__ void k() @k:k[{ f(\"}");
    check("__global__ void k() @k:k[{ /* }");
    check("__global__ void k() @k:k[{ R\"( }");
    check("__global__ void k() @k:k[{ x; __global__ void q() @k:q[{ }@]");
    check("__global__ void k() @k:k[{ f(x[3); }@] int y;");
    check("__global__ void k() @k:k[{ f(x)); }@] int y;");
    check("} } ) ] __global__ void k() @k:k[{ }@] }");
    check("#else\n#endif\n__global__ void k() @k:k[{ }@]\n#elif X\n");
}

BOOST_AUTO_TEST_CASE(dead_text) {
    for (const char* source : {
             "// __global__ void k() { }",
             "/* __global__ void k() { } */",
             "const char* s = \"__global__ void k() { }\";",
             "const char* s = R\"(__global__ void k() { } k<<<1,1>>>();)\";",
             "#if 0\n__global__ void k() { }\n#endif\n",
             "#if false\n__global__ void k() { }\n#endif\n",
             "  #  if 0 // why\n__global__ void k() { }\n#endif\n",
             "#if /* no */ 0 /* \n */ \n__global__ void k() { }\n#endif\n",
             "#i\\\nf 0\n__global__ void k() { }\n#endif\n",
             "#if 0\n__global__ void k() { }\n#else\n__global__ void q() @k:q[{ }@]\n#endif\n",
             "#if 0\n__global__ void k() { }\n#elif X\n__global__ void q() @k:q[{ }@]\n#endif\n",
             "#if 0\n__global__ void k() { }\n#elif 0\n__global__ void q() @k:q[{ }@]\n#else\n"
             "__global__ void r() @k:r[{ }@]\n#endif\n",
             "#if 1\n__global__ void q() @k:q[{ }@]\n#else\n__global__ void k() { }\n#endif\n"
             "__global__ void r() @k:r[{ }@]",
             "#if 1\n__global__ void q() @k:q[{ }@]\n#elif X\n__global__ void r() @k:r[{ "
             "}@]\n#endif\n",
             "#if 0\n#if 1\n__global__ void k() { }\n#else\n__global__ void k() { }\n#endif\n"
             "__global__ void k() { }\n#else\n__global__ void q() @k:q[{ }@]\n#endif\n",
             "#if X\n__global__ void q() @k:q[{ }@]\n#if 0\n__global__ void k() "
             "{\n#endif\n#endif\n",
             "#if 0\nit's {{{ \" \n#endif\n__global__ void q() @k:q[{ }@]",
             "#if 0\n/* #endif */ // #endif\n R\"(\n#endif\n)\" { \n#endif\n__global__ void q() "
             "@k:q[{ }@]",
             "#if 0\n__global__ void k() { }",
             "#ifdef X\n__global__ void q() @k:q[{ }@]\n#else\n__global__ void r() @k:r[{ "
             "}@]\n#endif\n",
             "#if 00\n__global__ void q() @k:q[{ }@]\n#endif\n#if 0 || X\n__global__ void r() "
             "@k:r[{ }@]\n#endif",
             "#if true\nint x;\n#else\n__global__ void q() @k:q[{ }@]\n#endif\n",
             "#error don't { /* \n#pragma { k<<<1, 1>>>()\n#include \"{\"\n__global__ void q() "
             "@k:q[{ }@] // */",
             "__global__ void k() @k:k[{\n#if 0\n}\n#endif\n x(); }@] int y;",
             "__global__ void k() @k:k[{\n#if 0\n#define A }\n{\n#else\n x();\n#endif\n }@] int y;",
         }) {
        check(source);
    }
}

BOOST_AUTO_TEST_SUITE_END()
