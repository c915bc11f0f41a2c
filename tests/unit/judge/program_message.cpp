// What a verdict says of a program, and the places that it names.
#include "cuset/judge/program_message.h"

#include <boost/test/unit_test.hpp>

using namespace cuset;

namespace {

/// "error a.cu:3 text" for each message.
std::vector<std::string> shown(const verdict& v) {
    std::vector<std::string> out;
    for (const auto& m : messages_of(v))
        out.push_back(m.kind + ' ' + m.file + ':' + std::to_string(m.line) + ' ' + m.text);
    return out;
}

using texts = std::vector<std::string>;

verdict refused(std::string compiler) {
    verdict v;
    v.why = failure::syntax_error;
    v.diagnostic = "the first of them";
    v.compiler = std::move(compiler);
    return v;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(program_messages)

BOOST_AUTO_TEST_CASE(of_nvcc) {
    const texts wanted{"error program.cu:12 identifier \"s\" is undefined",
                       "warning lib/a.cuh:5 variable \"x\" is unused",
                       "error program.cu:7 expected a \";\""};
    const auto found =
        shown(refused("program.cu(12): error: identifier \"s\" is undefined\n"
                      "      for (int i = s; i < n(3): 4)\n"
                      "                   ^\n\n"
                      "lib/a.cuh(5): warning #177-D: variable \"x\" is unused\n"
                      "program.cu(7): error: expected a \";\"\n"
                      "program.cu(7): error: expected a \";\"\n\n"
                      "3 errors detected in the compilation of \"program.cu\".\n"));
    BOOST_TEST(found == wanted, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(of_gcc) {
    const texts wanted{"error program.cu:3 'y' was not declared", "note program.cu:2 it is here",
                       "error x.h:1 x.hpp: No such file"};
    const auto found =
        shown(refused("program.cu: In function 'int main()':\n"
                      "program.cu:3:11: error: 'y' was not declared\n"
                      "program.cu:2: note: it is here\n"
                      "In file included from a.h:8:\n"
                      "x.h:1:10: fatal error: x.hpp: No such file\n"));
    BOOST_TEST(found == wanted, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(of_the_runtime) {
    verdict v = refused("");
    v.why = failure::race;
    v.diagnostic = "line 9: not looked at";
    v.findings = {{failure::race, "kernel k, line 18: reads x, written in line 16"},
                  {failure::out_of_bounds, "kernel k, line 3 of src/a.cu: reads"},
                  {failure::none, "cudaMemcpy in line 12 of b.cu returned an error"},
                  {failure::crash, "no place"}};
    const texts wanted{"race :18 kernel k, line 18: reads x, written in line 16",
                       "out_of_bounds src/a.cu:3 kernel k, line 3 of src/a.cu: reads",
                       "note b.cu:12 cudaMemcpy in line 12 of b.cu returned an error",
                       "crash :0 no place"};
    BOOST_TEST(shown(v) == wanted, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_diagnostic_alone) {
    verdict v = refused("");
    v.diagnostic = "a.cu(4): error: bad";
    BOOST_TEST(shown(v) == texts{"error a.cu:4 bad"}, boost::test_tools::per_element());
    v.why = failure::launch_error;
    v.diagnostic = "launched in line 5: refused";
    BOOST_TEST(shown(v) == texts{"launch_error :5 launched in line 5: refused"},
               boost::test_tools::per_element());
    v.diagnostic.clear();
    BOOST_TEST(shown(v).empty());
}

// A line of the task's scripts, or in what a program printed, is none of the program.
BOOST_AUTO_TEST_CASE(lines_of_others) {
    verdict v = refused("");
    const auto line_of = [&v](failure why, const char* diagnostic) {
        v.why = why;
        v.diagnostic = diagnostic;
        return messages_of(v)[0].line;
    };
    BOOST_TEST(line_of(failure::wrong_output, "compare.py: line 3: 4 is not 5") == 0U);
    BOOST_TEST(line_of(failure::evaluator, "gen.py failed in line 4") == 0U);
    BOOST_TEST(line_of(failure::crash, "exit code 1: failed in line 7") == 0U);
    BOOST_TEST(line_of(failure::crash, "the pipeline 2 failed") == 0U);
    BOOST_TEST(line_of(failure::crash, "signal 11 in line 7") == 7U);
}

BOOST_AUTO_TEST_SUITE_END()
