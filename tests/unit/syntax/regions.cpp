// Code in Markdown and in Python, and the language that the text is in.
#include <boost/test/unit_test.hpp>

#include "marked.h"

using cuset::source_language;
using cuset_test::check;

namespace {

std::string_view lang_of(std::string_view text, source_language lang = source_language::automatic) {
    return cuset::tagger({.lang = lang}).tag(text).lang;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(regions)

BOOST_AUTO_TEST_CASE(fences) {
    for (const char* source : {
             "Use `__global__ void k() { }` so:\n```cuda\n__global__ void k() @k:k[{ "
             "}@]\n```\nthen k<<<1, 1>>>(x) it.\n",
             "~~~\n__global__ void k() @k:k[{ }@]\n~~~\n__global__ void q() { }\n",
             "a\n```cpp\n__global__ void k() @k:k[{ }@]\n```\nb\n```c++\nint main() { k@l:k[<<<1, "
             "1>>>@](); }\n```\n",
             "a\n```hip\nint main() { k@l:k[<<<1, 1>>>@](); }\n``` \t\nk<<<1, 1>>>()\n",
             // Longer fences, and marks of the other kind.
             "a\n````\n__global__ void k() @k:k[{ /*\n```\n*/ x; }@]\n````\nk<<<1, 1>>>()\n",
             "a\n```cu\n__global__ void k() @k:k[{ /*\n~~~\n*/ x; }@]\n`````\nk<<<1, 1>>>()\n",
             "a\n```cu\n__global__ void k() @k:k[{ /*\n```cu\n*/ x; }@]\n```\nk<<<1, 1>>>()\n",
             // Indented, in lists.
             "1. do\n   ```cuda\n   __global__ void k() @k:k[{\n   }@]\n   ```\n2. k<<<1, 1>>>()\n",
             "- ```cuda\n  __global__ void k() @k:k[{ }@]\n  ```\n  k<<<1, 1>>>()\n",
             "      ```cuda\n      __global__ void k() @k:k[{ }@]\n      ```\n k<<<1, 1>>>()\n",
             // A mark that is indented further than a closing fence may be.
             "a\n```cuda\n__global__ void k() @k:k[{ f(R\"(\n    ```\n)\"); }@]\n```\nk<<<1, "
             "1>>>()\n",
             // Not closed: code to the end.
             "a\n```cuda\n__global__ void k() @k:k[{ x;\n",
             "a\n```cuda\n__global__ void k() @k:k[{ x; }@]\n```\nb\n```cuda\nint main() { "
             "k@l:k[<<<1, ",
             // If the fence cuts a body, the body ends with the code.
             "a\n```cuda\n__global__ void k() @k:k[{ x;\n@]```\n}\n",
             // Inline code and short marks are no fences.
             "int x; // ```cuda``` `\n``\n__global__ void k() @k:k[{ }@]\n",
             // CRLF.
             "a\r\n```cuda\r\n__global__ void k() @k:k[{\r\n}@]\r\n```\r\nk<<<1, 1>>>()\r\n",
             // Other languages.
             "a\n```bash\ncat <<<x; k<<<1, 1>>>(x)\n```\n```text\nk@l:k[<<<1, 1>>>@](x)\n```\n",
             "a\n```sh\ncat > k.cu <<'E'\n__global__ void k() @k:k[{ }@]\nE\n```\n",
             "a\n```{.cuda .numberLines}\n__global__ void k() @k:k[{ }@]\n```\n",
             "a\n```CUDA:kernel.cu\n__global__ void k() @k:k[{ }@]\n```\n",
             // Markdown in Markdown.
             "a\n````markdown\nb k<<<1, 1>>>()\n```cuda\n__global__ void k() @k:k[{ }@]\n```\nc "
             "k<<<1, 1>>>()\n````\n",
             // The answer to a prompt that ended in an opening fence.
             "#include <a>\n__global__ void k() @k:k[{ }@]\n```\nNow k<<<1, 1>>>() "
             "it:\n```cuda\nint main() { k@l:k[<<<1, 1>>>@](); }\n```\n",
             "import torch\ns = '''__global__ void k() @k:k[{ }@]'''\n```\nNow k<<<1, 1>>>() it.\n",
             // Plain code with fences in its comments and strings.
             "#include <a>\n/*\n```\nusage\n```\n*/\n__global__ void k() @k:k[{ }@]\n",
             "const char* help = R\"(\n```cuda\nk<<<1, 1>>>();\n```\n)\";\n__global__ void k() "
             "@k:k[{ }@]\n",
             "// Doc:\nconst char* help = R\"(\n```\nk<<<1, 1>>>();\n)\";\n__global__ void k() "
             "@k:k[{ }@]\n",
             "import x\n\"\"\"\n```cuda\n```\n\"\"\"\ns = '''__global__ void k() @k:k[{ }@]'''\n",
         }) {
        check(source);
    }
}

// Plain code is recognised by any first line, with fences in its comments and strings.
BOOST_AUTO_TEST_CASE(fences_in_comments) {
    for (const std::string first : {
             "using namespace std;",
             "extern int x;",
             "__constant__ float c[16];",
             "__host__ int f();",
             "__shared__ int s[2];",
             "__managed__ int m;",
             "namespace a\n{",
             "enum E { A };",
             "enum E\n{\n  A,\n};",
             "float x = 1;",
             "unsigned n=3;",
             "size_t n;",
             "cudaStream_t s;",
             "} // namespace",
             "static_assert(true);",
             "[[maybe_unused]] int x;",
             "MACRO(x)",
             "union u { int x; };",
             "union u\n{ int x; };",
             "std::string s;",
             "asm(\"nop\");",
             "API void f();",
             "#define A",
             "// it's a \"quote",
             "char c = '\"', d = 1'000;",
             "a;",
             "\xEF\xBB\xBFint x;",
         }) {
        for (const std::string comment : {
                 "/* usage:\n```\nk<<<1,2>>>();\n```\n*/",
                 "/**\n * ```cuda\n * k<<<1,2>>>();\n * ```\n */",
                 "/* a */ /*\n```\n*/",
                 "int y; /* a\n~~~\nk<<<1,2>>>();\n~~~\n*/ int z;",
                 "const char* help = R\"(\n```cuda\nk<<<1, 1>>>();\n```\n)\";",
                 "f(u8R\"x(\n```\n)\" /* k<<<1, 1>>>(); )x\");",
                 "const char* help = \"a\\\n```\\\nk<<<1, 1>>>();\";",
                 "// a \\\n``` \\\nk<<<1, 1>>>();",
                 "#if 0\n# if A\n# endif\n```\nk<<<1,2>>>();\n```\n#endif",
                 "/*\n```\n*/\n/*\n```cuda\n*/",
             }) {
            const std::string code = first + "\n" + comment;
            check(code + "\n__global__ void k() @k:k[{ a; }@]\n");
            check(code + "\nvoid f() { k@l:k[<<<1, 1>>>@](); }\n" + comment);
            // The answer to a prompt that ended in an opening fence.
            check(code + "\n__global__ void k() @k:k[{ a; }@]\n```\nNow k<<<1, 1>>>().");
        }
    }
    for (const std::string first : {"print('x')", "os.environ['X']='1'", "assert x",
                                    "def f(x,\n      y):\n    return 1", "x += 1", "import a"}) {
        for (const std::string string :
             {"s = \"\"\"\n```\n# k\n```\n\"\"\"", "\"\"\"Doc\n```cuda\n\"\"\"",
              "f(r'''\n~~~\n/* it's\n```\n*/\n''')", "def g():\n    return '''\n```\n'''",
              "s = 'a\\\n```\\\n'"}) {
            check(first + "\n" + string + "\ns = '__global__ void k() @k:k[{ f(1); }@]'\n");
        }
    }
}

// Prose about comments and quotes opens none, so its fences count.
BOOST_AUTO_TEST_CASE(fences_after_prose) {
    for (const std::string prose : {
             "I don't know.",
             "It's \"x, isn't it",
             "Use /* to open a comment:",
             "C comments (/*) are here:",
             "Files in src/*.cu are:",
             "Files in `src/*` are:",
             "The marks `/*` and",
             "A \"/*\" opens one:",
             "See https://a.b/c \\",
             "Use triple quotes (\"\"\") or \"\"\":",
             "Use `'''` and `R\"(`:",
             "Use R\"( and",
             "# Title",
             "## Kernel",
             "**Kernel:**",
             "- item",
             "1. do",
             "Solution",
             "Launch it with k<<<1, 1>>>(x);",
             "Run the k<<<1, 1>>>();",
             "for example, use k<<<1, 1>>>() like this:",
             "with this approach the kernel is:",
             "Kernel = fast code",
         }) {
        check(prose + "\n```\n__global__ void k() @k:k[{ a; }@]\n```\nIt is k<<<1, 1>>>().\n");
        check(prose +
              "\n\n```cuda\n__global__ void k() @k:k[{ a; }@]\n```\nand k<<<1, 1>>>()\n```\nvoid "
              "f() { k@l:k[<<<1, 1>>>@](); }\n```\n");
        check(
            prose +
            "\n```cuda\n/* a */ __global__ void k() @k:k[{ R\"()\"; }@]\n```\nis k<<<1, 1>>>()\n");
        check(prose +
              "\n```py\n\"\"\"a\"\"\"; '''b'''; s = '__global__ void k() @k:k[{ }@]'\n```\nk<<<1, "
              "1>>>()\n");
    }
}

// The marks between the bytes of a span belong to it.
BOOST_AUTO_TEST_CASE(block_quotes) {
    for (
        const char* source : {
            "> ```cuda\n> __global__ void k() @k:k[{\n>   a;\n> }@]\n> ```\nk<<<1, 1>>>()\n",
            "So:\n\n> Use\n>\n> ```\n> __global__ void k()\n> @k:k[{\n>\n> #if 0\n> }\n> #endif\n> "
            "}@]\n> ```\n> k<<<1, 1>>>()\n\nand\n```\nint main() { k@l:k[<<<1,\n1>>>@](); }\n```\n",
            "> __global__ void k() @k:k[{\n>   a;\n> }@]\n> void f()\n> {\n>   k@l:k[<<<1,\n>     "
            "2\n> >>>@](x);\n> }\n",
            "So:\n\n> __global__ void k()\n> @k:k[{\n>   /* }\n> } */\n\n> // }\n> }@]\n\nor so.\n",
            "> __global__ void k() @k:k[{ a; }@]\n> k@l:k[<<<1, 1>>>@]();\n",
            "__global__ void k() @k:k[{ a; }@]\n> So it is.\n",
            "> __global__ void k(A<B> a) @k:k[{ a; }@]\n\n> So it is.\n",
            // Nested, in lists, without blanks, with CRLF.
            "> > __global__ void k()\n> > @k:k[{\n> > #define A }\n> >\n>\n> > }@]\n> so\n",
            ">> __global__ void k()\n>> @k:k[{\n>> #define A }\n>> }@]\n",
            "- so\n  > ```cuda\n  > __global__ void k() @k:k[{\n  > #define A }\n  > }@]\n  > ```\n"
            "k<<<1, 1>>>()\n",
            ">__global__ void k()\n>@k:k[{\n>#define A }\n>}@]\n",
            "> ```\r\n> __global__ void k() @k:k[{\r\n> }@]\r\n> ```\r\nk<<<1, 1>>>()\r\n",
            // Python, its prompts too.
            "> ```python\n> import a\n> s = '''\n> __global__ void k() @k:k[{\n> }@]\n> '''\n> "
            "```\n",
            ">>> import a\n>>> s = '__global__ void k() @k:k[{ }@]'\n",
            // Cut off.
            "> ```cuda\n> __global__ void k() @k:k[{\n>   a;\n@]> ",
            "> ```cuda\n> __global__ void k() @k:k[{\n>   a;@]",
            // Not quotes: lines of code that begin with `>`.
            "template <\n  class A\n> __global__ void k() @k:k[{\n  a\n>\n  b; }@]\n",
            "void f() {\n  k@l:k[<<<\n    1, a\n>>>@](x);\n  q<b<c\n>\n>@l:q[<<<1, 2>>>@]();\n}\n",
            "int x = a\n  >> b\n  >> c@l:c[<<<1, 1>>>@]();\n",
            "__global__ void k(A<B<C\n>\n> a) @k:k[{ k@l:k[<<<1, 1\n>>>@](); }@]\n",
        }) {
        check(source);
    }
    check("> ```cuda\n> __global__ void k() @k:k[{\n> }@]\n> ```\n",
          {.lang = source_language::markdown});
    check(
        "> @k:k[template <class T>\n> __global__ void k(T x) {\n>   a;\n> }@]\n> @l:k[k<<<1,\n>   "
        "2>>>(x);@]\n",
        {.kernel = cuset::kernel_extent::definition, .launch = cuset::launch_extent::statement});
}

// CUDA code whose first lines look like Python.
BOOST_AUTO_TEST_CASE(cpp_after_all) {
    for (const std::string first : {
             "for matrices of any size, use this:",
             "for x in y:",
             "with this approach the kernel is:",
             "with code:",
             "class of kernels:",
             "class k:",
             "Solution = fast kernel",
             "Kernel: x = y",
             "BLOCK = 256",
             "@brief x",
             "@brief",
             "import this",
             "from a import b",
             "assert x",
             "print(x)",
             "def k(x):",
         }) {
        check(first + "\n\n__global__ void k() @k:k[{ a; }@]\nvoid f() { k@l:k[<<<1,2>>>@](); }");
        check(first + "\nvoid f() { g(\"__global__ void q() { a; }\"); k@l:k[<<<1,2>>>@](); }");
        check("So:\n```\n" + first + "\n__global__ void k() @k:k[{ }@]\n```\n");
        check(first + "\nint main() { CHECK(@l:k[cudaLaunchKernel(k, 1, 1, 0, 0)@]); }\n");
    }
    for (const char* source : {
             // Code that is Python nevertheless.
             "import a\nx = 1 # k<<<1, 1>>>();\n",
             "import a\n\"\"\"\nLaunch as k<<<1, 1>>>(x).\n\"\"\"\n",
             "import a\n# k<<<1, 1>>>();\ns = '__global__ void k() @k:k[{ }@]'\n",
             "from cuda import cuda\ns = '__global__ void k() @k:k[{ }@]'\nerr, = "
             "cuda.cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, s, 0, 0)\n",
         }) {
        check(source);
    }
}

BOOST_AUTO_TEST_CASE(python) {
    for (const char* source : {
             "import torch\nsrc = \"\"\"\n__global__ void k(float* x) @k:k[{\n  x[0] = "
             "1;\n}@]\nvoid f() { k@l:k[<<<1, 1>>>@](x); }\n\"\"\"\n",
             "import cupy\nk = cupy.RawKernel(r'''extern \"C\" __global__ void k(float* x) @k:k[{ "
             "}@]''', 'k')\n",
             "import a\n# __global__ void k() { }\nx = 1 # '''\ns = '__global__ void k() @k:k[{ "
             "f(1); }@]'\n",
             "import a\ns = ('__global__ void k(int* x) @k:k[{'\n     \" x[0] = '1'; \"  # why }\n "
             "    R'}@]')\nt = '}'\n",
             "import a\ns = '__global__ void k(int* x) @k:k[{' + \\\n   ' x[0]; }@]' + '}'\n",
             "import a\ns = '__global__ void k() @k:k[{ x; @]'\nt = '}'\n",
             "import a\ns = '__global__ void k() @k:k[{ x; @]', '}'\n",
             // Escapes.
             "import a\ns = '__global__ void k()\\n@k:k[{\\n // }\\n f(\"\\\\n}\", \\'}\\'); "
             "}@]\\n }'\n",
             "import a\ns = '#define A {\\n__global__ void k() @k:k[{ }@]'\n",
             "import a\ns = '__global__ void k() @k:k[{ x; \\\n }@] }'\n",
             "import a\ns = '__global__ void k() @k:k[{ \\x7d@] } \\u007B'\n",
             "import a\ns = '''__global__ void k() @k:k[{ printf(\"}\\n\"); x; }@] }'''\n",
             "import a\ns = r'''__global__ void k() @k:k[{ printf(\"}\\n\\\"}\"); x; }@] }'''\n",
             "import a\ns = b'__global__ void k() @k:k[{ }@]'; t = Rb\"\"\"__global__ void q() "
             "@k:q[{ }@]\"\"\"\n",
             // f-strings: both bytes of a doubled brace belong to the span.
             "import a\ns = f'''__global__ void k() @k:k[{{ if (x) {{ y[{N}]; }} }}@] }}'''\n",
             "import a\ns = f'''__global__ void k_{dtype}_{cfg.n!r:>3}({T}* x) @k:k_dtype_n[{{ "
             "{body[\"}\"]} }}@]'''\n",
             "import a\ns = f'''void f() {{ {name}@l:name[<<<{g}, {b + 1}>>>@](x); }}'''\n",
             "import a\ns = F\"__global__ void k() @k:k[{{ {x[\"a\"]} }}@]\"; t = '}'\n",
             "import a\ns = f'''__global__ void k() @k:k[{ int x = 1; }@] }'''\n",
             // Templates that are filled in later.
             "import a\ns = '''__global__ void {name}({T}* x) @k:name[{{ x[{i}]; "
             "}}@]'''.format(name=1)\n",
             "import a\ns = '''__global__ void ${name}(int* x) @k:name[{ ${body} }@]'''\n",
             "import a\ns = '''__global__ void %s(int* x) @k:s[{ x[%d]; }@]''' % n\n",
             // Cut off.
             "import a\ns = '''__global__ void k() @k:k[{ x;\n",
             "import a\ns = '__global__ void k() @k:k[{ x;@]\nt = 1\n",
             "import a\ns = f'''__global__ void k() @k:k[{{ x; {",
             // Messages are no code.
             "import a\nprint(f'running k<<<{g}, {b}>>>')\n",
             "import a\nx = a<<3; __global__ = 1\n",
             // First lines that show Python.
             "#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n\"\"\"Doc.\"\"\"\ns = '__global__ "
             "void k() @k:k[{ }@]'\n",
             "from a import b\ns = '__global__ void k() @k:k[{ }@]'\n",
             "src = r'''\n__global__ void k() @k:k[{ }@]\n'''\n",
             "@jit\ndef f():\n    s = '__global__ void k() @k:k[{ }@]'\n",
             "So:\n```python\ns = '''__global__ void k() @k:k[{ }@]'''\n```\n__global__ void q() { "
             "}\n",
             "So:\n```\nimport a\ns = '''__global__ void k() @k:k[{ }@]'''\n```\n",
             "So:\n```python\n#include <a>\n__global__ void k() @k:k[{ }@]\n```\n",
             "So:\n```python\n%%cu\n__global__ void k() @k:k[{ }@]\n```\n",
             "So:\n```cpp\nimport torch\ns = '''__global__ void k() @k:k[{ }@]'''\n```\n",
         }) {
        check(source);
    }
}

BOOST_AUTO_TEST_CASE(forced_language) {
    const cuset::tag_options cuda{.lang = source_language::cuda};
    check("import a\n```\n__global__ void k() @k:k[{ }@]\n", cuda);
    check("'''\n```\n__global__ void k() @k:k[{ }@]\n'''\n", {.lang = source_language::hip});
    check("#include <a>\ns = '__global__ void k() @k:k[{ }@]'\n```\n__global__ void q() { }\n",
          {.lang = source_language::python});
    check("#include <a>\n__global__ void k() { }\n", {.lang = source_language::markdown});
    check("#include <a>\n```\n__global__ void k() @k:k[{ }@]\n",
          {.lang = source_language::markdown});
}

BOOST_AUTO_TEST_CASE(dialect) {
    BOOST_TEST(lang_of("") == "cuda");
    BOOST_TEST(lang_of("__global__ void k() { }") == "cuda");
    BOOST_TEST(lang_of("#include <hip/hip_runtime.h>\n__global__ void k() { }") == "hip");
    BOOST_TEST(lang_of("int main() { hipLaunchKernelGGL(k, 1, 1, 0, 0); }") == "hip");
    BOOST_TEST(lang_of("int main() { hipMalloc(&p, 1); } // cudaMalloc cudaFree") == "hip");
    BOOST_TEST(lang_of("int main() { cudaMalloc(&p, 1); cudaFree(p); hipFree(p); }") == "cuda");
    BOOST_TEST(lang_of("a\n```hip\nint main() { hipMalloc(&p, 1); }\n```\n") == "hip");
    BOOST_TEST(lang_of("#include <hip/hip_runtime.h>\n", source_language::cuda) == "cuda");
    BOOST_TEST(lang_of("#include <cuda.h>\n", source_language::hip) == "hip");
}

BOOST_AUTO_TEST_SUITE_END()
