// KernelBench's fast_p and the mean speed-up, against values worked out by hand.
#include "cuset/judge/fast_scores.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace cuset;

namespace {

/// speedup: 0 of one that passed and has no time.
verdict made(const char* task, std::uint64_t sample, failure why, double speedup = 0) {
    verdict v;
    v.task = v.family = task;
    v.sample = sample;
    v.why = why;
    v.reached = why == failure::none ? stage::correct : stage::ran;
    if (why != failure::none) return v;
    v.time.emplace();
    v.time->runs = 3;
    v.time->speedup = speedup;
    if (speedup == 0) v.time->not_timed = "no reason";
    return v;
}

const fast_rate& rate_at(const fast_report& report, double p, std::size_t k = 1) {
    for (const fast_rate& r : report.rates)
        if (r.p == p && r.k == k) return r;
    BOOST_FAIL("no such rate");
    return report.rates.front();
}

bool is(double found, double wanted) { return std::abs(found - wanted) < 1e-12; }

/// The message of the error, which has this kind.
void refused(const std::vector<verdict>& verdicts, error_kind kind, const std::string& words) {
    const auto report = score_speed({}, verdicts, {});
    BOOST_REQUIRE(!report);
    BOOST_TEST((report.error().kind() == kind));
    BOOST_TEST(report.error().message().find(words) != std::string::npos, report.error().message());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(speed)

BOOST_AUTO_TEST_CASE(by_hand) {
    const auto report = score_speed(
        {},
        {made("a", 0, failure::none, 2.5), made("b", 0, failure::none, 1),  // not faster than once
         made("c", 0, failure::none, 0.8), made("d", 0, failure::wrong_output)},
        {});
    BOOST_REQUIRE(report);
    BOOST_TEST((report->tasks == 4 && report->families == 4 && report->samples == 1));
    BOOST_TEST((report->correct == 3 && report->timed == 3 && report->missing == 0));
    for (const auto& [p, value] : std::initializer_list<std::pair<double, double>>{
             {0, 0.75}, {0.5, 0.75}, {0.8, 0.5}, {1, 0.25}, {1.5, 0.25}, {2, 0.25}}) {
        BOOST_TEST(is(rate_at(*report, p).value.mean, value), p);
        BOOST_TEST(is(rate_at(*report, p).at_most, value), p);
    }
    BOOST_TEST(is(report->geometric_mean.mean, std::cbrt(2.5 * 1 * 0.8)));
    BOOST_TEST(report->timed_tasks == 3U);
    // The interval holds the mean, and is one of speed-ups and not of their logarithms.
    BOOST_TEST((report->geometric_mean.low > 0 && report->geometric_mean.low < 1.25 &&
                report->geometric_mean.high > 1.26));
}

BOOST_AUTO_TEST_CASE(several_samples) {
    report_options options;
    options.pass_at = {1, 2, 5};
    const auto report =
        score_speed({},
                    {made("a", 0, failure::none, 4), made("a", 1, failure::none, 1),
                     made("a", 2, failure::wrong_output), made("b", 0, failure::none, 0.5)},
                    options);
    BOOST_REQUIRE(report);
    BOOST_TEST((report->samples == 3 && report->missing == 2));
    BOOST_TEST(is(rate_at(*report, 0).value.mean, (2.0 / 3 + 1.0 / 3) / 2));
    BOOST_TEST(is(rate_at(*report, 1).value.mean, (1.0 / 3 + 0) / 2));
    BOOST_TEST(is(rate_at(*report, 1, 2).value.mean, (2.0 / 3 + 0) / 2));  // 2 of 3 pairs have it
    BOOST_TEST(report->rates.size() == 12U);                               // none at 5
    // A task counts once, however many of its answers are right.
    BOOST_TEST(is(report->geometric_mean.mean, std::sqrt(std::sqrt(4.0 * 1) * 0.5)));
}

BOOST_AUTO_TEST_CASE(what_is_not_known) {
    const auto report =
        score_speed({},
                    {made("a", 0, failure::none, 3), made("b", 0, failure::none),
                     made("c", 0, failure::unsupported), made("d", 0, failure::wrong_output)},
                    {});
    BOOST_REQUIRE(report);
    BOOST_TEST((report->correct == 2 && report->timed == 1));
    const fast_rate correct = rate_at(*report, 0), faster = rate_at(*report, 1);
    BOOST_TEST((is(correct.value.mean, 0.5) && is(correct.at_most, 0.75)));
    BOOST_TEST((is(faster.value.mean, 0.25) && is(faster.at_most, 0.75)));
    BOOST_TEST(to_text(*report).find("at most") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(estimates) {
    verdict v = made("a", 0, failure::none, 1);
    v.time.reset();
    v.cost.estimated = gpu_model_named("RTX 3080");
    BOOST_REQUIRE(v.cost.estimated != nullptr);
    launch_cost cost;
    cost.launches = 1;
    cost.grid = {1000, 1, 1};
    cost.block = {256, 1, 1};
    cost.fp32.add = 1'000'000'000;
    v.cost.kernels = {cost};
    v.cost.reference_seconds = 3 * v.cost.seconds();
    BOOST_REQUIRE(speedup_of(v));
    BOOST_TEST(is(*speedup_of(v), 3));
    const auto report = score_speed({}, {v}, {});
    BOOST_REQUIRE(report);
    BOOST_TEST(to_text(*report).starts_with(
        "Speed against bench.cu, an estimate for RTX 3080, not measured\n"));
    BOOST_TEST(to_table(*report).find("estimated for RTX 3080\tfast_p\t2\t1\t1\t1") !=
               std::string::npos);
    refused({v, made("b", 0, failure::none, 2)}, error_kind::data,
            "some times are measured, and others are estimates for RTX 3080");
    verdict other = v;
    other.task = "b";
    other.cost.estimated = gpu_model_named("V100");
    refused({v, other}, error_kind::data, "different GPUs");
    v.cost.kernels[0].not_counted = {"textures"};
    BOOST_TEST(!speedup_of(v));
}

BOOST_AUTO_TEST_CASE(nothing_to_report) {
    refused({made("a", 0, failure::wrong_output)}, error_kind::data, "no verdict has a time");
    refused({}, error_kind::data, "no verdict has a time");
}

BOOST_AUTO_TEST_CASE(tasks_without_a_verdict) {
    const auto report =
        score_speed({{"a", "a", {}}, {"b", "b", {}}}, {made("a", 0, failure::none, 3)}, {});
    BOOST_REQUIRE(report);
    BOOST_TEST((report->missing == 1 && is(rate_at(*report, 2).value.mean, 0.5)));
}

BOOST_AUTO_TEST_SUITE_END()
