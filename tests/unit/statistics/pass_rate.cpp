#include "cuset/statistics/pass_rate.h"

#include <boost/multiprecision/cpp_int.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>
#include <vector>

using namespace cuset;
using rational = boost::multiprecision::cpp_rational;

namespace {

/// By counting the draws of k that hold no passing sample: 1 − C(n − c, k) / C(n, k), exactly.
double counted(unsigned samples, unsigned passed, unsigned k) {
    const auto choose = [](unsigned n, unsigned m) {
        rational product = m > n ? 0 : 1;
        for (unsigned i = 0; i < m && m <= n; ++i) product *= rational(n - i, i + 1);
        return product;
    };
    return static_cast<double>(1 - choose(samples - passed, k) / choose(samples, k));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(pass_rate)

BOOST_AUTO_TEST_CASE(exact_for_every_count) {
    for (unsigned n : {1U, 2U, 3U, 10U, 57U, 200U}) {
        for (unsigned c = 0; c <= n; ++c) {
            for (unsigned k : {1U, 2U, 3U, 10U, n}) {
                if (k > n) continue;
                BOOST_TEST_CONTEXT("n " << n << " c " << c << " k " << k) {
                    // A product of 200 factors, each good to one unit of the last place.
                    BOOST_TEST(std::abs(pass_at_k(n, c, k) - counted(n, c, k)) <= 1e-13);
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(linear_between_counts) {
    for (unsigned c = 0; c <= 5; ++c) {
        for (unsigned k = 1; k <= 5; ++k) {
            BOOST_TEST(std::abs(pass_at_mean_k(5, c, k) - counted(5, c, k)) <= 1e-13);
            if (k == 5) continue;
            const double wanted = 0.75 * counted(5, c, k) + 0.25 * counted(5, c, k + 1);
            BOOST_TEST(std::abs(pass_at_mean_k(5, c, k + 0.25) - wanted) <= 1e-13);
        }
    }
}

BOOST_AUTO_TEST_CASE(no_interval_from_one_family) {
    const std::vector<task_value> one{{3, 1}, {3, 0}};
    const rate r = bootstrap_rate(one, 1);
    BOOST_TEST(r.mean == 0.5);
    BOOST_TEST((std::isnan(r.low) && std::isnan(r.high)));
    BOOST_TEST(std::isnan(bootstrap_rate({}, 1).mean));
}

BOOST_AUTO_TEST_CASE(nothing_to_be_unsure_of) {
    std::vector<task_value> tasks;
    for (std::size_t i = 0; i < 40; ++i) tasks.push_back({i / 2, 1});
    const rate r = bootstrap_rate(tasks, 1);
    BOOST_TEST((r.mean == 1 && r.low == 1 && r.high == 1));
}

BOOST_AUTO_TEST_CASE(same_seed_same_interval) {
    const std::vector<task_value> tasks{{0, 1}, {1, 0}, {2, 0}, {2, 1}, {7, 1}, {9, 0}};
    const rate a = bootstrap_rate(tasks, 5), b = bootstrap_rate(tasks, 5),
               c = bootstrap_rate(tasks, 6);
    BOOST_TEST((a.low == b.low && a.high == b.high));
    BOOST_TEST(std::abs(a.low - c.low) < 0.1);
}

// The tasks of a family are mostly solved together or not: how often does the interval contain the
// truth? Drawing tasks instead of families, or the plain quantiles (0.905), falls below the lower
// bound.
BOOST_AUTO_TEST_CASE(coverage) {
    constexpr std::size_t trials = 4000, families = 8, tasks = 5;
    std::mt19937_64 random(20261121);
    std::uniform_real_distribution<double> uniform(0, 1);
    std::size_t held = 0;
    for (std::size_t trial = 0; trial < trials; ++trial) {
        std::vector<task_value> values;
        for (std::size_t family = 0; family < families; ++family) {
            // A chance of (0, 1), (1/2) or 1 with the mean 0.45.
            const double draw = uniform(random);
            const double chance = draw < 0.4 ? 0.05 : draw < 0.7 ? 0.5 : 0.93333333333333333;
            for (std::size_t task = 0; task < tasks; ++task)
                values.push_back({family, uniform(random) < chance ? 1.0 : 0.0});
        }
        const double truth = 0.4 * 0.05 + 0.3 * 0.5 + 0.3 * 0.93333333333333333;
        const rate r = bootstrap_rate(values, trial, 1000);
        held += r.low <= truth && truth <= r.high;
    }
    const double share = static_cast<double>(held) / trials;
    BOOST_TEST_MESSAGE("coverage " << share);
    BOOST_TEST(share >= 0.94);
    BOOST_TEST(share <= 0.975);
}

// Families and trainings both move the rate: how often does the interval contain the truth?
BOOST_AUTO_TEST_CASE(coverage_with_seeds) {
    constexpr std::size_t trials = 2000, families = 16, tasks = 3, seeds = 3;
    std::mt19937_64 random(20261123);
    std::normal_distribution<double> normal;
    std::size_t held = 0;
    for (std::size_t trial = 0; trial < trials; ++trial) {
        std::vector<double> of_seed(seeds);
        for (auto& effect : of_seed) effect = 0.15 * normal(random);
        std::vector<task_value> values;
        for (std::size_t family = 0; family < families; ++family) {
            const double of_family = normal(random);
            for (std::size_t seed = 0; seed < seeds; ++seed)
                for (std::size_t task = 0; task < tasks; ++task)
                    values.push_back(
                        {family, of_family + of_seed[seed] + 0.5 * normal(random), seed});
        }
        const rate r = bootstrap_rate(values, trial, 1000);
        held += r.low <= 0 && 0 <= r.high;
    }
    const double share = static_cast<double>(held) / trials;
    BOOST_TEST_MESSAGE("coverage " << share);
    BOOST_TEST(share >= 0.94);
    BOOST_TEST(share <= 0.975);
}

// Two seeds with the means 0 and 1: the mean's standard error is s / sqrt(2) = 1/2. Drawing two of
// the two would make it sqrt(1/8).
BOOST_AUTO_TEST_CASE(the_spread_of_two_seeds) {
    std::vector<task_value> values;
    for (std::size_t family = 0; family < 12; ++family)
        for (std::size_t seed = 0; seed < 2; ++seed)
            values.push_back({family, static_cast<double>(seed), seed});
    const rate r = bootstrap_rate(values, 1);
    BOOST_TEST(std::abs(r.error * std::sqrt(11.0 / 12) - 0.5) < 0.02);
}

BOOST_AUTO_TEST_CASE(limits_where_all_are_alike) {
    std::vector<task_value> none, all;
    for (std::size_t i = 0; i < 48; ++i) {
        none.push_back({i / 4, 0, i % 2});
        all.push_back({i / 4, 1, i % 2});
    }
    // scipy.stats.binomtest(0, 12).proportion_ci("exact").high
    constexpr double limit = 0.26464847;
    const rate low = bootstrap_rate(none, 1, 100, value_bounds{}),
               high = bootstrap_rate(all, 1, 100, value_bounds{}),
               same = bootstrap_rate(none, 1, 100, value_bounds{-1, 1});
    BOOST_TEST((low.low == 0 && std::abs(low.high - limit) < 1e-8));
    BOOST_TEST((std::abs(high.low - (1 - limit)) < 1e-8 && high.high == 1));
    BOOST_TEST((std::abs(same.low + limit) < 1e-8 && std::abs(same.high - limit) < 1e-8));
    BOOST_TEST((std::isnan(low.error) && std::isnan(detectable_difference(low.error, 12))));
    // One family with another value is a spread.
    none[0].value = 1;
    BOOST_TEST(bootstrap_rate(none, 1, 100, value_bounds{}).high < 0.2);
}

BOOST_AUTO_TEST_CASE(signs) {
    BOOST_TEST(std::isnan(sign_test(0, 0)));
    BOOST_TEST((sign_test(1, 0) == 1 && sign_test(5, 5) == 1));
    BOOST_TEST(std::abs(sign_test(0, 6) - 0.03125) < 1e-15);
    BOOST_TEST(std::abs(sign_test(9, 2) - sign_test(2, 9)) < 1e-15);
    BOOST_TEST(std::abs(sign_test(9, 2) - 134.0 / 2048) < 1e-15);
}

BOOST_AUTO_TEST_CASE(few_runs) {
    const std::vector<double> two{1, 3};
    const rate r = student_rate(two);
    BOOST_TEST((r.mean == 2 && r.error == 1));
    BOOST_TEST(std::abs(r.high - (2 + 12.706204736174707)) < 1e-9);
    BOOST_TEST(std::isnan(student_rate(std::vector<double>{1}).low));
    BOOST_TEST(std::isnan(student_rate({}).mean));
    // scipy.stats.t.ppf(0.975, 23) + scipy.stats.t.ppf(0.8, 23)
    BOOST_TEST(std::abs(detectable_difference(0.01, 24) - 0.02926187164) < 1e-9);
    BOOST_TEST(std::isnan(detectable_difference(0.01, 1)));
}

BOOST_AUTO_TEST_SUITE_END()
