// Which kernels become loops over the threads of a block, and the rewritten text of one.
// tests/host/model/rows.cu runs some.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>

#include "cuset/host/translation.h"

using cuset::barrier_form;
using cuset::translate_for_host;

namespace {

// The kernels of a program that get this form, as "k l ".
std::string rows(std::string_view program) {
    const auto made = translate_for_host(program, {}, barrier_form::split);
    BOOST_TEST(translate_for_host(program).rows.empty());
    BOOST_TEST(translate_for_host(program, {}, barrier_form::steps).rows.empty());
    BOOST_TEST(std::ranges::count(made.text, '\n') == std::ranges::count(program, '\n'));
    std::string names;
    for (const auto& k : made.rows) names += k.name + ' ';
    return names;
}

std::string of_body(std::string_view body, std::string_view before = "") {
    return rows(std::string(before) + "\n__global__ void k(float* x, int n) {\n" +
                std::string(body) + "\n}\n");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(row_kernels)

BOOST_AUTO_TEST_CASE(kernels_without_barriers) {
    BOOST_TEST(of_body("if (threadIdx.x < n) x[threadIdx.x] = 1;") == "k ");
    BOOST_TEST(of_body("for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(x + i, 1);") ==
               "k ");
    BOOST_TEST(of_body("#pragma unroll 4\nfor (int i = threadIdx.x; i < n; ++i) x[i] = 1;") ==
               "k ");
    BOOST_TEST(of_body("x[threadIdx.x] = f(n);", "__device__ float f(int n) { return n; }") ==
               "k ");
}

// A thread of a row cannot wait for another one.
BOOST_AUTO_TEST_CASE(loops_that_poll) {
    constexpr std::string_view store = "x[threadIdx.x] += 1;";
    const auto of_loop = [&](std::string_view head, std::string_view in_body = "") {
        const std::string work = '{' + std::string(in_body) + std::string(store) + '}';
        return of_body(std::string(head) + work, "__device__ int left;");
    };
    BOOST_TEST(of_loop("while (l.load() > 0)") == "");
    BOOST_TEST(of_loop("while (atomicAdd(&left, 0) > 0)") == "");
    BOOST_TEST(of_loop("while (atomicOr(&left, 0u) > 0)") == "");
    BOOST_TEST(of_loop("while (l.fetch_add(0, cuda::memory_order_acquire) > 0)") == "");
    BOOST_TEST(of_loop("while (atomicAnd(&left, ~0u) > 0)") == "");
    BOOST_TEST(of_loop("while (atomicMin(&left, INT_MAX) > 0)") == "");
    BOOST_TEST(of_loop("for (;;)", "if (__nv_atomic_load_n(&left, 0, 1)) break;") == "");
    BOOST_TEST(of_loop("while (true)", "const int v = l.load(); if (v & 1) continue;") == "");
    BOOST_TEST(of_loop("for (int v = __ldcg(&left); v > 0; v = __ldcg(&left))") == "");
    // These end by themselves: each turn changes the place, or takes another one.
    BOOST_TEST(of_loop("while (atomicAdd(&left, 1) < n)") == "k ");
    BOOST_TEST(of_loop("while (l.fetch_sub(1, cuda::memory_order_relaxed) > 0)") == "k ");
    BOOST_TEST(of_loop("while (atomicAnd(&left, mask) > 0)") == "k ");
    BOOST_TEST(of_loop("for (int i = 0; i < n; ++i)", "if (l.load() > i) continue;") == "k ");
    BOOST_TEST(of_loop("while (n > 0)", "n = __ldcg(&next[n]);") == "k ");
    BOOST_TEST(of_loop("while (true)", "int i = f(n); if (used[i].load()) break; ++n;") == "k ");
}

BOOST_AUTO_TEST_CASE(kernels_that_keep_their_form) {
    BOOST_TEST(of_body("x[0] = n;") == "");  // one thread is as any other
    BOOST_TEST(of_body("x[threadIdx.x] = 1; __syncthreads();") == "");
    BOOST_TEST(of_body("x[threadIdx.x] = __shfl_xor_sync(~0U, n, 1);") == "");
    BOOST_TEST(of_body("__shared__ int s[32]; s[threadIdx.x] = n; x[0] = s[0];") == "");
    BOOST_TEST(of_body("x[threadIdx.x] = f();", "__device__ int f() { return threadIdx.x; }") ==
               "");
    BOOST_TEST(of_body("x[threadIdx.x] = g();",
                       "__device__ int f() { return threadIdx.x; }\n"
                       "__device__ int g() { return f() + 1; }") == "");
    BOOST_TEST(of_body("x[threadIdx.x] = S()();",
                       "struct S { __device__ int operator()() { return threadIdx.x; } };") == "");
    BOOST_TEST(of_body("x[threadIdx.x] = ID;", "#define ID threadIdx.x") == "");
    BOOST_TEST(of_body("auto f = [&] { return threadIdx.x; }; x[f()] = 1;") == "");
    BOOST_TEST(of_body("printf(\"%u\", threadIdx.x);") == "");
    BOOST_TEST(of_body("int* p = new int[n]; x[threadIdx.x] = *p;") == "");
    BOOST_TEST(of_body("if (threadIdx.x > n) __trap();") == "");
    BOOST_TEST(of_body("assert(threadIdx.x < n);") == "");
    BOOST_TEST(of_body("#ifdef A\nx[threadIdx.x] = 1;\n#endif") == "");
    BOOST_TEST(of_body("volatile float* y = x; y[threadIdx.x] = 1;") == "");
    BOOST_TEST(rows("__global__ void c();\n"
                    "__global__ void k() { if (threadIdx.x == 0) c<<<1, 1>>>(); }") == "");
}

BOOST_AUTO_TEST_CASE(text_of_a_kernel) {
    const auto made = translate_for_host(
        "__global__ void k(int* x) {\n    x[threadIdx.x] = 1;\n}\n", {}, barrier_form::split);
    BOOST_TEST(made.text.find("__global__ void __attribute__((noinline)) k(int* x) { "
                              "static_cast<void>([](int* x) -> void {x[threadIdx.x] = 1; }); "
                              "::cuset_host::run_rows([=](const uint3 threadIdx, const uint3 "
                              "blockIdx, const dim3 blockDim, const dim3 gridDim) mutable -> void "
                              "{\n    x[threadIdx.x] = 1;\n}); }") == 0U);
    BOOST_REQUIRE(made.rows.size() == 1U);
    BOOST_TEST(made.rows[0].line == 1U);
    BOOST_TEST(made.rows[0].last_line == 3U);
    BOOST_TEST(made.rows[0].obstacle == "");
}

BOOST_AUTO_TEST_SUITE_END()
