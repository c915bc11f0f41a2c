#include "cuset/host/translation.h"

#include "translated_text.h"

using namespace cuset::translation_test;
using cuset::translate_for_host;

BOOST_AUTO_TEST_SUITE(launches)

BOOST_AUTO_TEST_CASE(callees) {
    const auto check = [](std::string_view callee, std::string_view name, bool plain) {
        const std::string source = std::string(callee) + "<<<g, b>>>(x);";
        BOOST_TEST(host(source) == launched(name, 8, "g, b", callee, plain) + "(x);");
    };
    check("k", "k", true);
    check("::k", "k", true);
    check("(k)", "k", true);
    check("t<float>", "t", false);
    check("t<float, 4>", "t", false);
    check("t<float, (A > B)>", "t", false);
    check("t<Foo<int>>", "t", false);
    check("t<Foo<Bar<int>>>", "t", false);
    check("t", "t", false);
    check("o", "o", false);
    check("ns::u<4>", "u", false);
    check("b", "b", true);
    check("kernels[i]", "kernels", true);
    check("kernels[i][j + 1]", "kernels", true);
    check("(*fp)", "fp", true);
    check("this->k2", "k2", true);
    check("table.entries[2].run", "run", true);
    check("make(3, 4)", "make", true);
    check("static_cast<fn>(f)", "f", true);
}

BOOST_AUTO_TEST_CASE(default_arguments) {
    const std::string begin = "::cuset_host::launch({\"d\", 8}, ::cuset_host::configuration(g, b))";
    const std::string end = "ns::d, [&](auto&... cuset_a) { ns::d(cuset_a...); })";
    BOOST_TEST(host("ns::d<<<g, b>>>(x);") == begin + ".first<1>(" + end + "(x);");
    BOOST_TEST(host("ns::d<<<g, b>>>();") == begin + ".first<0>(" + end + "();");
    BOOST_TEST(host("ns::d<<<g, b>>>(f(x, y), {1, 2});") ==
               begin + ".first<2>(" + end + "(f(x, y), {1, 2});");
    BOOST_TEST(host("ns::d<<<g, b>>>(x...);") == begin + ".deduced(" + end.substr(7) + "(x...);");
}

BOOST_AUTO_TEST_CASE(configurations) {
    BOOST_TEST(host("k<<<dim3(1, 2), f(3, 4), 5, s>>>(x, n);") ==
               launched("k", 8, "dim3(1, 2), f(3, 4), 5, s", "k") + "(x, n);");
    BOOST_TEST(host("k <<< g , b >>> (x);") == launched("k", 8, " g , b ", "k") + " (x);");
    BOOST_TEST(host("k<<<g, size<3>>>>(x);") == launched("k", 8, "g, size<3>", "k") + "(x);");
    BOOST_TEST(host("k<<<g, 8 >> 1>>>(x);") == launched("k", 8, "g, 8 >> 1", "k") + "(x);");
    BOOST_TEST(host("k<<<(n + 255) / 256, 256>>>(x, {1, 2});") ==
               launched("k", 8, "(n + 255) / 256, 256", "k") + "(x, {1, 2});");
    BOOST_TEST(host("k /* a */ <<<g, /* b */ b>>> // c") == "k /* a */ <<<g, /* b */ b>>> // c");
    BOOST_TEST(host("a << <b, c> >>(x);") == "a << <b, c> >>(x);");
    BOOST_TEST(host("s = \"k<<<1, 1>>>(x)\"; // k<<<1, 1>>>(x)") ==
               "s = \"k<<<1, 1>>>(x)\"; // k<<<1, 1>>>(x)");
}

BOOST_AUTO_TEST_CASE(surroundings) {
    const std::string k = launched("k", 8, "g, b", "k") + "(x)";
    BOOST_TEST(host("if (x) k<<<g, b>>>(x); else k<<<g, b>>>(x);") ==
               "if (x) " + k + "; else " + k + ";");
    BOOST_TEST(host("switch (i) { case 1:k<<<g, b>>>(x); }") ==
               "switch (i) { case 1: " + k + "; }");
    BOOST_TEST(host("auto f = [=] { return k<<<g, b>>>(x); };") ==
               "auto f = [=] { return " + k + "; };");
    BOOST_TEST(host("CHECK((k<<<g, b>>>(x)));") == "CHECK((" + k + "));");
    // A deduced parameter has no type for braces either.
    BOOST_TEST(host("t<P, 4><<<g, b>>>({1, 2});") ==
               launched("t", 8, "g, b", "t<P, 4>") + "({1, 2});");
    // A deduced parameter has no type of its own for NULL.
    BOOST_TEST(host("t<int><<<g, b>>>(NULL);") ==
               launched("t", 8, "g, b", "t<int>", false) + "(nullptr);");
}

BOOST_AUTO_TEST_CASE(lines) {
    BOOST_TEST(host("t<Foo<int>, // the type\n  3>\n  <<<g, // grid\n b>>>(x,\n y);") ==
               "::cuset_host::launch({\"t\", 10}, ::cuset_host::configuration(\n\ng, // grid\n"
               " b)).deduced(" +
                   finder("t < Foo < int > , 3 >") +
                   "[&](auto&... cuset_a) { t < Foo < int > , 3 >(cuset_a...); })(x,\n y);");
}

BOOST_AUTO_TEST_CASE(in_macros) {
    BOOST_TEST(text_of("#define RUN(k, ...) k<<<1, 1>>>(__VA_ARGS__)\n") ==
               "#define RUN(k, ...) ::cuset_host::launch({#k, __LINE__}, "
               "::cuset_host::configuration(1, 1)).plain(k, [&](auto&... cuset_a) { "
               "k(cuset_a...); })(__VA_ARGS__)\n");
    BOOST_TEST(text_of("template <class T> __global__ void t(T);\n#define RUN(k) k<<<1, 1>>>(0)")
                   .find(".deduced(") != std::string::npos);
    BOOST_TEST(text_of("#define RUN(n) name##n \\\n  <<<1, \\\n 1>>>(x)\n") ==
               "#define RUN(n) ::cuset_host::launch({\"name##n\", __LINE__}, "
               "::cuset_host::configuration(\\\n1, \\\n 1)).plain(name##n, [&](auto&... cuset_a) { "
               "name##n(cuset_a...); })(x)\n");
    BOOST_TEST(*translate_for_host("#define ARGS(g, b) <<<g, b>>>\n").unsupported ==
               "a launch configuration in a macro without its kernel");
}

BOOST_AUTO_TEST_CASE(calls) {
    BOOST_TEST(host("cudaLaunchKernel((void*)k, g, b, a);") ==
               "::cuset_host::unchecked_call(\"cudaLaunchKernel\"), "
               "::cuset_host::named_launch(\"k\", 8).cudaLaunchKernel(k, g, b, a);");
    BOOST_TEST(host("e = ::cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(&t<int, 4>), "
                    "g, b, a);") ==
               "e = ::cuset_host::named_launch(\"t\", 8).cudaLaunchCooperativeKernel("
               "::cuset_host::registered(&t<int, 4>, \"t\"), g, "
               "b, a);");
    BOOST_TEST(host("e = cudaLaunchKernelEx(&c, t<int, 4>, x);") ==
               "e = ::cuset_host::named_launch(\"t\", 8).cudaLaunchKernelEx(&c, t<int, 4>, x);");
    BOOST_TEST(host("CHECK(cudaLaunchKernelExC(&c, (const void *)k, a));") ==
               "CHECK(::cuset_host::named_launch(\"k\", 8).cudaLaunchKernelExC(&c, k, a));");
    BOOST_TEST(host("e = cudaLaunchKernel(p, g, b, a);") ==
               "e = ::cuset_host::named_launch(\"p\", 8).cudaLaunchKernel(p, g, b, a);");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(shared_memory)

BOOST_AUTO_TEST_CASE(several_texts_of_a_program_number_their_variables_on) {
    const std::string source =
        "__global__ void k(int* x) { __shared__ int a[4], b; a[0] = 1; x[0] = a[0] + b; }\n";
    const auto first = translate_for_host(source);
    const auto second = translate_for_host(source, {}, cuset::barrier_form::fibers,
                                           cuset::default_host_architecture(), first.shared);
    BOOST_TEST((first.shared == 2U && second.shared == 4U));
    BOOST_TEST(first.text.find("{0, 1}") != std::string::npos, first.text);
    BOOST_TEST(second.text.find("{2, 3}") != std::string::npos, second.text);
    for (const char* number : {", 2>(\"a\")", ", 3>(\"b\")"})
        BOOST_TEST(second.text.find(number) != std::string::npos, second.text);
}

BOOST_AUTO_TEST_CASE(declarators) {
    const auto one = [](std::string_view members, std::string_view name, int index = 0) {
        return std::string(" auto& ") + std::string(name) +
               " = ::cuset_host::shared<decltype(cuset_shared_2_1::" + std::string(name) +
               "), cuset_shared_2_1, " + std::to_string(index) + ">(\"" + std::string(name) +
               "\");" + std::string(members);
    };
    const auto check = [&](std::string_view source, std::string_view members,
                           std::string_view names) {
        std::string expected = "struct cuset_shared_2_1 { " + std::string(members) + "; };";
        int index = 0;
        for (const char c : names) expected += one("", std::string(1, c), index++);
        BOOST_TEST(device(source) == expected);
    };
    check("__shared__ float a[N][17], b;", " float a[N][17], b", "ab");
    check("static __shared__ float a[4];", "  float a[4]", "a");
    check("__shared__ static float a[4];", "  float a[4]", "a");
    check("float __shared__ a[4];", "float  a[4]", "a");
    check("__shared__ __align__(16) float a[4];", " __align__(16) float a[4]", "a");
    check("alignas(16) __shared__ float a[4];", "alignas(16)  float a[4]", "a");
    check("__shared__ unsigned long long a;", " unsigned long long a", "a");
    check("__shared__ typename B<T>::TempStorage a;", " typename B<T>::TempStorage a", "a");
    check("__shared__ Pair<int, Pair<int, 3>> a[4], b;", " Pair<int, Pair<int, 3>> a[4], b", "ab");
    check("__shared__ float *a, (*b)[4], c[2];", " float *a, (*b)[4], c[2]", "abc");
    check("__shared__ float (*a)[f(1, 2)];", " float (*a)[f(1, 2)]", "a");
    check("__shared__ ALIGN(16) float a[3];", " ALIGN(16) float a[3]", "a");
    check("__shared__ struct P { int i, j; } a[3];", " struct P { int i, j; } a[3]", "a");
    check("__shared__ T a[sizeof(T) < 8 ? 1 : 2];", " T a[sizeof(T) < 8 ? 1 : 2]", "a");
}

BOOST_AUTO_TEST_CASE(dynamic) {
    BOOST_TEST(device("extern __shared__ __align__(16) unsigned char s[];") ==
               "struct cuset_shared_2_1 { char cuset_head;   __align__(16) unsigned char s[]; }; "
               "auto& s = ::cuset_host::dynamic_shared<decltype(cuset_shared_2_1::s)>();");
    BOOST_TEST(text_of("extern __shared__ float s[];\nextern __shared__ float s[];") ==
               "static ::cuset_host::dynamic_shared_array<float> s;\n;");
    BOOST_TEST(text_of("extern __shared__ __align__(16) unsigned char s[][32];") ==
               "static ::cuset_host::dynamic_shared_array<unsigned char[32]> s;");
    BOOST_TEST(text_of("namespace a { __shared__ float x, y[3]; }") ==
               "namespace a { static thread_local float x, y[3]; }");
}

BOOST_AUTO_TEST_CASE(in_macros) {
    BOOST_TEST(text_of("#define TILE(T, n) __shared__ T n[32]\n") ==
               "#define TILE(T, n) struct cuset_shared_1_1_##n {  T n[32]; }; auto& n = "
               "::cuset_host::shared<decltype(cuset_shared_1_1_##n::n), cuset_shared_1_1_##n, "
               "0>(#n)\n");
    BOOST_TEST(text_of("#define SHARED static __shared__\n__global__ void k() { SHARED int a; }") ==
               "#define SHARED  \n__global__ void k() { struct cuset_shared_2_1 { SHARED int a; }; "
               "auto& a = ::cuset_host::shared<decltype(cuset_shared_2_1::a), cuset_shared_2_1, "
               "0>(\"a\"); } static const ::cuset_host::registration cuset_kernel_1(&k, \"k\");");
    check_lines("#define S \\\n  __shared__ \\\n float a \\\n [3];\nint x;\n");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(constant_memory)

// The sizes that the translation has the compiler add up, in order.
std::string sums(std::string_view program) {
    const std::string text = text_of(program);
    std::string found;
    for (std::size_t at = text.find(" static_assert("); at != text.npos;
         at = text.find(" static_assert(", at + 1)) {
        const std::size_t from = at + 15, end = text.find(" <= ", from);
        found += text.substr(from, end - from) + ";";
    }
    return found;
}

BOOST_AUTO_TEST_CASE(declarations) {
    BOOST_TEST(sums("__constant__ float a[3];") == "sizeof(a);");
    BOOST_TEST(sums("__constant__ float a[3], b = 1, c{2}, *d;") ==
               "sizeof(a) + sizeof(b) + sizeof(c) + sizeof(d);");
    BOOST_TEST(sums("static const __constant__ int a[2][2] = {{1, 2}, {f(3), 4}};") ==
               "sizeof(a);");
    BOOST_TEST(
        sums("__device__ __constant__ Pair<int, 3> a;\n__constant__ __align__(16) int b[1];") ==
        "sizeof(a);sizeof(a) + sizeof(b);");
    BOOST_TEST(sums("__constant__ int a;\nnamespace n {\n__constant__ int b;\n}\n"
                    "extern \"C\" { __constant__ int c; }\n__constant__ int d;") ==
               "sizeof(a);sizeof(a) + sizeof(b);sizeof(a) + sizeof(c);sizeof(a) + sizeof(d);");
    for (const char* other :
         {"extern __constant__ int a[];", "struct S { static __constant__ int a; };",
          "template <int N> __constant__ int a = N;", "#define C __constant__ int a;\n",
          "#ifdef A\n__constant__ int a;\n#endif", "__constant__ int (*a)[3];",
          "__constant__ struct { int a; } b", "__constant__ int a", "__constant__ int a[3"}) {
        BOOST_TEST(sums(other) == "");
    }
    check_lines("__constant__ int a[] = {\n1,\n2\n};\n");
}

BOOST_AUTO_TEST_SUITE_END()
