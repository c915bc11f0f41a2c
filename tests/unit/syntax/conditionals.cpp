// Conditionals that split the code around them.
#include <boost/test/unit_test.hpp>

#include "marked.h"

using cuset_test::check;

BOOST_AUTO_TEST_SUITE(conditionals)

BOOST_AUTO_TEST_CASE(split_bodies) {
    for (const char* source : {
             // Both branches open the same brace.
             "__global__ void k() @k:k[{\n#ifdef A\n if (x) {\n#else\n if (y) {\n#endif\n z; "
             "}\n}@]\nint f() { }",
             "__global__ void k() @k:k[{\n#if A\n{\n#elif B\n{\n#else\n{\n#endif\n }\n}@]\nint f() "
             "{ }",
             // One branch opens a brace, and one with the same condition closes it.
             "__global__ void k() @k:k[{\n#ifdef A\n if (x) {\n#endif\n z;\n#ifdef A\n "
             "}\n#endif\n}@]\nint f() { }",
             "__global__ void k() @k:k[{\n#if defined(A)\n{\n#endif\n z;\n#ifdef A\n "
             "}\n#endif\n}@]\nint f() { }",
             "__global__ void k() @k:k[{\n#ifndef A\n#else\n{\n#endif\n z;\n#if !defined "
             "A\n#else\n }\n#endif\n}@]\nint f() { }",
             "__global__ void k() @k:k[{\n#if A > 2\n{\n#endif\n z;\n#if A>2 // same\n "
             "}\n#endif\n}@]\nint f() { }",
             // Closed in each branch.
             "__global__ void k() @k:k[{\n#ifdef A\n x; }\n#else\n y; }@]\n#endif\nint f() { }",
             "__global__ void k() @k:k[{\n#ifdef A\n x; }\n#endif\n#ifndef A\n y; }@]\n#endif\nint "
             "f() { }",
             // If the ends differ, the last counts.
             "__global__ void k() @k:k[{\n#ifdef A\n x; }\n#else\n y;\n#endif\n z; }@] int f() { }",
             // Balanced ones, nested.
             "__global__ void k() @k:k[{\n#ifdef A\n{ x;\n#if B\n { }\n#else\n { } { }\n#endif\n "
             "}\n#endif\n}@] int f() { }",
             // A conditional whose configurations never agree must not take in the next kernel.
             "__global__ void k() @k:k[{\n#ifdef A\n if (x) {\n#endif\n z;\n#ifdef B\n "
             "}\n#endif\n}@]\n"
             "__global__ void q() @k:q[{ }@]\nint f() { }",
             "namespace n {\n__global__ void k() @k:k[{\n#ifdef A\n if (x) {\n#endif\n z;\n#ifdef "
             "B\n }\n"
             "#endif\n}@]\n__global__ void q() @k:q[{ }@]\n}\nint f() { }",
             // `#if 1` with a brace.
             "__global__ void k() @k:k[{\n#if 1\n if (x) {\n#else\n if (y) {{{\n#endif\n z; "
             "}\n}@]\nint f() { }",
             // Conditionals inside an outer one.
             "#ifdef M\n__global__ void k() @k:k[{\n#ifdef "
             "A\n{\n#else\n{\n#endif\n}}@]\n#else\nint f() { }\n#endif\n",
             "#ifdef M\n__global__ void k() @k:k[{\n#ifdef M\n{\n#endif\n}}@]\n#endif\nint f() { } "
             "}",
             "#ifdef A\nnamespace a {\n#endif\n__global__ void k() @k:k[{ x; }@]\n#ifdef "
             "A\n}\n#endif\n",
         }) {
        check(source);
    }
}

BOOST_AUTO_TEST_CASE(split_heads) {
    for (const char* source : {
             "#ifdef A\n__global__ void k(int a) @k:k[{\n#else\n__global__ void q(float a) "
             "@k:q[{\n#endif\n x; }@]@]\nint f() { }",
             "#ifdef A\n__global__ void k(int a)\n#else\n__global__ void q(float "
             "a)\n#endif\n@k:k[@k:q[{ x; }@]@]\nint f() { }",
             "#ifdef A\n__global__ void k(int a)\n#elif B\n__global__ void k(short "
             "a)\n#else\n__global__ void k(float a)\n#endif\n"
             "@k:k[@k:k[@k:k[{ x; }@]@]@]\nint f() { }",
             "__global__ void k(int a\n#ifdef A\n, int b\n#endif\n) @k:k[{ x; }@]\nint f() { }",
             "__global__ void\n#ifdef A\n__launch_bounds__(256)\n#endif\nk(int a) @k:k[{ x; "
             "}@]\nint f() { }",
             "__global__ void k(int a)\n#ifdef A\n@k:k[{ x; }\n#else\n{ y; }@]\n#endif\nint f() { "
             "}",
             "__global__ void k(int a)\n#ifdef A\n;\n#else\n@k:k[{ y; }@]\n#endif\nint f() { }",
             "#ifdef A\n__global__ void k(int a);\n#else\nvoid k(int a) { }\n#endif\nint f() { }",
             "#ifdef A\n__global__\n#endif\nvoid k(int a) @k:k[{ }@] int f() { }",
         }) {
        check(source);
    }
}

BOOST_AUTO_TEST_CASE(split_launches) {
    for (const char* source : {
             "void f() { k@l:k[<<<g,\n#ifdef A\n 128\n#else\n 256\n#endif\n>>>@](x); }",
             "void f() {\n#ifdef A\n k@l:k[<<<g, b,\n#else\n k@l:k[<<<g, c,\n#endif\n s>>>@]@](x); "
             "}",
             "void f() { k@l:k[<<<g,\n#ifdef A\n a>>>(x);\n#else\n b>>>@](y);\n#endif\n }",
             "void f() {\n#if A\n k@l:k[<<<1, 1>>>@](x);\n#else\n @l:k[hipLaunchKernelGGL(k, 1, 1, "
             "0, 0, x)@];\n#endif\n }",
             "void f() { @l:k[cudaLaunchKernel(k,\n#ifdef A\n g, b);\n#else\n g, c)@];\n#endif\n }",
             "void f() { k@l:k[<<<g, f(1\n#ifdef A\n ,2\n#endif\n)>>>@](x); }",
         }) {
        check(source);
    }
}

BOOST_AUTO_TEST_SUITE_END()
