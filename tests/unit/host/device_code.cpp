// Warps in step and inline PTX, as the translator writes them.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>

#include "cuset/host/translation.h"

using cuset::translate_for_host;

namespace {

std::string text_of(std::string_view program) { return translate_for_host(program).text; }

// The translation of a line in a kernel.
std::string device(std::string_view line) {
    const std::string all =
        text_of("__global__ void k(float* x, int n) {\n" + std::string(line) + "\n}");
    const std::size_t from = all.find('\n') + 1;
    return all.substr(from, all.rfind("\n}") - from);
}

}  // namespace

BOOST_AUTO_TEST_CASE(arrays_in_local_memory) {
    const auto counted = [](const std::string& line) {
        cuset::nvcc_dialect dialect;
        dialect.is_counted = true;
        const std::string head = "__global__ void k(float* x, int n) {\n";
        const std::string all = translate_for_host(head + line + "\n}", dialect).text;
        const std::size_t from = all.find('\n') + 1;
        return all.substr(from, all.rfind("\n}") - from);
    };
    const auto marked = [](const std::string& line, const std::string& words) {
        return line + " " + words;
    };
    for (const char* line :
         {"float a[64];", "unsigned long a[n][2] = {};", "ns::v<int, (2 > 1)> a[4];",
          "n = 1; float* a[9];", "float b = 1, *a[3];"})
        BOOST_TEST(counted(line) == marked(line, "CUSET_HOST_LOCAL_ARRAY(a)"));
    BOOST_TEST(counted("T a[4], c, b[5];") ==
               "T a[4], c, b[5]; CUSET_HOST_LOCAL_ARRAY(a) CUSET_HOST_LOCAL_ARRAY(b)");
    for (const char* line :
         {"a[3] = n;", "return a[3];", "const float a[4] = {1};", "static float a[4];",
          "struct s { float a[4]; };", "else b[2] = a[3];", "n = x[2] * x[3];", "delete a[3];",
          "f(a[3]);", "case a[3]:;", "typedef float a[3];", "float (*a)[3];",
          "for (; n < 3 && n > x[n]; ++n) {}", "auto b = f<int, T[3]>(n);"})
        BOOST_TEST(counted(line) == device(line));
    BOOST_TEST(device("float a[64];") == "float a[64];");
}

BOOST_AUTO_TEST_SUITE(warps_in_step)

namespace {

std::string stepped(std::string_view line) {
    const std::string all =
        translate_for_host("__device__ void f(int* x, int t) {\n" + std::string(line) + "\n}", {},
                           cuset::barrier_form::steps)
            .text;
    const std::size_t from = all.find('\n') + 1;
    return all.substr(from, all.rfind("\n}") - from);
}

}  // namespace

BOOST_AUTO_TEST_CASE(stores) {
    BOOST_TEST(stepped("x[t] += x[t + 1];") == "::cuset_host::in_step(24, x[t]) += x[t + 1];");
    BOOST_TEST(stepped("*x = t;") == "::cuset_host::in_step(24, *x) = t;");
    BOOST_TEST(stepped("old = atomicAdd(x, 1);") ==
               "::cuset_host::step(24), old = atomicAdd(x, 1), ::cuset_host::step(25);");
    for (const char* plain : {"int a = x[t];", "t = x[t];", "int* y = x;", "return x[t] = 1;"})
        BOOST_TEST(stepped(plain) == plain, plain);
    BOOST_TEST(stepped("while (x[0]);").starts_with("while (::cuset_host::step(24), x[0]);"));
    BOOST_TEST(stepped("if (t) { t = 1; } else { t = 2; }") ==
               "if (t) { t = 1; } else { t = 2; } ::cuset_host::step(57);");
    // Only what is asked for has them.
    BOOST_TEST(device("x[n] = 1;") == "x[n] = 1;");
}

BOOST_AUTO_TEST_CASE(volatile_memory) {
    const std::string text = text_of(
        "__device__ void f(volatile int* x) { x[0] = 1; }\n"
        "__device__ void g(int* x) { x[0] = 1; }\n"
        "void h(volatile int* x) { x[0] = 1; }");
    BOOST_TEST(std::ranges::count(text, '\n') == 2);
    BOOST_TEST(
        (text.find("in_step") != text.npos && text.find("in_step") == text.rfind("in_step")));
    BOOST_TEST(text.find("in_step") < text.find('\n'));
    // A loop that only waits, and one whose thread sleeps.
    for (const char* body : {"while (x.load() != 2) __nanosleep(50); x.store(3);",
                             "while (x.load() != 2); x.store(3);",
                             "while (x.load() != 2) { __threadfence(); } x.store(3);",
                             "for (;;) { if (x.load() == 2) break; __nanosleep(50); }"}) {
        const std::string waits =
            text_of(std::string("__device__ void f(flag& x) { ") + body + " }");
        BOOST_TEST(waits.find("::cuset_host::step(") != waits.npos, body);
    }
    const std::string works =
        text_of("__device__ void f(flag& x) { while (x.load() != 2) x.store(3); }");
    BOOST_TEST(works.find("step(") == works.npos);
}

BOOST_AUTO_TEST_CASE(loops_that_wait) {
    const auto has_steps = [](const std::string& body) {
        return text_of(
                   "__device__ int read(const int* p) { int v; asm volatile(\"ld.acquire.gpu.s32 "
                   "%0, [%1];\" : \"=r\"(v) : \"l\"(p) : \"memory\"); return v; }\n"
                   "__device__ int peek(int* p) { return *(volatile int*)p; }\n"
                   "__device__ cuda::atomic<int, cuda::thread_scope_device> ready[4], state;\n"
                   "using counter = cuda::atomic<int>; __device__ counter count;\n"
                   "__device__ void f(int* x, int* y, int n, int i) { " +
                   body + " }")
                   .find("step(") != std::string::npos;
    };
    for (const char* body :
         {"while (read(x) < n) {}", "while (peek(x) < n);", "int v; do v = read(x); while (v < n);",
          "int v; do { v = atomicAdd(x, 0); } while (v < n);", "while (ready[i] < n) {}",
          "while (count != n) {}", "for (;;) { if (atomicAdd(x, 0) >= n) break; }",
          "for (; atomicAdd(x, 0) < n;);",
          "bool done = false; while (!done) { done = atomicCAS(x, 0, 1) == 0; }",
          "while (true) { int v = state.load(); if (v > n) { break; } }",
          "int v; do { asm volatile(\"ld.relaxed.gpu.s32 %0, [%1];\" : \"=r\"(v) : \"l\"(x)); } "
          "while (v != n);",
          "for (int k = state; k < n; k = state) {}",
          "int v = 0; do { v = __ldcg(x); } while (v != n);",
          "int tries = 0; while (atomicExch(x, 1)) { if (++tries > n) __trap(); }"})
        BOOST_TEST(has_steps(body), body);
    // What works, looks at one place after another, or tries again with what it has seen.
    for (const char* body :
         {"int a, b = x[0]; do { a = b; b = atomicCAS(x, a, a + 1); } while (a != b);",
          "while (i < n) { atomicAdd(x, 1); ++i; }", "do { y[i] = atomicAdd(x, 1); } while (n--);",
          "int p = i, g; while (p != n) { g = atomicAdd(&x[p], 0); p = g; }",
          "for (;;) { if (atomicCAS(&x[i], 0, n) == 0) break; i = (i + 1) & 7; }",
          "for (int k = 0; k < n; ++k) i += y[k];", "while (i < n) { y[i] = 1; i = read(x); }",
          "for (int k = 0; k < n; ++k) i = __ldcg(x + k);"})
        BOOST_TEST(!has_steps(body), body);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(inline_ptx)

BOOST_AUTO_TEST_CASE(statements) {
    const std::string made = device("asm volatile(\"add.u32 %0, %1, 3;\" : \"=r\"(n) : \"r\"(n));");
    BOOST_TEST(made ==
               "do { [[maybe_unused]] ::cuset_host::ptx::word cuset_none = 0; "
               "::cuset_host::ptx::word cuset_r0 = 0; ::cuset_host::ptx::word cuset_r1 = "
               "::cuset_host::ptx::taken<'r'>(n); cuset_r0 = "
               "::cuset_host::ptx::add<std::uint32_t>(cuset_r1, ::cuset_host::ptx::word(3LL));  "
               "::cuset_host::ptx::give(cuset_r0, n); } while (false);");
    const std::string several = text_of(
        "__global__ void k(int n) {\nasm(\"add.s32 %0, %0, 1;\\n\\t\"\n\"neg.s32 %0, %0;\"\n: "
        "\"+r\"(n));\n}");
    BOOST_TEST(std::ranges::count(several, '\n') == 4);
    // Text without instructions is a barrier for the compiler.
    BOOST_TEST(device("asm volatile(\"\" ::: \"memory\");") ==
               "asm volatile(\"\" ::: \"memory\");");
}

BOOST_AUTO_TEST_CASE(what_is_missing) {
    const auto missing = [](std::string_view text) {
        return translate_for_host("__global__ void k(int n) { asm(" + std::string(text) + "); }")
            .unsupported.value_or("");
    };
    BOOST_TEST(missing("\"wgmma.fence.sync.aligned;\"") == "inline PTX: wgmma.fence.sync.aligned");
    BOOST_TEST(missing("\"add.rz.f32 %0, %0, %0;\" : \"+f\"(x)") == "inline PTX: add.rz.f32");
    BOOST_TEST(missing("\"mov.u32 %0, %%pm0;\" : \"=r\"(x)") == "inline PTX: %pm0");
    BOOST_TEST(missing("\"loop: bra loop;\"") == "");
    BOOST_TEST(missing("\"{ .reg .pred p; W_%=: @p bra E_%=; bra.uni W_%=; E_%=: }\"") == "");
    BOOST_TEST(missing("\"mbarrier.arrive.shared::cluster.b64 _, [%0];\" :: \"r\"(n)") == "");
    BOOST_TEST(missing("\"bra nowhere;\"") == "inline PTX: nowhere");
    BOOST_TEST(missing("\"$a: bra $a;\"") == "");
    BOOST_TEST(missing("\"cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0], [%1];\"") ==
               "inline PTX: cp.async.bulk.tensor.2d.global.shared::cta.bulk_group");
    BOOST_TEST(missing("\"mov.u32 %0, %3;\" : \"=r\"(x)") == "inline PTX: %3");
    BOOST_TEST(missing("\"mov.u32 %0, %%tid.x;\" : \"=r\"(x)") == "");
}

BOOST_AUTO_TEST_SUITE_END()
