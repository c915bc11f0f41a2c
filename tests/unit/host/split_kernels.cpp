// Which kernels run without stacks, the reason for the others, and the rewritten text of a kernel.
// tests/host/split.py checks that both forms compute the same.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>

#include "cuset/host/translation.h"

using cuset::barrier_form;
using cuset::translate_for_host;

namespace {

// The reason why the last kernel of a program is not split.
std::string obstacle(std::string_view program) {
    const auto made = translate_for_host(program, {}, barrier_form::split);
    const auto fibers = translate_for_host(program);
    BOOST_TEST(std::ranges::count(made.text, '\n') == std::ranges::count(program, '\n'));
    BOOST_TEST(fibers.kernels.empty());
    if (made.kernels.empty()) return "no kernel";
    const bool any =
        std::ranges::any_of(made.kernels, [](const auto& k) { return k.obstacle.empty(); });
    BOOST_TEST((made.text == fibers.text) == !any);
    return made.kernels.back().obstacle;
}

// The same for a kernel with this body, after some declarations.
std::string of_body(std::string_view body, std::string_view before = "",
                    std::string_view parameters = "float* x, int n") {
    return obstacle(std::string(before) + "\n__global__ void k(" + std::string(parameters) +
                    ") {\n" + std::string(body) + "\n}\n");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(split_kernels)

BOOST_AUTO_TEST_CASE(barriers) {
    BOOST_TEST(of_body("x[0] = 1;") == "no kernel");
    BOOST_TEST(of_body("__syncthreads();") == "");
    BOOST_TEST(of_body("if (n) { __syncthreads(); } else __syncthreads();") == "");
    BOOST_TEST(of_body("do __syncthreads(); while (--n);") == "");
    BOOST_TEST(of_body("(void)__syncthreads();") ==
               "a barrier that is no statement of its own in line 3");
    BOOST_TEST(of_body("__syncthreads(), n++;") ==
               "a barrier that is no statement of its own in line 3");
    BOOST_TEST(of_body("n ? __syncthreads() : __syncthreads();") ==
               "a barrier that is no statement of its own in line 3");
    BOOST_TEST(of_body("::__syncthreads();") ==
               "a barrier that is no statement of its own in line 3");
    BOOST_TEST(of_body("if constexpr (4 > 2) { __syncthreads(); }") ==
               "a barrier in if constexpr in line 3");
    BOOST_TEST(of_body("auto f = [&] { __syncthreads(); }; f();") == "a lambda in line 3");
    BOOST_TEST(of_body("for (int i : {1, 2}) __syncthreads();") ==
               "a barrier in a range-based for in line 3");
    BOOST_TEST(of_body("if (int i = n; i) __syncthreads();") ==
               "a declaration in a condition in line 3");
    BOOST_TEST(of_body("while (int i = n--) __syncthreads();") ==
               "a declaration in a condition in line 3");
    BOOST_TEST(of_body("x[0] = __syncthreads_count(n); __syncthreads();") ==
               "__syncthreads_count in line 3");
    BOOST_TEST(of_body("__syncthreads(); again: if (n--) goto again;") == "goto in line 3");
    BOOST_TEST(of_body("__syncthreads(); return (void)0;") == "a return with a value in line 3");
}

BOOST_AUTO_TEST_CASE(what_waits) {
    BOOST_TEST(of_body("__syncthreads(); __syncwarp();") == "__syncwarp in line 3");
    BOOST_TEST(of_body("__syncthreads(); x[0] = __shfl_sync(~0, n, 0);") ==
               "__shfl_sync in line 3");
    // Waits are found through functions, templates, macros and members, in any order, and in
    // namespaces.
    BOOST_TEST(of_body("__syncthreads(); f(n);", "__device__ void f(int) { __syncthreads(); }") ==
               "f in line 3");
    BOOST_TEST(of_body("__syncthreads(); f(n);", "__device__ void f(int) {}") == "");
    BOOST_TEST(of_body("__syncthreads(); f<1>(n);",
                       "template <int> __device__ void g(int); template <int I> __device__ void "
                       "f(int i) { g<I>(i); } template <int> __device__ void g(int) { "
                       "__any_sync(~0, 1); }") == "f in line 3");
    BOOST_TEST(of_body("__syncthreads(); WAIT;", "#define WAIT __syncthreads()") ==
               "WAIT in line 3");
    BOOST_TEST(of_body("__syncthreads(); TWICE(WAIT)",
                       "#define WAIT SYNC();\n#define SYNC __syncthreads\n#define TWICE(a) a a") ==
               "the macro TWICE");
    BOOST_TEST(of_body("__syncthreads(); s::f();",
                       "struct s { static __device__ void f() { __syncwarp(); } };") ==
               "f in line 3");
    BOOST_TEST(of_body("__syncthreads(); op(n);",
                       "struct s { __device__ void operator()(int) { __syncwarp(); } };",
                       "s op, int n") == "an operator or lambda waits for other threads");
    // A group of the whole block waits as __syncthreads() does; a group made from it does not.
    BOOST_TEST(of_body("auto b = cg::this_thread_block(); __syncthreads(); b.sync();",
                       "namespace cg = cooperative_groups;") == "");
    BOOST_TEST(of_body("auto b = cg::this_thread_block(); __syncthreads(); auto t = "
                       "cg::tiled_partition<32>(b); t.sync();",
                       "namespace cg = cooperative_groups;") == "cg in line 3");
    BOOST_TEST(of_body("__syncthreads(); g.sync();", "") == "sync in line 3");
    BOOST_TEST(of_body("__syncthreads();", "", "cooperative_groups::grid_group g") ==
               "cooperative_groups in line 2");
    // The words of another kernel have no effect.
    BOOST_TEST(of_body("__syncthreads();", "__global__ void w() { __syncwarp(); }") == "");
}

BOOST_AUTO_TEST_CASE(declarations) {
    BOOST_TEST(of_body("float& r = x[n]; __syncthreads(); r = 1;") ==
               "a reference that outlives a barrier in line 3");
    BOOST_TEST(of_body("__syncthreads(); float& r = x[n]; r = 1;") == "");
    BOOST_TEST(of_body("auto [a, b] = f(); __syncthreads();") ==
               "a declaration that cannot be read in line 3");
    BOOST_TEST(of_body("float (*p)[4] = 0; __syncthreads();") ==
               "a declaration that cannot be read in line 3");
    BOOST_TEST(of_body("struct s { int a; }; __syncthreads();") ==
               "a statement that may declare something in line 3");
    BOOST_TEST(of_body("__align__(16) float v[4]; __syncthreads();") ==
               "a statement that may declare something in line 3");
    BOOST_TEST(of_body("[[maybe_unused]] int a = 1; __syncthreads();") == "a lambda in line 3");
    BOOST_TEST(of_body("static int calls; __syncthreads();") == "a static variable in line 3");
    BOOST_TEST(of_body("volatile int v; __syncthreads();") == "volatile in line 3");
    BOOST_TEST(of_body("{ __shared__ int s; __syncthreads(); s = 1; }") ==
               "shared memory in an inner block in line 3");
    BOOST_TEST(of_body("const int m = f(); __shared__ int s[m]; __syncthreads();") ==
               "a declaration that depends on a variable in line 3");
    BOOST_TEST(of_body("x[N] = 1; constexpr int N = 4; __syncthreads();", "enum { N = 2 };") ==
               "N used before it is declared in line 3");
    BOOST_TEST(of_body("DECLARE(float, v); __syncthreads();", "#define DECLARE(t, v) t v") ==
               "the macro DECLARE");
    BOOST_TEST(of_body("CHECK(n) __syncthreads();", "#define CHECK(n) if (n) return;") ==
               "the macro CHECK");
    BOOST_TEST(of_body("int i = n; x[TWO] = 1; __syncthreads();", "#define TWO (2 * i)") ==
               "a macro that uses i");
    // A macro's parameters are no words of the body.
    BOOST_TEST(of_body("int i = n; x[AT(i, 2)] = 1; __syncthreads(); x[AT(2, i)] = 2;",
                       "#define AT(i, j) ((i) + 4 * (j))") == "");
    BOOST_TEST(of_body("int i = n; x[AT(2)] = 1; __syncthreads(); x[i] = 2;",
                       "#define AT(j) ((i) + 4 * (j))") == "a macro that uses i");
    BOOST_TEST(of_body("x[0] = v<float>[n]; __syncthreads();",
                       "template <typename T> __device__ T v[4];") == "");
    BOOST_TEST(of_body("#if DEBUG\n__syncthreads();\n#endif") == "a conditional in line 3");
    BOOST_TEST(of_body("#include \"body.inc\"\n__syncthreads();") ==
               "a directive: #include \"body.inc\"");
    BOOST_TEST(of_body("#pragma unroll\nfor (;;) __syncthreads();") == "");
    BOOST_TEST(of_body("__syncthreads();", "", "float (&x)[4]") ==
               "a parameter that cannot be read");
    BOOST_TEST(
        obstacle("__global__ void c();\n__global__ void k() { __syncthreads(); c<<<1, 1>>>(); }") ==
        "a launch in line 2");
    BOOST_TEST(obstacle("template <class... A>\n__global__ void k(A... a) { __syncthreads(); }") ==
               "a parameter that cannot be read");
    BOOST_TEST(obstacle("#define K(n) __global__ void n() { __syncthreads(); }\nK(a)\n") ==
               "a kernel in a macro");
}

// What the closure that runs one thread copies.
BOOST_AUTO_TEST_CASE(copied_parameters) {
    const auto copied = [](std::string_view parameters) {
        const std::string program =
            "__global__ void k(" + std::string(parameters) + ") { __syncthreads(); }\n";
        const std::string text = translate_for_host(program, {}, barrier_form::split).text;
        constexpr std::string_view opening = "cuset_thread = [&, blockIdx, blockDim, gridDim";
        const std::size_t at = text.find(opening);
        if (at == text.npos) return std::string("no closure");
        const std::size_t begin = at + opening.size();
        return text.substr(begin, text.find(']', begin) - begin);
    };
    BOOST_TEST(copied("const float* __restrict__ x, float* const y, int n") == ", x, y, n");
    BOOST_TEST(copied("float a[4][2], S<int, 3> b = {1, 2}, ns::T c, void* p") == ", a, b, c, p");
    BOOST_TEST(copied("unsigned int, const dim3, float*, struct S, float* __restrict__") == "");
    BOOST_TEST(copied("[[maybe_unused]] int n, int m [[maybe_unused]]") == ", n, m");
    BOOST_TEST(copied("int n\n#ifdef M\n, int m\n#endif\n") == "no closure");
    BOOST_TEST(copied("int n,\n#ifdef M\nint m,\n#endif\nint k") == "no closure");
}

BOOST_AUTO_TEST_CASE(texts) {
    const auto text = [](std::string_view body) {
        const std::string program =
            "__global__ void k(float* x, int n) {\n" + std::string(body) + "\n}";
        const std::string all = translate_for_host(program, {}, barrier_form::split).text;
        const std::size_t from = all.find('\n') + 1;
        return all.substr(from, all.rfind("\n}") - from);
    };
    BOOST_TEST(text("if (n) return; __syncthreads();") ==
               "if (n) return 0; { return 1; cuset_at_1:; }");
    // Values from the thread's place and constants are computed anew; values from memory are kept.
    // Names with another meaning stay.
    BOOST_TEST(text("int t = threadIdx.x, u = t * n; float v = x[u]; __syncthreads(); y.v = v;") ==
               "; ; cuset_3_v =  x[cuset_2_u]; { ::cuset_host::keep(cuset_f.cuset_3_v, cuset_3_v); "
               "return 1; cuset_at_1:; } y.v = cuset_3_v;");
    BOOST_TEST(text("for (int i = 0, j; i < n; i++)\n__syncthreads();")
                   .starts_with("for (cuset_1_i =  0, ::cuset_host::renew(cuset_2_j); cuset_1_i < "
                                "n; cuset_1_i++)\n{ "));
    // A division behind a guard is not moved before the guard.
    BOOST_TEST(text("if (n == 0) return; int d = 7 / n; __syncthreads(); x[d] = 1;")
                   .find("cuset_1_d =  7 / n;") != std::string::npos);
}

// The body also stands as written, on the line of the brace, for the compiler to refuse.
BOOST_AUTO_TEST_CASE(as_written) {
    const auto written = [](std::string_view body) {
        const std::string program = "__global__ void k(float* x, int n) " + std::string(body);
        const std::string all = translate_for_host(program, {}, barrier_form::split).text;
        const std::size_t from = all.find("static_cast<void>([]"), to = all.find(" });", from);
        BOOST_REQUIRE(from != all.npos);
        return std::string(all.substr(from + 20, to - from - 20));
    };
    BOOST_TEST(written("{ if (n && x) n <<= 1; // a\n__syncthreads(); }") ==
               "(float* x, int n) { if (n && x) n <<= 1; __syncthreads();");
    BOOST_TEST(written("{ __shared__ int s[4], t; __syncthreads(); s[1] = t; }") ==
               "(float* x, int n) {   int s[4], t; __syncthreads(); s[1] = t;");
    BOOST_TEST(written("{ extern __shared__ int s[]; __syncthreads(); s[1] = 2; }")
                   .starts_with("(float* x, int n) { struct { char cuset_head;    int s[]; }* "
                                "cuset_of_"));
    const auto made = translate_for_host("\n__global__ void k() {\n__syncthreads();\n}\n", {},
                                         barrier_form::split);
    BOOST_TEST(made.kernels.at(0).line == 2);
    BOOST_TEST(made.kernels.at(0).last_line == 4);
}

BOOST_AUTO_TEST_SUITE_END()
