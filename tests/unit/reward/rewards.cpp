#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

#include "cuset/reward/ratings.h"

using namespace cuset;

namespace {

reward_formula formula(std::string_view text) {
    auto made = reward_formula::parse(text);
    BOOST_REQUIRE(made);
    return *std::move(made);
}

verdict judged(std::string task, std::uint64_t sample, stage reached, failure why) {
    verdict v;
    v.task = std::move(task);
    v.sample = sample;
    v.reached = reached;
    v.why = why;
    v.tokens = 100;
    return v;
}
const verdict right = judged("t", 0, stage::correct, failure::none);
const verdict wrong = judged("t", 1, stage::ran, failure::wrong_output);
const verdict broken = judged("t", 2, stage::extracted, failure::syntax_error);
const verdict foreign = judged("t", 3, stage::compiled, failure::unsupported);

double value(std::string_view text, const verdict& v, bool is_right_under_check = false) {
    const auto found = formula(text).of(v, is_right_under_check);
    BOOST_REQUIRE(found);
    return *found;
}

void near(double got, double wanted) { BOOST_TEST(std::abs(got - wanted) < 1e-12, got); }

verdict numbered(const verdict& v, std::uint64_t sample) {
    verdict copy = v;
    copy.sample = sample;
    return copy;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(formulas)

BOOST_AUTO_TEST_CASE(values) {
    near(value("0.1*compiled+0.2 * ran + .7*correct", right), 1);
    near(value("0.1*compiled+0.2 * ran + .7*correct", wrong), 0.3);
    near(value("0.1*compiled+0.2 * ran + .7*correct", broken), 0);
    near(value("-1e-3*tokens + 2*correct*correct - 1", right), 0.9);
    near(value("checked", right), 0);
    near(value("checked*3", right, true), 3);
    verdict cut = wrong;
    cut.is_cut = true;
    near(value("-truncated*0.5", cut), -0.5);
    near(value("2", broken), 2);
    // Of an answer that is a number nothing is compiled or run.
    near(value("0.1*compiled + 0.1*ran + 0.8*correct",
               judged("t", 4, stage::extracted, failure::wrong_number)),
         0);
}

BOOST_AUTO_TEST_CASE(refusals) {
    for (const auto& [text, words] :
         std::vector<std::pair<std::string, std::string>>{{"", "ends where"},
                                                          {"correct +", "ends where"},
                                                          {"2 3", "before 3"},
                                                          {"speed", "no \"speed\""},
                                                          {"2*-1", "no number and no name"},
                                                          {"(correct)", "no number and no name"},
                                                          {"1e999*correct", "no number"},
                                                          {"nan", "no \"nan\""},
                                                          {"inf", "no \"inf\""}}) {
        const auto made = reward_formula::parse(text);
        BOOST_REQUIRE(!made);
        BOOST_TEST(made.error().message().find(words) != std::string::npos, made.error().message());
    }
    verdict uncounted = right;
    uncounted.tokens.reset();
    BOOST_TEST(!formula("tokens").of(uncounted, false));
    BOOST_TEST(bool(formula("correct").of(uncounted, false)));
    BOOST_TEST(!formula("1e308*tokens*tokens").of(right, false));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(advantages)

BOOST_AUTO_TEST_CASE(by_hand) {
    const std::vector<double> returns{1, 0.2, 0};
    const auto made = [&](advantage_baseline baseline, bool divides) {
        std::vector<double> group = returns;
        make_advantages(group, {baseline, divides});
        return group;
    };
    const auto plain = made(advantage_baseline::mean, false);
    near(plain[0], 0.6);
    near(plain[1], -0.2);
    const auto others = made(advantage_baseline::leave_one_out, false);
    near(others[0], 1 - 0.1);
    near(others[2], 0 - 0.6);
    // The deviation is sqrt((0.36 + 0.04 + 0.16) / 2).
    near(made(advantage_baseline::mean, true)[0], 0.6 / (std::sqrt(0.28) + 1e-4));
}

BOOST_AUTO_TEST_CASE(returns_over_turns) {
    std::vector<double> turns{0.1, 0.2, 1};
    discount(turns, 0.5);
    near(turns[0], 0.1 + 0.1 + 0.25);
    near(turns[1], 0.7);
    near(turns[2], 1);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(rated_answers)

BOOST_AUTO_TEST_CASE(groups) {
    rating_settings settings{formula("correct"), 0, advantage_settings{}, true};
    settings.advantage->divides_by_deviation = false;
    const verdict alone = judged("alone", 0, stage::correct, failure::none);
    verdict equal = judged("equal", 0, stage::correct, failure::none);
    const auto all =
        ratings::make({{{right, wrong, foreign, alone, equal, numbered(equal, 7)}, {}}}, settings);
    BOOST_REQUIRE(all);
    near(all->find("t", 0, 1)->advantage, 0.5);
    near(all->find("t", 1, 1)->advantage, -0.5);
    BOOST_TEST((all->find("t", 3, 1)->kind == rating_kind::unjudged));
    BOOST_TEST((all->find("alone", 0, 1)->kind == rating_kind::alone));
    BOOST_TEST((all->find("equal", 7, 1)->kind == rating_kind::equal));
    BOOST_TEST(all->find("t", 9, 1) == nullptr);
    BOOST_TEST(all->find("t", 0, 2) == nullptr);
}

BOOST_AUTO_TEST_CASE(turns) {
    rating_settings settings{formula("correct + 0.5*ran"), 0.4, advantage_settings{}, false};
    settings.advantage->divides_by_deviation = false;
    // Sample 0 fails and is then right; sample 1 is wrong twice; what follows an answer that could
    // not be judged is no part of what went before.
    const auto all = ratings::make({{{numbered(broken, 0), wrong, numbered(broken, 4)}, {}},
                                    {{right, wrong, numbered(foreign, 4)}, {}},
                                    {{numbered(right, 4)}, {}}},
                                   settings);
    BOOST_REQUIRE(all);
    const double mean = (0.6 + 1.5 + 0.7 + 0.5 + 0 + 1.5) / 6;
    near(all->find("t", 0, 1)->reward, 0);
    near(all->find("t", 0, 1)->advantage, 0.6 - mean);
    near(all->find("t", 0, 2)->advantage, 1.5 - mean);
    near(all->find("t", 1, 1)->advantage, 0.7 - mean);
    near(all->find("t", 4, 1)->advantage, 0 - mean);
    near(all->find("t", 4, 3)->advantage, 1.5 - mean);
}

BOOST_AUTO_TEST_CASE(checked_answers) {
    const rating_settings settings{formula("checked"), 0, {}, false};
    verdict later = judged("t", 5, stage::correct, failure::none);
    verdict racy = later;
    racy.why = failure::race;
    racy.reached = stage::ran;
    const auto all = ratings::make({{{right, wrong, later}, {right, racy}}}, settings);
    BOOST_REQUIRE(all);
    near(all->find("t", 0, 1)->reward, 1);
    near(all->find("t", 1, 1)->reward, 0);
    near(all->find("t", 5, 1)->reward, 0);
}

BOOST_AUTO_TEST_CASE(errors_name_the_answer) {
    verdict uncounted = right;
    uncounted.tokens.reset();
    const auto made = ratings::make({{{uncounted}, {}}}, {formula("tokens"), 0, {}, false});
    BOOST_REQUIRE(!made);
    BOOST_TEST(made.error().message().find("task \"t\", sample 0: ") == 0);
}

BOOST_AUTO_TEST_SUITE_END()
