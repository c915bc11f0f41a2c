#include "cuset/statistics/area_under_curve.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

using namespace cuset;

namespace {

void near(double got, double wanted) { BOOST_TEST(std::abs(got - wanted) < 1e-12, got); }

}  // namespace

BOOST_AUTO_TEST_CASE(areas_by_hand) {
    // Passed: 3, 5, 5; not passed: 1, 3, 9. Right: (1 + 1/2 + 0) + 2 (1 + 1 + 0) = 5.5 of 9.
    std::vector<ranked_answer> answers{{0, 0, 3, true},  {0, 0, 1, false}, {1, 1, 5, true},
                                       {1, 1, 3, false}, {2, 2, 5, true},  {2, 2, 9, false}};
    const rate all = area_under_curve(answers, answer_pairs::all);
    near(all.mean, 5.5 / 9);
    // V of 3, 5, 5: 1/2, 2/3, 2/3; of 1, 3, 9: 1, 5/6, 0. The sums of two, minus 2 A, over 3.
    const double a = 5.5 / 9, d0 = (0.5 + 1 - 2 * a) / 3, d1 = (2.0 / 3 + 5.0 / 6 - 2 * a) / 3,
                 d2 = (2.0 / 3 + 0 - 2 * a) / 3;
    near(all.error, std::sqrt(1.5 * (d0 * d0 + d1 * d1 + d2 * d2)));
    const double logit = std::log(a / (1 - a)),
                 t = 0.95 / std::sqrt(2 * 0.975 * 0.025);  // two degrees of freedom
    const double half = t * all.error / (a * (1 - a));
    near(all.low, 1 / (1 + std::exp(half - logit)));
    near(all.high, 1 / (1 + std::exp(-half - logit)));
    // Within tasks: right, right, wrong.
    const rate own = area_under_curve(answers, answer_pairs::of_one_task);
    near(own.mean, 2.0 / 3);
    near(own.error, std::sqrt(1.5 * 2.0 / 27));

    std::reverse(answers.begin(), answers.end());
    near(area_under_curve(answers, answer_pairs::all).error, all.error);
    for (auto& answer : answers) answer.measure = -answer.measure;
    near(area_under_curve(answers, answer_pairs::all).mean, 1 - all.mean);
}

BOOST_AUTO_TEST_CASE(differences_of_rounding_are_ties) {
    // The same three confidences in two orders, whose sums differ in the last bit.
    const double mean = (0.1 + 0.2 + 0.3) / 3, other = (0.3 + 0.2 + 0.1) / 3;
    BOOST_TEST_REQUIRE(mean != other);
    for (const double sign : {1.0, -1.0}) {
        std::vector<ranked_answer> answers{{0, 0, sign * mean, true}, {1, 1, sign * other, false}};
        near(area_under_curve(answers, answer_pairs::all).mean, 0.5);
        std::swap(answers[0].measure, answers[1].measure);
        near(area_under_curve(answers, answer_pairs::all).mean, 0.5);
        answers[0].measure += 2e-12;
        near(area_under_curve(answers, answer_pairs::all).mean, 1);
    }
}

BOOST_AUTO_TEST_CASE(areas_that_are_not_defined) {
    using enum answer_pairs;
    BOOST_TEST(std::isnan(area_under_curve({}, all).mean));
    const std::vector<ranked_answer> passed{{0, 0, 1, true}, {1, 1, 2, true}};
    BOOST_TEST(std::isnan(area_under_curve(passed, all).mean));
    // One family has no spread; tasks with one kind of answer have no pair of their own.
    const std::vector<ranked_answer> one{{0, 0, 2, true}, {0, 1, 1, false}};
    BOOST_TEST(area_under_curve(one, all).mean == 1);
    BOOST_TEST(std::isnan(area_under_curve(one, all).low));
    BOOST_TEST(std::isnan(area_under_curve(one, of_one_task).mean));
}
