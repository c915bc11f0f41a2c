#include "cuset/refine/failure_report.h"

#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "cuset/refine/feedback.h"

using namespace cuset;

namespace {

verdict failed(failure why, std::string diagnostic) {
    verdict v;
    v.task = "t";
    v.why = why;
    v.diagnostic = std::move(diagnostic);
    return v;
}

candidate answering(std::string answer) {
    candidate c;
    c.task = "t";
    c.answer = std::move(answer);
    return c;
}

const std::string fenced =
    "Here it is.\n```cuda\n__global__ void k(int* p) {\n    p[threadIdx.x]++;\n}\nint main() {}\n"
    "```\nDone.\n";

}  // namespace

BOOST_AUTO_TEST_SUITE(failure_reports)

BOOST_AUTO_TEST_CASE(names_lines_of_the_program_not_of_the_answer) {
    const verdict v = failed(failure::race, "two threads write p[0] in line 2 and line 2");
    BOOST_TEST(details_of(v, answering(fenced)) ==
               "two threads write p[0] in line 2 and line 2\n  line 2: p[threadIdx.x]++;");
}

BOOST_AUTO_TEST_CASE(names_no_line_that_is_not_there) {
    const verdict v = failed(failure::crash, "a signal in line 99, line 0, line x and line 3");
    BOOST_TEST(details_of(v, answering(fenced)) ==
               "a signal in line 99, line 0, line x and line 3\n  line 3: }");
    BOOST_TEST(details_of(v, answering("")) == v.diagnostic);
}

BOOST_AUTO_TEST_CASE(names_no_line_of_several_files) {
    const verdict v = failed(failure::crash, "a signal in line 1");
    const std::string two =
        "```cuda\n// file: a.cu\nint a;\n```\n```cuda\n// file: b.cu\nint b;\n```\n";
    BOOST_TEST(details_of(v, answering(two)) == v.diagnostic);
}

BOOST_AUTO_TEST_CASE(a_wrong_number_does_not_tell_the_right_one) {
    const verdict v = failed(failure::wrong_number, "the answer is 3, whose relative error is 2");
    BOOST_TEST(summary_of(v) == "The number is wrong.");
    BOOST_TEST(details_of(v, answering("3")).empty());
    const std::string path =
        std::filesystem::temp_directory_path() / ("feedback-" + std::to_string(::getpid()));
    std::ofstream(path) << "--- user\n{failure}: {diagnostic} ({report})\n";
    const auto told = feedback::open(path);
    std::filesystem::remove(path);
    BOOST_REQUIRE(told);
    BOOST_TEST(told->about(answering("3"), v).value() ==
               "wrong_number: the answer is 3 (The number is wrong.)");
}

BOOST_AUTO_TEST_CASE(findings_stand_for_the_diagnostic) {
    verdict v = failed(failure::race, "the first in line 1");
    for (int i = 1; i <= 5; ++i)
        v.findings.push_back({i == 2 ? failure::none : failure::race,
                              "number " + std::to_string(i) + " in line " + std::to_string(i)});
    BOOST_TEST(details_of(v, answering(fenced)) ==
               "race: number 1 in line 1\n  line 1: __global__ void k(int* p) {\n"
               "note: number 2 in line 2\n  line 2: p[threadIdx.x]++;\n"
               "race: number 3 in line 3\n  line 3: }");
}

BOOST_AUTO_TEST_CASE(first_errors_of_gxx) {
    verdict v = failed(failure::syntax_error, "the first");
    v.compiler =
        "program.cu: In function 'int main()':\n"
        "program.cu:3:5: warning: unused variable 'w'\n    3 |     int w;\n      |         ^\n"
        "program.cu:4:5: error: 'x' was not declared\n    4 |     x = 1;\n      |     ^\n"
        "program.cu:5:5: note: suggested alternative\n    5 |     y\n"
        "program.cu:6:5: error: 'y' was not declared\n    6 |     y = 1;\n"
        "program.cu:2:5: error: third\n"
        "program.cu:8:5: fatal error: fourth\n";
    BOOST_TEST(details_of(v, answering(fenced)) ==
               "program.cu:4:5: error: 'x' was not declared\n    4 |     x = 1;\n      |     ^\n"
               "program.cu:6:5: error: 'y' was not declared\n    6 |     y = 1;\n"
               "program.cu:2:5: error: third\n  line 2: p[threadIdx.x]++;\nand more");
}

BOOST_AUTO_TEST_CASE(first_errors_of_nvcc) {
    verdict v = failed(failure::syntax_error, "the first");
    v.compiler =
        "program.cu(3): warning #177-D: variable \"w\" was declared but never referenced\n"
        "      int w;\n          ^\n\n"
        "program.cu(4): error #20: identifier \"x\" is undefined\n      x = 1;\n      ^\n\n"
        "1 error detected in the compilation of \"program.cu\".\n";
    BOOST_TEST(details_of(v, answering(fenced)) ==
               "program.cu(4): error #20: identifier \"x\" is undefined\n      x = 1;\n      ^");
    v.why = failure::link_error;
    v.compiler =
        "/usr/bin/ld: a.o: in function `main':\nprogram.cu:(.text+0x1): undefined reference to "
        "`f'\n";
    BOOST_TEST(details_of(v, answering(fenced)) ==
               "program.cu:(.text+0x1): undefined reference to `f'");
    v.compiler = "something else\n";
    BOOST_TEST(details_of(v, answering(fenced)) == "something else");
}

BOOST_AUTO_TEST_CASE(other_files_are_not_quoted) {
    verdict v = failed(failure::syntax_error, "the first");
    v.compiler =
        "harness.cu:2:5: error: 'solve' was not declared\n"
        "/usr/include/my_program.cu:2:5: error: elsewhere\n"
        "sub/program.cu(2): error: own\n";
    BOOST_TEST(details_of(v, answering(fenced)) ==
               "harness.cu:2:5: error: 'solve' was not declared\n"
               "/usr/include/my_program.cu:2:5: error: elsewhere\n"
               "sub/program.cu(2): error: own\n  line 2: p[threadIdx.x]++;");
    v.compiler.clear();
    v.diagnostic = "a fault in line 2 of harness.cu, deadline 3, then line 2";
    BOOST_TEST(details_of(v, answering(fenced)) == v.diagnostic + "\n  line 2: p[threadIdx.x]++;");
}

BOOST_AUTO_TEST_CASE(templates_are_named_by_where_the_program_uses_them) {
    verdict v = failed(failure::syntax_error, "the first");
    v.compiler =
        "/usr/include/ops.h: In instantiation of 'bool f(T)':\n"
        "program.cu:2:7:   required from here\n"
        "/usr/include/ops.h:45:23: error: no match for 'operator<'\n   45 |  { return a < b; }\n"
        "program.cu:3:1: error: own\n";
    BOOST_TEST(details_of(v, answering(fenced)) ==
               "program.cu:2:7:   required from here\n  line 2: p[threadIdx.x]++;\n"
               "/usr/include/ops.h:45:23: error: no match for 'operator<'\n"
               "   45 |  { return a < b; }\nprogram.cu:3:1: error: own\n  line 3: }");
}

BOOST_AUTO_TEST_CASE(what_the_compiler_got_is_not_sure) {
    const verdict v = failed(failure::crash, "a signal in line 1");
    const std::string two = "```cuda\nint a;\n```\nor\n```cuda\nint b;\n```\n";
    BOOST_TEST(details_of(v, answering(two)) == v.diagnostic);
    const std::string named = "```cuda\n// file: a.cu\nint a;\n```\n";
    BOOST_TEST(details_of(v, answering(named)) == v.diagnostic);
}

BOOST_AUTO_TEST_CASE(long_messages_end_between_characters) {
    verdict v = failed(failure::crash, "");
    for (int i = 0; i < 3000; ++i) v.diagnostic += "é";
    const std::string text = details_of(v, answering(fenced));
    BOOST_TEST(text.size() < 2100);
    BOOST_TEST(text.ends_with("é\n[…]"));
}

BOOST_AUTO_TEST_CASE(all_failures_have_a_sentence) {
    for (std::size_t i = 0; i < failure_count; ++i) {
        const verdict v = failed(static_cast<failure>(i), "");
        BOOST_TEST(summary_of(v).ends_with('.'), i);
        const bool is_own =
            v.why != failure::none && v.why != failure::unsupported && v.why != failure::evaluator;
        BOOST_TEST(can_be_mended(v) == is_own, i);
    }
    verdict cut = failed(failure::syntax_error, "");
    cut.is_cut = true;
    BOOST_TEST(summary_of(cut).find("cut off") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_built_in_text) {
    const auto told = feedback::open("");
    BOOST_REQUIRE(told);
    const auto text = told->about(answering(fenced), failed(failure::race, "{x} in line 2"));
    BOOST_REQUIRE(text);
    BOOST_TEST(*text ==
               "The program has a race: its results depend on the order of threads.\n\n"
               "{x} in line 2\n  line 2: p[threadIdx.x]++;\n\n"
               "Correct this. Give the whole answer again, in the same form as before.");
}

BOOST_AUTO_TEST_SUITE_END()
