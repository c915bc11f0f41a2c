// What ncu says of a run: a score, or why there is none.
#include "trial/profiled_run.h"

#include <boost/test/unit_test.hpp>
#include <string>

#include "cuset/cost/ncu_table.h"

using namespace cuset;

namespace {

/// A launch for which every figure is 1 of its unit, so that the kernel does 4 of 2 operations.
std::string table() {
    std::string text =
        "==PROF== Connected to process 2 (/job/program)\n"
        "\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";
    for (std::size_t i = 0; i < ncu_metric_count; ++i) {
        const std::string name(name_of(static_cast<ncu_metric>(i)));
        std::string unit = "inst/cycle";
        if (name.ends_with(".per_second")) unit = "cycle/second";
        if (name == "dram__bytes.sum.per_second") unit = "byte/second";
        if (name == "dram__bytes.sum.peak_sustained") unit = "byte/cycle";
        text += "\"k\",\"" + name;
        text += "\",\"" + unit;
        text += "\",\"1\"\n";
    }
    return text + "==PROF== Disconnected from process 2\n";
}

std::string reason(const std::string& text) { return profile_of(text).not_profiled; }

constexpr const char* ended = "==ERROR== The application returned an error code (11).\n";

}  // namespace

BOOST_AUTO_TEST_SUITE(profiled_runs)

BOOST_AUTO_TEST_CASE(a_score) {
    const program_profile profile = profile_of(table());
    BOOST_TEST(profile.not_profiled == "");
    BOOST_TEST(profile.roofline.kernel == "k");
    BOOST_TEST(profile.roofline.score == 2);
}

BOOST_AUTO_TEST_CASE(errors_before_tables) {
    BOOST_TEST(reason(table() + ended) == "under ncu the program ends with exit code 11");
    // What comes first is why the rest failed.
    BOOST_TEST(reason(ended + table() +
                      "==ERROR== Failed to profile \"k\" in process 2\n"
                      "==ERROR== An error occurred.\n") ==
               "ncu: Failed to profile \"k\" in process 2");
    BOOST_TEST(reason("==ERROR== Failed\n==ERROR== ERR_NVGPUCTRPERM - The user does not have "
                      "permission\n" +
                      table()) ==
               "the GPU's driver lets this user read no counters (ERR_NVGPUCTRPERM)");
    BOOST_TEST(reason("==ERROR== \x1b[2J\n") == "ncu: \\x1b[2J");
    BOOST_TEST(reason("==ERROR== " + std::string(9999, 'x') + "\n").size() < 400);
    // A warning is none, and neither is a word in a line of another.
    BOOST_TEST(reason("==WARNING== Found outstanding GPU clock reset\n" + table()) == "");
    BOOST_TEST(reason("it says ==ERROR== here\n" + table()) == "");
}

BOOST_AUTO_TEST_CASE(no_table) {
    BOOST_TEST(reason("") == "ncu profiled no kernel");
    BOOST_TEST(reason("==WARNING== No kernels were profiled.\n") == "ncu profiled no kernel");
    BOOST_TEST(reason(table() + "\"k") == "line 13 of ncu's table is broken");
}

BOOST_AUTO_TEST_CASE(texts_of_reports) {
    BOOST_TEST(profile_in("profile\n==PROF==\n") == "==PROF==\n");
    BOOST_TEST(profile_in("activity kernel 1 2\n") == "");
    BOOST_TEST(profile_in("") == "");
}

BOOST_AUTO_TEST_SUITE_END()
