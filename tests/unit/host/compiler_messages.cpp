// The messages of compilers as a kind of failure and one line.
#include "cuset/host/build/compiler_messages.h"

#include <boost/test/unit_test.hpp>

using namespace cuset;

BOOST_AUTO_TEST_SUITE(diagnostics)

BOOST_AUTO_TEST_CASE(of_the_assembler) {
    BOOST_TEST(first_diagnostic("/tmp/cc4HT3xa.s: Assembler messages:\n"
                                "/tmp/cc4HT3xa.s:12: Warning: odd\n"
                                "/tmp/cc4HT3xa.s:13: Error: no such instruction: `foo'\n") ==
               "program.s:13: Error: no such instruction: `foo'");
    BOOST_TEST(first_diagnostic("program.cu: Assembler messages:\n"
                                "program.cu:2: Error: no such instruction: `foo'\n") ==
               "program.cu:2: Error: no such instruction: `foo'");
    BOOST_TEST(!failed_to_link("/tmp/cc4HT3xa.s:13: Error: junk\n"));
}

BOOST_AUTO_TEST_CASE(names_are_the_same_in_each_run) {
    BOOST_TEST(first_diagnostic("/usr/bin/ld: /tmp/ccAb12Zz.o: in function `main':\n"
                                "x: undefined reference to `f()'\n") ==
               "x: undefined reference to `f()'");
    BOOST_TEST(
        first_diagnostic("/tmp/tmpxft_00000b1c_00000000-11_program.o: undefined reference") ==
        "program.o: undefined reference");
    BOOST_TEST(first_diagnostic("ptxas /tmp/tmpxft_0a_00-6_program.ptx, line 20; error   : no") ==
               "ptxas program.ptx, line 20; error   : no");
    BOOST_TEST(first_diagnostic("error: /tmp/tmpxft_0_0-6_") == "error: ");
    // These messages are not the compiler's.
    for (const char* text :
         {"error: /tmp/cc4HT3x.s", "error: /tmp/cc4HT3xab.s", "error: /tmp/cc4HT3xa",
          "error: /tmp/cc", "error: /tmp/tmpxft_zz", "error: /tmp/tmpxft_0_0-6",
          "error: /tmp/tmpxft_0_0-_p", "error: /home/cc4HT3xa.s"})
        BOOST_TEST(first_diagnostic(text) == text);
}

BOOST_AUTO_TEST_CASE(a_long_line_is_cut_between_characters) {
    const std::string line = "error: " + std::string(292, 'x');
    BOOST_TEST(first_diagnostic(line + "\u2018name\u2019") == line);
}

BOOST_AUTO_TEST_CASE(what_ran_out) {
    BOOST_TEST(ran_out("g++: fatal error: Killed signal terminated program cc1plus\n"));
    BOOST_TEST(ran_out("x\n/usr/bin/ld: final link failed: No space left on device\n"));
    BOOST_TEST(
        wrote_too_much("collect2: fatal error: ld terminated with signal 25 "
                       "[File size limit exceeded]\n"));
    BOOST_TEST(!wrote_too_much("program.cu(3): error: expected a ;\n"));
    // A line of the program that a compiler quotes says nothing of the compiler.
    const char* quoted =
        "program.cu(3): error: expected a \";\"\n"
        "      printf(\"out of memory\") printf(\"File size limit exceeded\")\n"
        "    3 |\tputs(\"Cannot allocate memory\")\n";
    BOOST_TEST((!ran_out(quoted) && !wrote_too_much(quoted)));
    BOOST_TEST(!failed_to_link(quoted));
    BOOST_TEST(ran_out("program.cu(5): catastrophic error: out of memory\n"));
    for (const char* line :
         {"program.cu:24:1: fatal error: error writing to /tmp/ccX.s: No space left on device",
          "program.cu:3:1: fatal error: Cannot allocate memory",
          "cc1plus: out of memory allocating 65536 bytes after a total of 1 bytes",
          "virtual memory exhausted: Cannot allocate memory",
          "x.h(3): catastrophic error: error while writing generated C file: No space left on "
          "device",
          "x.h(3) (col. 5): catastrophic error: out of memory",
          "/tmp/ccX.s: Fatal error: can't write 5 bytes to section .text: 'No space left on "
          "device'"})
        BOOST_TEST(ran_out(line), line);
}

BOOST_AUTO_TEST_CASE(words_of_the_program_decide_nothing) {
    for (const std::string& words : std::initializer_list<std::string>{
             "out of memory", "Cannot allocate memory", "No space left on device",
             "File size limit exceeded", "undefined reference to `f'", "multiple definition of `f'",
             "ld returned 1 exit status"})
        for (const std::string& line : std::initializer_list<std::string>{
                 "program.cu:1:2: error: #error " + words,
                 "program.cu(1): error: #error directive: " + words,
                 "program.cu:2:2: warning: #warning " + words + " [-Wcpp]",
                 "program.cu:3:9: note: \u2018#pragma message: " + words + "\u2019",
                 "program.cu:3:9: note: \u2018#pragma message: x:1: fatal error: " + words,
                 "program.cu(5): warning #1444-D: function \"f\" was declared deprecated (\"" +
                     words + "\")",
                 "program.cu:2: Error: no such instruction: `" + words + "'",
                 "program.cu:1:10: fatal error: " + words + ": File name too long",
                 "program.cu:4:15: error: static assertion failed: " + words,
                 "program.cu(4): error: static assertion failed with \"" + words + '"',
                 "program.cu:1:10: fatal error: " + words + ": No such file or directory",
                 "program.cu(1): catastrophic error: cannot open source file \"" + words + '"'}) {
            BOOST_TEST(!ran_out(line + '\n'), line);
            BOOST_TEST(!wrote_too_much(line + '\n'), line);
            BOOST_TEST(!failed_to_link(line + '\n'), line);
        }
    for (const char* line :
         {"c.cu:(.text+0x5): undefined reference to `f'", "c.cu:12: undefined reference to `f'",
          "collect2: error: ld returned 1 exit status",
          "/usr/bin/ld: cannot find -lfoo: No such file or directory",
          "nvlink error   : Undefined reference to 'f' in 'x.o'",
          "x.o:(.bss+0x0): multiple definition of `x'; y.o:(.bss+0x0): first defined here"})
        BOOST_TEST(failed_to_link(line), line);
}

BOOST_AUTO_TEST_SUITE_END()
