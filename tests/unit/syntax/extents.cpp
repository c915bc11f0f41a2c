// The wider extents.
#include <boost/test/unit_test.hpp>

#include "marked.h"

using cuset::kernel_extent;
using cuset::launch_extent;
using cuset_test::check;

BOOST_AUTO_TEST_SUITE(extents)

BOOST_AUTO_TEST_CASE(definitions) {
    const cuset::tag_options options{.kernel = kernel_extent::definition};
    for (const char* source : {
             "int x; @k:k[__global__ void k() { }@] int y;",
             "int f() { } @k:k[static void __global__ k() { }@]",
             "#include <a>\n@k:k[template <typename T, int N = (1 > 0)>\n__global__ void k(T* x) { "
             "}@]",
             "@k:k[template <class A> template <class B>\n__global__ void s<A>::k(B b) { }@]",
             "@k:k[extern \"C\" __global__ void k() { }@]",
             "extern \"C\" { @k:k[__global__ void k() { }@] }",
             "int x;\n// c\n@k:k[[[maybe_unused]] alignas(4) __launch_bounds__(3) __global__ void "
             "k() { }@]",
             "class c { public: @k:k[friend __global__ void k() { }@] };",
             "@k:k[template <class T> requires requires(T t) { t; } __global__ void k(T) { }@]",
             "@k:k[template <class T = a{}> __global__ void k(T) { }@]",
             "#define DEFINE(n) @k:n[static __global__ void n() { }@] int x;",
             "#define DEFINE @k:n[__global__ void n() { }@] int x;",
             "#ifdef A\n@k:k[__global__ void k(int a) {\n#else\n@k:q[__global__ void q(float a) "
             "{\n#endif\n }@]@]",
             "int x;\n#ifdef A\n@k:k[static\n#endif\n__global__ void k() { }@]",
             "int x;\n#define A\n@k:k[__global__ void k() { }@]",
             "a\n```\n@k:k[__global__ void k() { }@]\n```\n",
         }) {
        check(source, options);
    }
}

BOOST_AUTO_TEST_CASE(statements) {
    const cuset::tag_options options{.launch = launch_extent::statement};
    for (const char* source : {
             "int main() { int x; @l:k[k<<<1, 1>>>(x);@] int y; }",
             "int main() { @l:k[ns::k<a, b><<<1, 1>>>(x, f({1, 2}));@] }",
             "int main() { @l:k[CHECK((ns::k<a, b><<<1, 1>>>(x)));@] }",
             "int main() { @l:k[cudaError_t e = cudaLaunchKernel(k, T{1}, b, args);@] return e; }",
             "int main() { @l:k[return cudaLaunchKernel(k, g, b, args);@] }",
             "int main() { if (x > 0) @l:k[k<<<1, 1>>>(x);@] else @l:q[q<<<1, 1>>>(x);@] }",
             "int main() { for (int i = 0; i < 3; ++i) @l:k[k<<<1, 1>>>(x);@] }",
             "int main() { for (auto x : y) { @l:k[k<<<1, 1>>>(x);@] } do @l:q[q<<<1, 1>>>(x);@] "
             "while (0); }",
             "int main() { @l:k[if (cudaLaunchKernel(k, g, b, args) != 0)@] { x; } }",
             "int main() { @l:k[if constexpr (cudaLaunchKernel(k, g, b, args) != 0)@] { x; } }",
             "int main() { @l:k[while (f(cudaLaunchKernel(k, g, b, args)))@] x; }",
             "int main() { switch (x) { case a::b: @l:k[k<<<1, 1>>>(x);@] break; default: "
             "@l:q[q<<<1, 1>>>(x);@] } }",
             "int main() { @l:k[@l:q[x ? k<<<1, 1>>>(x) : q<<<1, 1>>>(x);@]@] }",
             "int main() { auto f = [&](int n) mutable { @l:k[k<<<1, 1>>>(x);@] }; f(1); }",
             "int main() { dispatch(t, [&] { @l:k[k<<<1, 1>>>(x);@] return 1; }); }",
             "int main() { { } @l:f[(*f)<<<1, 1>>>(x);@] }",
             "int main() { @l:k[a = {cudaLaunchKernel(k, g, b, args), 2};@] }",
             "int main() { LOOP(i, n) @l:k[k<<<1, 1>>>(x);@] }",
             "int main() { (void)x; @l:k[(void)cudaLaunchKernel(k, g, b, args);@] }",
             "#define LAUNCH(k, ...) @l:k[k<<<1, 1>>>(__VA_ARGS__)@]\nint x;",
             "#define LAUNCH(k, ...) do { @l:k[k<<<1, 1>>>(__VA_ARGS__);@] check(); } while "
             "(0)\nint x;",
             "#define LAUNCH @l:k[k<<<1, 1>>>()@]\nint x;",
             "int main() {\n#ifdef A\n @l:k[k<<<1, 1>>>(x);@]\n#else\n @l:q[q<<<1, "
             "1>>>(x);@]\n#endif\n}",
             "int main() { @l:k[k<<<g,\n#ifdef A\n 1\n#else\n 2\n#endif\n>>>(x);@] y; }",
             // Branches that close brackets opened before them.
             "int main() { @l:k[f(a,\n#ifdef A\n b);\n#else\n k<<<1, 1>>>(x));@]\n#endif\n}",
             "int main() { @l:k[k<<<1, 1>>>(x)@] }",
             "int main() { @l:k[k<<<1, ",
             "int main() { @l:k[auto e = cudaLaunchKernel(k, ",
         }) {
        check(source, options);
    }
}

BOOST_AUTO_TEST_CASE(setups) {
    const cuset::tag_options options{.launch = launch_extent::setup};
    for (const char* source : {
             "int main() { float f = 1; @l:k[dim3 block(16, 16);@] @l:k[dim3 grid((n + 15) / "
             "16);@] @l:k[k<<<grid, block>>>(f);@] }",
             "int main() { @l:k[const int n = 3;@] int m = 4; @l:k[dim3 grid{n};@] g(); "
             "@l:k[k<<<grid, 1>>>(m);@] }",
             "@l:k[constexpr int threads = 256;@] int z; void f() { int threads2; } int main() { "
             "@l:k[k<<<1, threads>>>(z);@] }",
             "int main() { { dim3 grid(1); } @l:k[dim3 grid(2);@] { int q; @l:k[k<<<grid, "
             "1>>>(q);@] } dim3 late; }",
             "int main() { @l:k[dim3 g(1), b(2);@] @l:k[k<<<g, b>>>(x);@] @l:q[q<<<g, b>>>(x);@] }",
             "int main() { @l:k[auto b = size();@] @l:k[unsigned long const g = b * 2;@] float b2 "
             "= g; @l:k[k<<<g, 1>>>(x);@] }",
             "int main() { @l:k[dim3 g;@] @l:k[cudaLaunchKernel(k, g, 1, args);@] }",
             "int main() { @l:k[int n = 2;@] @l:k[cudaLaunchConfig_t cfg = {n};@] "
             "@l:k[cudaLaunchKernelEx(&cfg, k, x);@] }",
             "void f() { dim3 g(1);\n#ifdef A\n if (x) {\n#ifdef B\n 1; }\n#else\n 2; "
             "}\n#endif\n#else\n"
             " ;\n#endif\n}\nint main() { @l:k[k<<<g, 1>>>(x);@] }",
             "int main() { int n = 3; @l:k[int t = 64;@] @l:k[hipLaunchKernelGGL(k, dim3(2), "
             "dim3(t), 0, 0, x, n);@] }",
             "#define RUN(k) do { @l:k[int t = 256;@] @l:k[k<<<1, t>>>();@] } while (0)\n",
         }) {
        check(source, options);
    }
}

BOOST_AUTO_TEST_SUITE_END()
