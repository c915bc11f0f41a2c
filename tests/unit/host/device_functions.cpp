// Device functions and variables, algorithms, arithmetic and the two sides in translated programs.
#include "translated_text.h"

using namespace cuset::translation_test;
using cuset::translate_for_host;

BOOST_AUTO_TEST_SUITE(device_functions)

BOOST_AUTO_TEST_CASE(registrations) {
    const std::string made = " static const ::cuset_host::registration cuset_kernel_1(&k, \"k\");";
    for (const std::string source :
         {"__global__ void k() {}", "extern \"C\" __global__ void k(int a) {}",
          "__global__ static void k() { if (1) { } }", "static __global__ void k() {}",
          "__global__ void k();\n__global__ void k() {}", "#define K __global__ void\nK k() {}"}) {
        BOOST_TEST(text_of(source) == source + made);
    }
    BOOST_TEST(text_of("namespace { namespace b { __global__ void k() {} } }") ==
               "namespace { namespace b { __global__ void k() {}" + made + " } }");
    BOOST_TEST(
        text_of("#ifdef A\n__global__ void k() {}\n#else\n__global__ void k(int) {}\n#endif") ==
        "#ifdef A\n__global__ void k() {}" + made +
            "\n#else\n__global__ void k(int) {} static const ::cuset_host::registration "
            "cuset_kernel_2(&k, \"k\");\n#endif");
    for (const std::string source :
         {"template <class T> __global__ void k(T) {}",
          "template <> __global__ void k<int>(int) {}",
          "__global__ void k(int) {}\n__global__ void k(float) {}",
          "#define K(n) __global__ void n##_k() {}", "__global__ void k() {", "void k() {}",
          "__device__ int k() { return 1; }"}) {
        BOOST_TEST(text_of(source) == source);
    }
}

// The text after the kernel's last brace, without the registration.
std::string needs_of(std::string_view program) {
    const std::string text = text_of(program);
    const std::string_view begin = "::cuset_host::kernel_needs ";
    const std::size_t at = text.find(begin);
    if (at == text.npos) return {};
    const std::size_t from = text.find('(', at) + 1;
    return text.substr(from, text.find(");", from) - from);
}

BOOST_AUTO_TEST_CASE(heap) {
    BOOST_TEST(text_of("__device__ int* f(int n) { free(p); return (int*)malloc(n); }") ==
               "__device__ int* f(int n) { ::cuset_host::device_free(p); return "
               "(int*)::cuset_host::device_malloc(n); }");
    BOOST_TEST(text_of("__device__ int* f() { delete q; return new int[3]; }") ==
               "__device__ int* f() { delete q; return new (::cuset_host::device_heap) int[3]; }");
    for (const std::string source :
         {"int* f(int n) { return (int*)malloc(n); }", "__device__ void f() { pool.free(p); }",
          "__device__ void f() { my::malloc(3); }",
          "__device__ void free(int*) {}\n__device__ void f() { free(p); }",
          "__device__ void f() { new (place) int(3); }",
          "void* operator new(size_t);\n__device__ int* f() { return new int; }"})
        BOOST_TEST(text_of(source) == source);
}

BOOST_AUTO_TEST_CASE(device_variables) {
    const auto known = [](const std::string& name, int number) {
        return " static const ::cuset_host::device_variable cuset_variable_" +
               std::to_string(number) + "(&(" + name + "), sizeof(" + name + "));";
    };
    BOOST_TEST(text_of("__device__ int a[3], b;") ==
               "__device__ int a[3], b;" + known("a", 1) + known("b", 2));
    BOOST_TEST(text_of("namespace n { static __device__ T t = {1}; }") ==
               "namespace n { static __device__ T t = {1};" + known("t", 1) + " }");
    for (const std::string source :
         {"__device__ __managed__ int a;", "__device__ int f(int);", "extern __device__ int a;",
          "struct S { static __device__ int a; };", "__device__ int f() { return 1; }"})
        BOOST_TEST(text_of(source) == source);
}

BOOST_AUTO_TEST_CASE(host_variables) {
    const std::string head = "__device__ int a[3];\n__global__ void k(int*) {}\n";
    const auto launch = [&](const std::string& argument) {
        const std::string text = text_of(head + "void f() { k<<<1, 1>>>(" + argument + "); }");
        const std::size_t at = text.rfind(")(");
        return text.substr(at + 2, text.find("; }", at) - at - 3);
    };
    BOOST_TEST(launch("a") == "::cuset_host::host_variable(a)");
    BOOST_TEST(launch("&a") == "::cuset_host::host_variable(&a)");
    BOOST_TEST(launch("b") == "b");
    BOOST_TEST(launch("p + a") == "p + a");
    BOOST_TEST(launch("f") == "::cuset_host::host_function(f)");
    BOOST_TEST(launch("f()") == "f()");
    BOOST_TEST(launch("k") == "k");
}

BOOST_AUTO_TEST_CASE(host_shadows) {
    const auto host_code = [&](const std::string& words, const std::string& more = "") {
        const std::string text = text_of("__device__ float* p;\n__device__ int a[3];\n" + more +
                                         "void f() { " + words + "; }");
        const std::size_t at = text.rfind("void f() { ") + 11;
        return text.substr(at, text.rfind("; }") - at);
    };
    BOOST_TEST(
        text_of("__device__ int a;\nint f() { return a; }")
            .find(" static ::cuset_host::shadow_of<decltype(a)> cuset_shadow_a{}; static const "
                  "::cuset_host::host_shadow cuset_shadows_a(&cuset_shadow_a, &a, sizeof(a));\n") !=
        std::string::npos);
    BOOST_TEST(host_code("CK(cudaMalloc((void**)&p, 3))") ==
               "CK(cudaMalloc((void**)&cuset_shadow_p, 3))");
    BOOST_TEST(host_code("a[1] = *p") == "cuset_shadow_a[1] = *cuset_shadow_p");
    BOOST_TEST(host_code("g(a)") == "g(cuset_shadow_a)");
    for (const std::string words :
         {"CK(cudaMemcpyToSymbol(a, h, 4))", "CK(cudaGetSymbolAddress(&q, a))", "int n = sizeof(a)",
          "s.a = 1"})
        BOOST_TEST(host_code(words) == words);
    // What passes symbols on, itself or by a call.
    const std::string upload =
        "template <class T> void u(T& t) { cudaMemcpyToSymbol(t, h, 4); }\n"
        "template <class T> void v(T& t) { u(t); }\n#define W(x) v(x)\n";
    for (const std::string words : {"u(a)", "v(a)", "W(a)"})
        BOOST_TEST(host_code(words, upload) == words);
    const std::string device = "__device__ int a;\n__global__ void k() { a = 1; }";
    BOOST_TEST(text_of(device).find("cuset_shadow") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(host_algorithms) {
    const auto call = [&](const std::string& words) {
        const std::string text = text_of("void f() { " + words + "; }");
        return text.substr(11, text.find("; }") - 11);
    };
    BOOST_TEST(call("std::sort(x, x + n)") ==
               "std::sort(::cuset_host::of_host(x, \"std::sort\"), x + n)");
    BOOST_TEST(call("thrust::reduce(f(p, 1) + 2, q)") ==
               "thrust::reduce(::cuset_host::of_host(f(p, 1) + 2, \"thrust::reduce\"), q)");
    BOOST_TEST(call("std::copy(a, b, d)") ==
               "std::copy(::cuset_host::of_host(a, \"std::copy\"), "
               "b, ::cuset_host::of_host(d, \"std::copy\"))");
    BOOST_TEST(call("thrust::copy(a, b, d)") ==
               "thrust::copy(::cuset_host::of_host(a, \"thrust::copy\"), b, "
               "::cuset_host::of_host_after<decltype(a)>(d, \"thrust::copy\"))");
    for (const std::string words : {"std::max(a, b)", "my::std::sort(a, b)", "sort(a, b)",
                                    "std::accumulate(x)", "std::find({1, 2}, 3)"})
        BOOST_TEST(call(words) == words);
    const std::string kernel = "__global__ void k(int* x) { thrust::sort(thrust::seq, x, x + 3); }";
    BOOST_TEST(text_of(kernel).find("of_host") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(host_symbols) {
    const auto call = [&](const std::string& words) {
        const std::string text =
            text_of("int h[3];\nvoid f() { e = " + words + "; }\nvoid g() { int k; }");
        return text.substr(text.find("= ") + 2, text.find("; }") - text.find("= ") - 2);
    };
    BOOST_TEST(call("cudaMemcpyToSymbol(h, p, 4)") ==
               "cudaMemcpyToSymbol(::cuset_host::no_symbol(h), p, 4)");
    BOOST_TEST(call("cudaGetSymbolSize(&n, h)") ==
               "cudaGetSymbolSize(&n, ::cuset_host::no_symbol(h))");
    for (const std::string words : {"cudaMemcpyToSymbol(d, h, 4)", "cudaMemcpyFromSymbol(h, d, 4)",
                                    "cudaMemcpyToSymbol(h[1], p, 4)", "cudaMemcpy(h, p, 4)"})
        BOOST_TEST(call(words) == words);
}

BOOST_AUTO_TEST_CASE(addresses_of_templates) {
    const std::string head = "template <class T> __global__ void k(T) {}\n";
    const auto value = [&](const std::string& words) {
        const std::string text = text_of(head + "void f() { p = " + words + "; }");
        const std::size_t at = text.find("p = ") + 4;
        return text.substr(at, text.rfind(';') - at);
    };
    const std::string made = "::cuset_host::registered(k<int>, \"k\")";
    BOOST_TEST(value("(void*)k<int>") == "(void*)" + made);
    BOOST_TEST(value("(const void *)k<int>") == "(const void *)" + made);
    BOOST_TEST(value("reinterpret_cast<void*>(k<int>)") == "reinterpret_cast<void*>(" + made + ")");
    BOOST_TEST(value("(void*)k<pair<int, 3>>") ==
               "(void*)::cuset_host::registered(k<pair<int, 3>>, \"k\")");
    BOOST_TEST(value("(void*)&k<int>") == "(void*)::cuset_host::registered(&k<int>, \"k\")");
    BOOST_TEST(value("k<int>") == "k<int>");
    BOOST_TEST(value("(void*)other<int>") == "(void*)other<int>");
    // Where it names one function without a type to choose it by.
    BOOST_TEST(value("cudaFuncGetAttributes(&a[f(1)], k<int>)") ==
               "cudaFuncGetAttributes(&a[f(1)], " + made + ")");
    BOOST_TEST(value("cudaOccupancyAny(k<int>, 1)") == "cudaOccupancyAny(" + made + ", 1)");
    BOOST_TEST(value("f(k<int>)") == "f(k<int>)");
    BOOST_TEST(value("1; const auto* q = k<int>") == "1; const auto* q = " + made);
    BOOST_TEST(value("1; auto& q = k<int>") == "1; auto& q = k<int>");
    BOOST_TEST(value("1; fn* q = k<int>") == "1; fn* q = k<int>");
}

BOOST_AUTO_TEST_CASE(bounds_of_instances) {
    const auto check = [](const std::string& head, const std::string& after = "") {
        const std::string text = text_of(head + " {}" + after);
        const std::size_t at = text.find("{") + 1;
        return text.substr(at, text.find('}') - at);
    };
    const auto returns = [](const std::string& words) {
        return " if (::cuset_host::exceeds_bounds<" + words + ">()) return;";
    };
    BOOST_TEST(check("template <int n> __global__ __launch_bounds__(n) void k()") ==
               returns("&k<n>, static_cast<unsigned>(n)"));
    BOOST_TEST(check("template <class T, int n = 3, class... R> __global__ __launch_bounds__(2 * "
                     "n) void k()") == returns("&k<T, n, R...>, static_cast<unsigned>(2 * n)"));
    BOOST_TEST(check("template <int, class T> __global__ __launch_bounds__(sizeof(T)) void k()") ==
               returns("static_cast<unsigned>(sizeof(T))"));
    BOOST_TEST(check("__global__ __launch_bounds__(8) void k()", " __global__ void k(int) {}") ==
               returns("static_cast<unsigned>(8)"));
    BOOST_TEST(check("template <class T> __global__ __launch_bounds__(B) void k()") == "");
    BOOST_TEST(check("__global__ __launch_bounds__(8) void k()") == "");
}

BOOST_AUTO_TEST_CASE(needs) {
    BOOST_TEST(needs_of("#define L(n) __launch_bounds__(n, 2)\n__global__ void L(B + 1) k() {}") ==
               "\"k\", B + 1, {}");
    BOOST_TEST(needs_of("__global__ void __cluster_dims__(2, N, 1) k() {}") ==
               "\"k\", 0, {}, dim3(2, N, 1)");
    BOOST_TEST(needs_of("__global__ void __cluster_dims__(4) __launch_bounds__(8) k() {}") ==
               "\"k\", 8, {}, dim3(4)");
    BOOST_TEST(needs_of("__global__ void __launch_bounds__(256, 2) k() {}") == "\"k\", 256, {}");
    BOOST_TEST(needs_of("__global__ void __launch_bounds__(B * (C, 2)) k() {}") ==
               "\"k\", B * (C, 2), {}");
    BOOST_TEST(needs_of("template <class T> __global__ __launch_bounds__(B) void k() {}") ==
               "\"k\", B, {}");
    BOOST_TEST(needs_of("template <int B> __global__ __launch_bounds__(B) void k() {}") == "");
    BOOST_TEST(needs_of("__global__ void __launch_bounds__(256) k();\n__global__ void k() {}") ==
               "");
    BOOST_TEST(needs_of("__global__ __launch_bounds__(8) void k() {}\n__global__ void k(int) {}") ==
               "");
    const auto uses = [](std::string_view statements, std::string_view device = "") {
        return needs_of(std::string(device) + "\n__global__ void k() { " + std::string(statements) +
                        " }");
    };
    BOOST_TEST(uses("__shared__ int a, b[3]; __shared__ float c; c = b[0] + a; f(c);") ==
               "\"k\", 0, {0, 1, 2}");
    // A variable that nobody reads does not count.
    for (const char* write : {"", "b[i] = a;", "b[i] += a;", "b[i]++;", "b.x[1].y = a;", "s.b;"})
        BOOST_TEST(
            uses("__shared__ int a, b[3]; " + std::string(write)) ==
            (std::string_view(write).find("= a") == std::string_view::npos ? "" : "\"k\", 0, {0}"));
    for (const char* read : {"x = b[i];", "x[b[i]]=3;", "x = b[i] + +y;", "b[i] == 3;",
                             "b[i] <= 3;", "f(b);", "f(&b[i]);"})
        BOOST_TEST(uses("__shared__ int b[3]; " + std::string(read)) == "\"k\", 0, {0}");
    BOOST_TEST(uses("extern __shared__ int a[]; f(a[0]);") == "");
    const std::string_view f = "__device__ void f() { __shared__ int a; f(a); }";
    BOOST_TEST(uses("f();", f) == "\"k\", 0, {0}");
    BOOST_TEST(uses("g();", std::string(f) + "\n__device__ void g() { f(); f(); g(); }") ==
               "\"k\", 0, {0}");
    BOOST_TEST(uses("", f) == "");
    BOOST_TEST(uses("x.f();", f) == "");
    BOOST_TEST(uses("f();", std::string(f) + "\n__device__ void f(int) {}") == "");
    BOOST_TEST(uses("if constexpr (A) { __shared__ int a; f(a); }") == "");
}

BOOST_AUTO_TEST_CASE(architecture) {
    BOOST_TEST(
        device("#if __CUDA_ARCH__ >= 700\n#elif defined(__CUDA_ARCH__) && !defined __CUDA_ARCH__"
               "\n#endif\n#ifdef __CUDA_ARCH__ // yes\n#else\n#endif\n#ifndef __CUDA_ARCH__\n"
               "#endif\n#ifdef OTHER\n#endif\nint a = __CUDA_ARCH__;") ==
        "#if 900 >= 700\n#elif 1 && !1\n#endif\n#if 1 // yes\n#else\n#endif\n#if 0\n#endif\n"
        "#ifdef OTHER\n#endif\nint a = 900;");
    BOOST_TEST(text_of("void f() {\n#ifdef __CUDA_ARCH__\n#endif\n}") ==
               "void f() {\n#ifdef __CUDA_ARCH__\n#endif\n}");
    BOOST_TEST(device("#if 0\n#if __CUDA_ARCH__\n#endif\n#endif") ==
               "#if 0\n#if __CUDA_ARCH__\n#endif\n#endif");
}

BOOST_AUTO_TEST_CASE(sides) {
    // A function of both sides has two bodies.
    BOOST_TEST(text_of("#define HD __host__ __device__\nHD int f() {\n#ifdef __CUDA_ARCH__\n"
                       "return 1;\n#else\nreturn rand();\n#endif\n}") ==
               "#define HD __host__ __device__\nHD int f() { if (::cuset_host::is_host_code()) {\n"
               "#if 0\nreturn 1;\n#else\nreturn rand();\n#endif\n}\n#line 2\n else {\n"
               "#if 1\nreturn 1;\n#else\nreturn rand();\n#endif\n} }");
    // Outside functions, what the device has gets another name.
    BOOST_TEST(
        text_of("#ifdef __CUDA_ARCH__\n#define S 1\n#else\n#define S 0\n#endif\n"
                "#define T S\n__device__ int f() { return S + T; }\nint g() { return S + T; }") ==
        "\n#define cuset_device_S 1\n\n#define S 0\n\n#define T S\n"
        "#define cuset_device_T cuset_device_S\n#line 7\n"
        "__device__ int f() { return cuset_device_S + cuset_device_T; }\n"
        "int g() { return S + T; }");
    BOOST_TEST(text_of("#if __CUDA_ARCH__\n__device__ int f() { return 1; }\n#else\n"
                       "int f() { return 0; }\n#endif\n__device__ int g() { return f(); }") ==
               "\n__device__ int cuset_device_f() { return 1; }\n\nint f() { return 0; }\n\n"
               "__device__ int g() { return cuset_device_f(); }");
    // Neither needs it, if one side alone has it or the host never calls it.
    BOOST_TEST(text_of("#if __CUDA_ARCH__ >= 800\n__device__ int f() { return 8; }\n#else\n"
                       "__device__ int f() { return 7; }\n#endif\n") ==
               "\n__device__ int f() { return 8; }\n\n\n\n");
    BOOST_TEST(text_of("#ifndef __CUDA_ARCH__\nint h() { return 0; }\n#endif\n") ==
               "\nint h() { return 0; }\n\n");
    for (const std::string_view type : {"struct S { int a; };", "using S = int;"}) {
        const std::string text = "#ifdef __CUDA_ARCH__\nstruct S { float b; };\n#else\n" +
                                 std::string(type) + "\n#endif\n__global__ void k(S s) {}";
        BOOST_TEST(translate_for_host(text).unsupported.value_or("") ==
                   "a type that differs by __CUDA_ARCH__ in line 2");
    }
    const std::string constant =
        "constexpr __host__ __device__ int f() {\n#ifdef __CUDA_ARCH__\nreturn 2;\n#else\nreturn "
        "1;\n#endif\n}\n__global__ void k(int* x) { ";
    BOOST_TEST(!translate_for_host(constant + "x[1] = f(); }").unsupported);
    BOOST_TEST(translate_for_host(constant + "int a[f()]; }").unsupported.value_or("") ==
               "a constexpr function that differs by __CUDA_ARCH__");
    // A lambda too.
    cuset::nvcc_dialect lambdas;
    lambdas.extended_lambda = true;
    const auto made = translate_for_host(
        "void f() { auto l = [] __host__ __device__ (int a) {\n#ifdef __CUDA_ARCH__\nreturn a;\n"
        "#else\nreturn rand();\n#endif\n}; }",
        lambdas);
    BOOST_TEST(!made.error.has_value());
    BOOST_TEST(made.text.find("is_host_code") != std::string::npos);
}

// Beside __CUDA_ARCH__ a condition may name what the command line or the headers give.
BOOST_AUTO_TEST_CASE(conditions_know_flags_and_the_version) {
    const auto has_device_text = [](std::string_view condition, cuset::nvcc_dialect dialect) {
        const std::string text =
            "#if __CUDA_ARCH__ && " + std::string(condition) + "\n__device__ int a;\n#endif\n";
        // Its lines go where the device reads it, and nothing changes where nobody does.
        return translate_for_host(text, dialect).text.find("#if") == std::string::npos;
    };
    cuset::nvcc_dialect flags;
    BOOST_TEST(!has_device_text("FAST", flags));
    flags.definitions = {"-DFAST", "-DWIDTH=4*2", "-I/x", "-DF(x)=x", "-DGONE", "-UGONE", "-D"};
    BOOST_TEST(has_device_text("FAST", flags));
    BOOST_TEST(has_device_text("defined FAST", flags));
    BOOST_TEST(has_device_text("WIDTH == 8", flags));
    BOOST_TEST(!has_device_text("WIDTH == 4", flags));
    BOOST_TEST(!has_device_text("defined(GONE)", flags));
    BOOST_TEST(has_device_text("CUDART_VERSION == 13000", flags));
    flags.cuda_version = "12.8";
    BOOST_TEST(!has_device_text("CUDART_VERSION == 13000", flags));
    BOOST_TEST(has_device_text("CUDART_VERSION == 12080 && CUDA_VERSION < 13000", flags));
    BOOST_TEST(has_device_text("__CUDACC_VER_MAJOR__ * 10 + __CUDACC_VER_MINOR__ == 128", flags));
}

// A .cpp file has no device code, and is checked and changed as host code alone.
BOOST_AUTO_TEST_CASE(host_sources) {
    cuset::nvcc_dialect dialect;
    dialect.is_host_source = true;
    const auto made = [&](std::string_view text) { return translate_for_host(text, dialect); };
    const std::string_view text = "__host__ __device__ inline int f(float x) { return int(x); }";
    BOOST_TEST(made(text).text == text);
    BOOST_TEST(made("void f(int* p) { std::sort(p, p + 9); }").text.find("of_host") !=
               std::string::npos);
    BOOST_REQUIRE(made("void k(int);\nvoid f() { k<<<1, 1>>>(2); }").error);
    BOOST_TEST(made("void k(int);\nvoid f() { k<<<1, 1>>>(2); }").error->line == 2);
    BOOST_REQUIRE(made("int cuset_host_x;").error);
    BOOST_TEST(made("int cuset_host_x;").error->is_ours);
}

BOOST_AUTO_TEST_CASE(architectures) {
    const auto text_for = [](std::string_view architecture) {
        return translate_for_host(
                   "__device__ int f() {\n#if __CUDA_ARCH__ < 900\n#endif\nreturn __CUDA_ARCH__; }",
                   {}, cuset::barrier_form::fibers, architecture)
            .text;
    };
    BOOST_TEST(text_for("sm_80") == "__device__ int f() {\n#if 800 < 900\n#endif\nreturn 800; }");
    BOOST_TEST(text_for("sm_86") == "__device__ int f() {\n#if 860 < 900\n#endif\nreturn 860; }");
    BOOST_TEST(text_for("sm_100") ==
               "__device__ int f() {\n#if 1000 < 900\n#endif\nreturn 1000; }");
    BOOST_TEST(cuset::cuda_arch_of(cuset::default_host_architecture()) == "900");
    BOOST_TEST(cuset::cuda_arch_of("sm_75") == "");
    BOOST_TEST(cuset::host_architectures() == "sm_80, sm_86, sm_89, sm_90, sm_100");
}

BOOST_AUTO_TEST_CASE(casts_by_which_an_access_may_be_misaligned) {
    const auto may = [](std::string_view text) { return translate_for_host(text).may_misalign; };
    for (const char* text :
         {"float4 v = *reinterpret_cast<const float4*>(p);", "x = ((float4*)p)[i];",
          "auto& v = reinterpret_cast<Vec<T, 4>&>(p[i]);", "return (const uint4 *)(s + i);",
          "#define F4(p) (reinterpret_cast<float4*>(&(p))[0])", "f((double*)&x[i]);",
          "h = *(half2 *)(x + 1);", "q = (unsigned long long*)p;", "k<<<1, 1>>>((float2*)d, n);"})
        BOOST_TEST(may(text), text);
    for (const char* text :
         {"cudaMalloc((void**)&p, n);", "float* h = (float*)malloc(n);",
          "double* h = (double*)malloc(n);", "y = (a) * b;", "f(float4* p);", "void f(float4 *);",
          "reinterpret_cast<unsigned char*>(p)", "(const unsigned int*)p", "sizeof(float4*)",
          "g(const float4* p, int n) { }", "reinterpret_cast<std::uint8_t*>(p)", "// (float4*)p\n",
          "(n * sizeof(float4)) + 1"})
        BOOST_TEST(!may(text), text);
}

BOOST_AUTO_TEST_CASE(shifts_of_device_code) {
    BOOST_TEST(device("y = x << n;") == "y = x << ::cuset_host::by_ptx << n;");
    BOOST_TEST(device("y = x + 1 >> (n & 31);") ==
               "y = x + 1 >> ::cuset_host::by_ptx >> (n & 31);");
    BOOST_TEST(device("y >>= n, z[2] <<= 40;") ==
               "y >>= ::cuset_host::by_ptx >>= n, z[2] <<= ::cuset_host::by_ptx <<= 40;");
    BOOST_TEST(device("a < n >> k;") == "a < n >> ::cuset_host::by_ptx >> k;");
    for (const char* same :
         {"x ^= x << 13; x ^= x >> 17u;", "a<b<c>> d;", "k<<<1, n>>>(x);", "p << \"text\";",
          "f<g<int>>(x);", "struct { int low : 3; } s; s.low <<= n;"})
        BOOST_TEST(device(same).find("by_ptx") == std::string::npos, same);
    BOOST_TEST(text_of("void f() { x << n; }") == "void f() { x << n; }");
    BOOST_TEST(text_of("__device__ void f(int (&a)[1 << N]) {}").find("by_ptx") ==
               std::string::npos);
}

BOOST_AUTO_TEST_CASE(casts_of_device_code) {
    const std::string to_int = "::cuset_host::cast_to<int>(";
    BOOST_TEST(device("y = (int)x[n].z * 2;") == "y = " + to_int + "x[n].z) * 2;");
    BOOST_TEST(device("y = -(int)-x(1, 2);") == "y = -" + to_int + "-x(1, 2));");
    BOOST_TEST(device("y = (float)(int)f<3>(x) < 2;") == "y = (float)" + to_int + "f<3>(x)) < 2;");
    BOOST_TEST(device("y = (int)(unsigned int)x;") ==
               "y = " + to_int + "::cuset_host::cast_to<unsigned int>(x));");
    BOOST_TEST(device("y = static_cast<int>(x);") == "y = " + to_int + "x);");
    BOOST_TEST(device("y = 2 + int(x + 1);") == "y = 2 + " + to_int + "x + 1);");
    BOOST_TEST(device("int i = 2 * 1.5f, j = 3;") == "int i = " + to_int + "2 * 1.5f), j = 3;");
    BOOST_TEST(device("float y; int i = y + 1;") == "float y; int i = " + to_int + "y + 1);");
    for (const char* same :
         {"y = (int)3;", "y = sizeof(int) - x;", "int (*f)(int);", "y = (float)x;", "int i = n;",
          "y = static_cast<float>(x);", "auto f = [](int) { return 1; };", "int x(1.5f);",
          "y = g<void(int)>(x);", "new int(x);", "float x; int i = threadIdx.x;"})
        BOOST_TEST(device(same).find("cast_to") == std::string::npos, same);
    BOOST_TEST(text_of("void f() { y = (int)x; }") == "void f() { y = (int)x; }");
    BOOST_TEST(text_of("template <class T> __device__ T f(float x) { return (T)x; }")
                   .find("cast_to<T>(x)") != std::string::npos);
    BOOST_TEST(
        text_of("#define SUM a + b\n__device__ int f() { return (int)SUM; }").find("cast_to") ==
        std::string::npos);
}

BOOST_AUTO_TEST_CASE(calls_whose_results_are_dropped) {
    const auto marked = [](const std::string& name) {
        return "::cuset_host::unchecked_call(\"" + name + "\"), " + name;
    };
    const std::string free = marked("cudaFree");
    BOOST_TEST(host("cudaFree(p);") == free + "(p);");
    BOOST_TEST(
        host("f(); if (x) cudaFree(p); else cudaFree(q); { cublasSscal(h, n, &a, x, 1); }") ==
        "f(); if (x) " + free + "(p); else " + free + "(q); { " + marked("cublasSscal") +
            "(h, n, &a, x, 1); }");
    for (const std::string line :
         {"const auto e = cudaFree(p);", "e = cudaFree(p);", "return cudaFree(p);",
          "if (cudaFree(p)) f();", "CHECK(cudaFree(p));", "x ? f() : cudaFree(p);",
          "cudaFree(p), cudaFree(q);", "cudaFree(p).f();", "o.cudaFree(p);", "n::cudaFree(p);",
          "cudaCheckErrors(p);", "cudaSafeCall(p);", "cudaGetLastError();", "cudagoes(p);",
          "cudaStream_t cudaFree(p);", "switch (i) { case 1: cudaFree(p); }"})
        BOOST_TEST(host(line) == line);
    // A macro need not be an expression.
    const std::string macro = "#define cudaFreeAll(p) do f(p); while (0)\n";
    BOOST_TEST(text_of(macro + "void f() { cudaFreeAll(p); }") ==
               macro + "void f() { cudaFreeAll(p); }");
    BOOST_TEST(device("cudaFree(x);") == "cudaFree(x);");
}

BOOST_AUTO_TEST_CASE(products_in_sums_of_host_code) {
    const std::string apart = "__attribute__((optimize(\"fp-contract=off\"))) ";
    const std::string body = "f(float a) { return a * a + a; }";
    const auto marked = [&](const std::string& head) { return text_of(head + body); };
    BOOST_TEST(marked("static float ") == apart + "static float " + body);
    BOOST_TEST(marked("template <class T> T ") == "template <class T> " + apart + "T " + body);
    BOOST_TEST(marked("extern \"C\" float ") == "extern \"C\" " + apart + "float " + body);
    BOOST_TEST(marked("[[nodiscard]] float ") == "[[nodiscard]] " + apart + "float " + body);
    for (const char* same : {"__device__ float ", "__host__ __device__ float ", "constexpr float ",
                             "#define F float "})
        BOOST_TEST(marked(same) == same + body, same);
    for (const char* same :
         {"float f(float a) { return a + a; }", "int f(int a) { return a * a + a; }"})
        BOOST_TEST(text_of(same) == same, same);
}

BOOST_AUTO_TEST_SUITE_END()
