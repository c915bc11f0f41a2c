// Names that a program may not have, wherever they are hidden.
#include "refuse/reserved_names.h"

#include <boost/test/unit_test.hpp>
#include <string>

#include "refuse/source_words.h"

using cuset::find_reserved_name;

namespace {

std::string refused(std::string_view program) {
    const auto found = find_reserved_name(program);
    if (found) BOOST_TEST(found->is_ours);
    return found ? std::to_string(found->line) + ": " + found->message : "";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(reserved_names)

BOOST_AUTO_TEST_CASE(words_of_a_text) {
    const auto words = cuset::source_words(
        "a\\\n b // c\n/* d\n*/ R\"x(e\\\nf)x\" \"\\x67\\150\\u0069\" 1'000 %:%: \\u006a<::>\n");
    std::string all;
    for (const auto& w : words) all += std::to_string(w.line) + w.text + '|';
    // A splice in a raw string is part of its text.
    BOOST_TEST(all == "1a|2b|4e\\\nf|5ghi|51'000|5##|5j|5[|5]|");
    for (const char* cut : {"\"", "'", "R\"", "R\"x(", "/*", "\\", "\\u", "\"\\", "#", "%:%"})
        cuset::source_words(cut);
}

BOOST_AUTO_TEST_CASE(names) {
    const std::string own = "' is a name of the evaluator's own";
    BOOST_TEST(refused("\nvoid f() { ::cuset_host::note(\"x\"); }") == "2: 'cuset_host" + own);
    BOOST_TEST(refused("extern int _ZN10cuset_host4failEv;") == "1: '_ZN10cuset_host4failEv" + own);
    BOOST_TEST(refused("char* e = getenv(\"CUSET_HOST_SEED\");") == "1: 'CUSET_HOST_SEED" + own);
    BOOST_TEST(refused("void __asan_on_error() {}") == "1: '__asan_on_error" + own);
    BOOST_TEST(refused("#include <sanitizer/asan_interface.h>") == "1: '<sanitizer/…>" + own);
    BOOST_TEST(refused("__attribute__((no_sanitize(\"address\"))) void f();") ==
               "1: 'no_sanitize" + own);
    for (const char* program :
         {"[[gnu::no_sanitize_address]] void f();", "#define N __no_sanitize_address__\n",
          "#if 0\ncuset_host\n#endif", "#define X(a) cuset_host::a\n", "int cuset_\\\nhost;",
          "int cuset\\u005fhost;", "int x asm(\"cuset_host_start\");", "asm(\"\\x63uset_host\");",
          "#pragma redefine_extname f cuset_host_start\n", "_Pragma(\"weak cuset_host_start\")",
          "auto s = R\"(cuset_host)\";", "#include <cuset_host/program.h>\n",
          "char __start_cuset_managed[1];", "void __sanitizer_set_death_callback(void (*)());",
          "ASAN_UNPOISON_MEMORY_REGION(p, 4);"})
        BOOST_TEST(refused(program) != "", program);
    for (const char* program :
         {"// cuset_host\n/* __asan_ */ int main() {}", "int cuset = 1, host = 2, asan = 3;",
          "int sanitizer = a < sanitizer, b;", "puts(\"sanitize the host\");",
          "int n, o_sanitize;"})
        BOOST_TEST(refused(program) == "", program);
}

BOOST_AUTO_TEST_CASE(attributes) {
    BOOST_TEST(refused("__attribute__((section(\".preinit_arra\" \"y\"))) void (*p)() = f;") ==
               "1: the attribute 'section' is not for programs that are judged");
    for (const char* program :
         {"[[gnu::ifunc(\"r\")]] void f();", "__attribute__((weak, alias(\"x\"))) void f();",
          "#define A __attribute__((__section__(\"x\")))\n", "__attribute((naked)) void f();",
          "__attribute__((weakref(\"x\"))) static void f();",
          "#define A __attri##bute__\nA((section(\"x\"))) int i;"})
        BOOST_TEST(refused(program) != "", program);
    for (const char* program :
         {"__attribute__((aligned(16))) float section[4];", "int section = 1, alias = section;",
          "void f(int naked) { g((alias), section(3)); }", "[[maybe_unused]] int alias;",
          "__attribute__((constructor)) void f() {}", "int x[3]; auto y = x[section[1]];"})
        BOOST_TEST(refused(program) == "", program);
}

BOOST_AUTO_TEST_CASE(pasted_names) {
    BOOST_TEST(refused("#define CAT(a, b) a##b\n\nCAT(cuset_, host)::note();") ==
               "1: '##' can put together 'cuset_host', a name of the evaluator's own");
    for (const char* program :
         {"#define C(a, b, c) a ## b ## c\nC(__as, an_poi, son_memory_region)(p, 1);",
          "#define C(a, b) a%:%:b\nC(no_, sanitize)",
          "#define C(a) _ZN10cuse##a\nC(t_host4failEv)();"})
        BOOST_TEST(refused(program) != "", program);
    // Names that CUDA programs do paste, next to their short names.
    BOOST_TEST(refused("#define KERNEL(name, T) __global__ void name##_kernel_##T(T* a, int n)\n"
                       "KERNEL(add, float) { int s = n, i, o, p, c, u, e, t, h; a[i] = s; }\n"
                       "__host__ void host(int x_, int asan, int report);") == "");
    BOOST_TEST(refused("int cuset_, host;") == "");  // nothing pastes
}

BOOST_AUTO_TEST_SUITE_END()
