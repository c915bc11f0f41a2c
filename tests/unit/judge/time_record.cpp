// The times of a verdict's record, and which are believed.
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "cuset/judge/verdict.h"

using namespace cuset;

namespace {

result<verdict> read(std::string line) {
    const std::size_t size = line.size();
    line.resize(size + 256);  // a reader may look at bytes behind the line
    return verdict_reader().read(std::string_view(line).substr(0, size));
}

/// The record of a verdict that has this time.
std::string written(const program_time& time) {
    verdict v;
    v.task = "a";
    v.reached = stage::correct;
    v.setting.backend = "gpu";
    v.time = time;
    return to_line(v);
}

program_time example() {
    program_time time;
    time.runs = 20;
    time.speedup = 1.25;
    time.device = {80e-6, 79e-6, 82e-6};
    time.reference = {100e-6, 99e-6, 101e-6};
    time.kernels = 78e-6;
    time.memory = 2e-6;
    time.transfers = 310e-6;
    time.process = {0.3, 0.29, 0.31};
    time.reference_process = {0.31, 0.3, 0.32};
    time.clock_before = 1980;
    return time;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(times_of_verdicts)

BOOST_AUTO_TEST_CASE(there_and_back) {
    const std::string text = written(example());
    BOOST_TEST(text.find(R"("device_us":{"median":80,"lower_quartile":79,"upper_quartile":82})") !=
               std::string::npos);
    BOOST_TEST(text.find(R"("process_ms":{"median":300,)") != std::string::npos);
    BOOST_TEST(text.find(R"("sm_clock_mhz":{"before":1980,"after":null})") != std::string::npos);
    const auto again = read(text);
    BOOST_REQUIRE(again);
    BOOST_REQUIRE(again->time);
    BOOST_TEST(to_line(*again) == text);
    BOOST_TEST((again->time->clock_before == 1980U && !again->time->clock_after));

    program_time none;
    none.not_timed = "the task has no bench.cu";
    BOOST_TEST(written(none).ends_with(R"("time":{"not_timed":"the task has no bench.cu"}})"
                                       "\n"));
    const auto unknown = read(written(none));
    BOOST_REQUIRE(unknown);
    BOOST_TEST((unknown->time == none));
}

BOOST_AUTO_TEST_CASE(no_times) {
    const std::string good = written(example());
    for (const auto& [from, to] : std::initializer_list<std::pair<std::string, std::string>>{
             {"\"speedup\":1.25", "\"speedup\":0"},
             {"\"speedup\":1.25", "\"speedup\":\"fast\""},
             {"\"runs\":20", "\"runs\":0"},
             {"\"median\":80", "\"median\":-80"},
             {"\"kernels_us\":78,", ""}}) {
        std::string bad = good;
        BOOST_REQUIRE(bad.find(from) != bad.npos);
        bad.replace(bad.find(from), from.size(), to);
        BOOST_TEST(!read(bad), bad);
    }
}

BOOST_AUTO_TEST_CASE(quartiles) {
    const std::vector<double> five{5, 1, 4, 2, 3}, two{1, 2};
    BOOST_TEST((spread_of(five) == time_spread{3, 2, 4}));
    BOOST_TEST((spread_of(two) == time_spread{1.5, 1.25, 1.75}));
    BOOST_TEST((spread_of(std::vector<double>{7}) == time_spread{7, 7, 7}));
}

BOOST_AUTO_TEST_SUITE_END()
