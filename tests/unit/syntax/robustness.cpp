// For any bytes, spans are in bounds and the same each time, and time is linear in the length.
#include <boost/test/unit_test.hpp>
#include <functional>
#include <random>

#include "marked.h"

using cuset::code_span;
using cuset::kernel_extent;
using cuset::launch_extent;
using cuset::source_language;
using cuset::tag_options;

namespace {

std::vector<tag_options> all_options() {
    std::vector<tag_options> all;
    for (const auto kernel : {kernel_extent::body, kernel_extent::definition}) {
        for (const auto launch :
             {launch_extent::configuration, launch_extent::statement, launch_extent::setup}) {
            for (const auto lang :
                 {source_language::automatic, source_language::cuda, source_language::hip,
                  source_language::python, source_language::markdown}) {
                all.push_back({kernel, launch, lang});
            }
        }
    }
    return all;
}

void check_sane(const cuset::tagging& t, std::string_view text) {
    std::size_t before = 0;
    for (const code_span& s : t.spans) {
        BOOST_REQUIRE_LT(s.begin, s.end);
        BOOST_REQUIRE_LE(s.end, text.size());
        BOOST_REQUIRE_LE(before, s.begin);
        before = s.begin;
    }
}

#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t slower = 10;  // under the sanitizers
#else
constexpr std::size_t slower = 1;
#endif

// The beginnings of everything that may be cut off.
const std::string nasty = std::string(R"x(#include <hip/hip_runtime.h>
#define KERNEL extern "C" __global__ void
#define MAKE(n, op) \
    template <typename T> __global__ void n##_k(T* x) { x[0] op R"d(})d"; } /* }
*/
#ifdef A
__glo\
bal__ void __launch_bounds__(256, 2) a(int x = {}) {
#elif defined(B)
KERNEL b(float y) requires requires(T t) { t; } {
#else
template <> __global__ auto c<d<e<int>>>(int* p) -> decltype(p) {
#endif
    // it's } \
    still }
#if 0
    } ' " {
#if 1
#else
#endif
#else
    printf("}\"\n", '\'', '{', 1'000, u8R"({)", L"\
}");
#endif
    UNROLL(4) { x; }
}
int main() { { dim3 g(1), b{2}; int n = g.x;
    if (n > 1) for (;;) ns::a<int, (1 > 0)><<<dim3(n, [] { return 1; }()),
#if C
        b<c<d>>::e
#else
        sizeof(b<c<d<int>>>)
#endif
        >>>(x, ">>>"); else do { hipLaunchKernelGGL(HIP_KERNEL_NAME(k<a, b>), g, b, 0, 0); } while (0);
    if (cudaLaunchKernelEx(&cfg, (void*)k<T>, f(")")) != 0) switch (n) { case 1: (*fp)<<<1, 1>>>(); }
}}
)x") + "```python\nimport a\ns = (f'''__global__ void {k}(int* x) {{ y[{n:>3}]; }} ''' # }\n"
       "  'k<<<1, \\x31>>>(\"\\n\");' + R\"}\")\n~~~\n```\n- ~~~~cuda\n__global__ void q() { ~~~\n";

}  // namespace

BOOST_AUTO_TEST_SUITE(robustness)

BOOST_AUTO_TEST_CASE(every_prefix_and_suffix) {
    for (const tag_options& options : all_options()) {
        cuset::tagger tagger(options);
        const bool all =
            options.lang == source_language::automatic && options.kernel == kernel_extent::body;
        for (std::size_t i = 0; i <= nasty.size(); i += all ? 1 : 13) {
            const std::string_view prefix = std::string_view(nasty).substr(0, i);
            const std::string_view suffix = std::string_view(nasty).substr(i);
            check_sane(tagger.tag(prefix), prefix);
            check_sane(tagger.tag(suffix), suffix);
        }
    }
}

BOOST_AUTO_TEST_CASE(mutations) {
    std::mt19937 random(7);
    std::vector<cuset::tagger> taggers;
    for (const tag_options& options : all_options()) taggers.emplace_back(options);
    const std::string bytes = "{}()[]<>\"'`~#\\/*\n\r ;:,=?_aR0\0\xFF";
    for (std::size_t round = 0; round < 6000 / slower; ++round) {
        std::string text = nasty;
        for (int i = 0; i < 8; ++i) {
            const std::size_t at = random() % text.size();
            switch (random() % 3) {
                case 0: text[at] = bytes[random() % bytes.size()]; break;
                case 1: text.erase(at, 1 + random() % 20); break;
                case 2: text.insert(at, text.substr(random() % text.size(), random() % 40)); break;
            }
        }
        cuset::tagger& tagger = taggers[round % taggers.size()];
        const cuset::tagging first = tagger.tag(text);
        check_sane(first, text);
        if (round % 10 != 0) continue;
        const cuset::tagging second =
            cuset::tagger(all_options()[round % taggers.size()]).tag(text);
        BOOST_REQUIRE(first.spans == second.spans);
    }
}

// The number of kernels and launches is the same with all options; wider spans contain narrower
// ones.
BOOST_AUTO_TEST_CASE(options_widen) {
    const cuset::tagging narrow = cuset::tagger().tag(nasty);
    const cuset::tagging wide =
        cuset::tagger({kernel_extent::definition, launch_extent::statement}).tag(nasty);
    BOOST_REQUIRE_EQUAL(narrow.spans.size(), wide.spans.size());
    for (const code_span& n : narrow.spans) {
        bool contained = false;
        for (const code_span& w : wide.spans) {
            contained |=
                w.kind == n.kind && w.name == n.name && w.begin <= n.begin && n.end <= w.end;
        }
        BOOST_TEST(contained, n.name);
    }
}

// Enough copies of each that a quadratic step anywhere makes this test exceed ctest's limit.
BOOST_AUTO_TEST_CASE(hostile_repetition) {
    const std::size_t length = 500'000 / slower;
    for (const tag_options& options :
         {tag_options{}, tag_options{kernel_extent::definition, launch_extent::setup},
          tag_options{.lang = source_language::python},
          tag_options{.lang = source_language::markdown}}) {
        cuset::tagger tagger(options);
        for (const char* unit : {
                 "{",
                 "}",
                 "(",
                 ")",
                 "[",
                 "<",
                 ">",
                 "\"",
                 "'",
                 "\\",
                 "/",
                 "/*",
                 "*",
                 "#",
                 "`",
                 "\n",
                 "```\n",
                 "```a\n",
                 "~~~\n````\n",
                 "#if\n",
                 "#if 0\n",
                 "#if 1\n",
                 "#else\n",
                 "#endif\n",
                 "#if a\n{\n#endif\n",
                 "#if a\n}\n#else\n{\n#endif\n",
                 "#define a {\n",
                 "#define __global__\n",
                 "#define A __global__\nA ",
                 "__global__ ",
                 "__global__ void k(){",
                 "__global__ void k(){}",
                 "__global__ k(",
                 "__global__ k() ",
                 "<<<",
                 ">>>",
                 "<<< ",
                 "k<<<1,1>>>(x);",
                 "k<<<1,1>>>(",
                 "k<<<(",
                 "<<<(1 ",
                 "a<<<a<b>>> ",
                 "a<b>>>",
                 "a><<<1,1>>>",
                 "cudaLaunchKernel(",
                 "x cudaLaunchKernel(",
                 "] cudaLaunchKernel(",
                 "cudaLaunchKernel",
                 "int a=b;k<<<a,1>>>();",
                 "f'{",
                 "f'''{",
                 "f'{{",
                 "f\"{'",
                 "'''",
                 "'' ",
                 "R\"(",
                 "R\"a",
                 "u8R\"a(b)a\"",
                 "\\\n",
                 "\\ ",
                 "//\\\n",
                 "a?b:",
                 "x:",
                 "{;",
                 "([{",
                 "}])",
                 "([}",
                 "{(",
                 "(}",
                 "'\\",
                 "a\\\nb",
                 "- ",
                 "#if a\n__global__ void k() {\n#else\n",
                 "template <",
                 "\xFF",
                 "\xEF\xBB\xBF",
                 "1'",
                 ".",
             }) {
            std::string text;
            while (text.size() < length) text += unit;
            check_sane(tagger.tag(text), text);
            text = "__global__ void k() { k<<<1, 1>>>(x); " + text;
            check_sane(tagger.tag(text), text);
        }
        const std::string zeros(length, '\0');
        check_sane(tagger.tag(zeros), zeros);
    }
}

// The readings that the tagger tries for a fence, a quote or a line of Python.
BOOST_AUTO_TEST_CASE(hostile_readings) {
    const std::size_t length = 500'000 / slower;
    cuset::tagger tagger;
    for (const char* first : {"", "x y z w\n", "int x;\n", "import a\n"}) {
        for (const char* unit : {"a/* ",
                                 "/* ",
                                 "/*\n",
                                 "/*\n```\n*/\n",
                                 "R\"a(\n",
                                 "= R\"(\n",
                                 "\"\\\n",
                                 "= \"\\\"\\\n",
                                 "\"\"\"\n",
                                 "= \"\"\"(\"\"\"\n",
                                 "'''),\n",
                                 "#if 0\n",
                                 "#if 0\n/*\n",
                                 "// a\\\n",
                                 "b // a\\\n",
                                 "> a\n",
                                 "> __global__ void k() {}\n",
                                 "> a\n\n\n",
                                 "> >",
                                 ">>> a\n",
                                 "x = 1 # k<<<1,1>>>() ",
                                 "s = '# k<<<1,1>>>();' ",
                                 "<%",
                                 "%>",
                                 "%:",
                                 "  /*"}) {
            std::string text = first;
            while (text.size() < length) text += unit;
            check_sane(tagger.tag(text), text);
            text += "\n```\n";
            check_sane(tagger.tag(text), text);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
