// Pass by turn on cases that are counted by hand. tests/cli/report_turns.py compares random ones.
#include "cuset/judge/turn_report.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace cuset;

namespace {

verdict made(const std::string& task, std::uint64_t sample, failure why, std::uint64_t tokens) {
    verdict v;
    v.task = v.family = task;
    v.sample = sample;
    v.why = why;
    v.reached = why == failure::none ? stage::correct : stage::ran;
    v.tokens = tokens;
    v.setting = {"host", "g++"};
    return v;
}
constexpr failure passes = failure::none, fails = failure::wrong_output;

bool is(double found, double wanted) { return std::abs(found - wanted) < 1e-12; }

/// Two tasks of two samples. Of a, sample 0 passes at once and sample 1 in turn 2; of b, sample 0
/// passes in turn 2 and sample 1 never.
std::vector<judged_turn> example() {
    return {
        {"one",
         {made("a", 0, passes, 100), made("a", 1, fails, 300), made("b", 0, fails, 50),
          made("b", 1, fails, 50)}},
        {"two", {made("a", 1, passes, 200), made("b", 0, passes, 10), made("b", 1, fails, 30)}}};
}

void refused(const std::vector<judged_turn>& turns, error_kind kind, const std::string& words) {
    const auto report = make_turn_report({}, turns, {});
    BOOST_TEST_CONTEXT(words) {
        BOOST_REQUIRE(!report);
        BOOST_TEST((report.error().kind() == kind));
        BOOST_TEST(report.error().message().find(words) != std::string::npos,
                   report.error().message());
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(turn_reports)

BOOST_AUTO_TEST_CASE(counted_by_hand) {
    const auto report = make_turn_report({}, example(), {});
    BOOST_REQUIRE(report);
    BOOST_TEST((report->tasks == 2 && report->families == 2 && report->samples == 2));
    BOOST_TEST(report->missing == 0);
    const turn_rates &one = report->turns[0], &two = report->turns[1];
    BOOST_TEST((one.answers == 4 && one.passed == 1 && one.solved == 1));
    BOOST_TEST((two.answers == 3 && two.passed == 2 && two.solved == 2));
    BOOST_TEST(is(one.serial.mean, 0.25));
    BOOST_TEST(is(two.serial.mean, 0.75));
    // Two of two samples: a is solved, b is not.
    BOOST_TEST(is(two.equal_samples->value.mean, 0.5));
    BOOST_TEST(is(two.equal_samples->difference.mean, 0.25));
    // a spends 600 of 400, k = 1.5; b 140 of 100, k = 1.4. pass@1.5 of a is 0.75, of b 0.
    BOOST_TEST(is(two.tokens->tokens, 185));
    BOOST_TEST(is(two.tokens->answers, 1.45));
    BOOST_TEST(is(two.tokens->parallel.value.mean, 0.375));
    BOOST_TEST(is(two.tokens->parallel.difference.mean, 0.375));
    BOOST_TEST((two.tokens->capped == 0 && is(one.tokens->answers, 1)));
    // Of the first turn the two rates are one.
    for (const auto& parallel : {*one.equal_samples, one.tokens->parallel})
        BOOST_TEST((parallel.difference.low == 0 && parallel.difference.high == 0));
}

BOOST_AUTO_TEST_CASE(chains_that_end) {
    auto turns = example();
    turns[0].verdicts[2].why = failure::unsupported;
    turns[0].verdicts[3].why = failure::evaluator;
    turns[1].verdicts = {};
    const auto report = make_turn_report({}, turns, {});
    BOOST_REQUIRE(report);
    BOOST_TEST((report->turns[0].unsupported == 1 && report->turns[0].evaluator == 1));
    // Only a's failure was to be asked for again.
    BOOST_TEST(report->turns[1].missing == 1);
    BOOST_TEST(is(report->turns[1].serial.mean, 0.25));
}

BOOST_AUTO_TEST_CASE(capped_and_dashes) {
    auto turns = example();
    turns[1].verdicts[1].tokens = 1000;
    turns.push_back({"three", {made("b", 1, passes, 1)}});
    auto report = make_turn_report({}, turns, {});
    BOOST_REQUIRE(report);
    BOOST_TEST(!report->turns[2].equal_samples);
    BOOST_TEST(report->turns[1].tokens->capped == 1);
    BOOST_TEST(is(report->turns[1].tokens->answers, 1.75));
    turns[1].verdicts[0].tokens = {};
    report = make_turn_report({}, turns, {});
    BOOST_REQUIRE(report);
    BOOST_TEST((report->turns[0].tokens && !report->turns[1].tokens && !report->turns[2].tokens));
}

BOOST_AUTO_TEST_CASE(samples_and_tasks) {
    report_options options;
    options.samples = 4;
    auto report = make_turn_report({}, example(), options);
    BOOST_REQUIRE(report);
    BOOST_TEST((report->missing == 4 && is(report->turns[1].serial.mean, 0.375)));
    options = {};
    options.left_out = {"a"};
    report = make_turn_report({}, example(), options);
    BOOST_REQUIRE(report);
    BOOST_TEST((report->left_out == 1 && report->tasks == 1 && report->turns[1].answers == 2));
    BOOST_TEST(std::isnan(report->turns[1].serial.low));
}

BOOST_AUTO_TEST_CASE(no_turns_of_one_run) {
    auto turns = example();
    turns[1].verdicts.push_back(made("b", 2, fails, 1));
    refused(turns, error_kind::usage, "two: sample 2 of task \"b\" has no verdict in one");
    turns = example();
    turns[1].verdicts.push_back(made("a", 0, fails, 1));
    refused(turns, error_kind::usage, "two: sample 0 of task \"a\" has passed already in one");
    turns = example();
    turns[1].verdicts.push_back(made("b", 1, fails, 1));
    refused(turns, error_kind::usage, "two: sample 1 of task \"b\" has two verdicts");
    turns = example();
    turns[1].verdicts[0].task_hash = sha256("other").end();
    refused(turns, error_kind::usage, "another version of the task");
    turns = example();
    turns[1].verdicts[0].setting.inputs = 3;
    refused(turns, error_kind::data, "two: the turns differ");
    turns = example();
    turns[0].verdicts.clear();
    refused(turns, error_kind::data, "one: there are no verdicts");
}

BOOST_AUTO_TEST_SUITE_END()
