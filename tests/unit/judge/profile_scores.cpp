// CUDABench's mean scores, against values worked out by hand, and profiles in verdicts' records.
#include "cuset/judge/profile_scores.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

using namespace cuset;

namespace {

verdict failed(const char* task, std::uint64_t sample, failure why) {
    verdict v;
    v.task = v.family = task;
    v.sample = sample;
    v.why = why;
    v.reached = stage::ran;
    v.setting.backend = "gpu";
    return v;
}

verdict right(const char* task, std::uint64_t sample, double score, double compute = 0) {
    verdict v = failed(task, sample, failure::none);
    v.reached = stage::correct;
    v.profile.emplace();
    v.profile->roofline.kernel = "k";
    v.profile->roofline.kernels = v.profile->roofline.launches = 1;
    v.profile->roofline.score = v.profile->roofline.bandwidth_utilization = score;
    v.profile->roofline.compute_efficiency = compute;
    return v;
}

verdict unprofiled(const char* task, std::uint64_t sample, const char* why) {
    verdict v = right(task, sample, 0);
    v.profile->not_profiled = why;
    return v;
}

bool is(double found, double wanted) { return std::abs(found - wanted) < 1e-12; }

profile_report scored(const std::vector<verdict>& verdicts, const report_options& options = {}) {
    const auto report = score_profiles({}, verdicts, options);
    BOOST_REQUIRE(report);
    return *report;
}

result<verdict> read(std::string line) {
    const std::size_t size = line.size();
    line.resize(size + 256);  // a reader may look at bytes behind the line
    return verdict_reader().read(std::string_view(line).substr(0, size));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(profiles)

BOOST_AUTO_TEST_CASE(by_hand) {
    const auto report = scored(
        {right("a", 0, 0.2, 0.1), right("a", 1, 0.6, 0.3), right("a", 2, 0.4, 0.9),
         failed("b", 0, failure::wrong_output), right("b", 1, 0.5), failed("b", 2, failure::crash),
         failed("c", 0, failure::syntax_error), failed("c", 1, failure::crash)});
    BOOST_TEST((report.tasks == 3 && report.samples == 3 && report.missing == 1));
    BOOST_TEST((report.correct == 4 && report.profiled == 4 && report.not_profiled.empty()));
    BOOST_REQUIRE(report.means.size() == 2U);
    BOOST_TEST((report.means[0].k == 1 && report.means[1].k == 3));
    BOOST_TEST(is(report.means[0].score.mean, 0.2 / 3));
    BOOST_TEST(is(report.means[1].score.mean, 1.1 / 3));
    // The shares are those of the sample with the best score.
    BOOST_TEST(is(report.means[0].compute.mean, 0.1 / 3));
    BOOST_TEST(is(report.means[1].compute.mean, 0.3 / 3));
    BOOST_TEST(is(report.means[1].bandwidth.mean, 1.1 / 3));
    BOOST_TEST(is(report.means[1].at_most, 1.1 / 3));
}

BOOST_AUTO_TEST_CASE(what_has_no_score) {
    const auto report =
        scored({unprofiled("a", 0, "n/a"), unprofiled("b", 0, "slow"), unprofiled("c", 0, "slow"),
                right("d", 0, 0.5), failed("e", 0, failure::unsupported),
                failed("f", 0, failure::crash), failed("g", 0, failure::none)});
    BOOST_TEST((report.correct == 5 && report.profiled == 1));
    BOOST_TEST(is(report.means[0].score.mean, 0.5 / 7));
    BOOST_TEST(is(report.means[0].at_most, 5.5 / 7));
    BOOST_REQUIRE(report.not_profiled.size() == 3U);
    BOOST_TEST((report.not_profiled[0] == std::pair<std::string, std::size_t>("slow", 2)));
    BOOST_TEST(report.not_profiled[2].first == "nobody asked for a profile");
    const std::string text = to_text(report);
    BOOST_TEST(text.find("correct     5 answers, 1 with a score\n") != text.npos, text);
    BOOST_TEST(text.find("\nwithout a score\n     2  slow\n     1  n/a\n") != text.npos, text);
    const std::string table = to_table(report);
    BOOST_TEST(table.find("\nscore\t1\t7\t0.0714286\t") != table.npos, table);
    BOOST_TEST(table.find("\t0.785714\n") != table.npos, table);
}

BOOST_AUTO_TEST_CASE(numbers_of_samples) {
    const std::vector<verdict> all{right("a", 0, 0.1), right("a", 1, 0.9)};
    BOOST_TEST(scored(all).means.size() == 1U);  // of three there are too few
    report_options options;
    options.pass_at = {2};
    const auto two = scored(all, options);
    BOOST_TEST(is(two.means[0].score.mean, 0.9));
    BOOST_TEST(std::isnan(two.means[0].score.low));  // one family
}

BOOST_AUTO_TEST_CASE(no_profile) {
    const auto report = score_profiles({}, {failed("a", 0, failure::none)}, {});
    BOOST_REQUIRE(!report);
    BOOST_TEST((report.error().kind() == error_kind::data));
    BOOST_TEST(report.error().message() ==
               "no verdict has a profile: cuset-eval --profile ncu makes them");
}

BOOST_AUTO_TEST_CASE(records) {
    verdict v = right("a", 0, 0.125, 0.0625);
    v.profile->roofline.kernel = "k<int>(\"\")";
    v.profile->roofline.flops = 1e12;
    v.profile->roofline.peak_flops = 1.6e13;
    v.profile->roofline.bytes = 1e11;
    v.profile->roofline.peak_bytes = 8e11;
    const std::string text = to_line(v);
    BOOST_TEST(text.find(R"("profile":{"score":0.125,"bandwidth_utilization":0.125,)") !=
               text.npos);
    const auto again = read(text);
    BOOST_REQUIRE(again);
    BOOST_TEST((again->profile == v.profile));
    const std::string none = to_line(unprofiled("a", 0, "n/a"));
    BOOST_TEST(none.find(R"("profile":{"not_profiled":"n/a"}})") != none.npos, none);
    const auto unprofiled_again = read(none);
    BOOST_REQUIRE(unprofiled_again);
    BOOST_TEST(unprofiled_again->profile->not_profiled == "n/a");
    const auto earlier = read(to_line(failed("a", 0, failure::crash)));
    BOOST_REQUIRE(earlier);
    BOOST_TEST(!earlier->profile);
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {R"("score":0.125)", R"("score":-1)"},
             {R"("score":0.125)", R"("score":"high")"},
             {R"("kernels":1,)", ""},
             {R"("launches":1,)", R"("launches":0,)"},
             {R"("peak_flops_per_second":)", R"("peak":)"}}) {
        std::string broken = text;
        broken.replace(broken.find(from), from.size(), to);
        const auto wrong = read(broken);
        BOOST_REQUIRE(!wrong);
        BOOST_TEST(wrong.error().message() == "no verdict: \"profile\" is wrong");
    }
}

BOOST_AUTO_TEST_SUITE_END()
