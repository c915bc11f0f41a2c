// Drawn tokens against the distribution that the definition gives, in double.
#include "cuset/sample/token_choice.h"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "cuset/base/random_key.h"

using namespace cuset;

namespace {

/// softmax of logits / temperature, the top_k of them, the fewest that reach top_p of what is left.
std::vector<double> distribution(const std::vector<float>& logits,
                                 const token_choice_options& options) {
    std::vector<double> p(logits.size());
    const double top = *std::max_element(logits.begin(), logits.end());
    for (std::size_t i = 0; i < p.size(); ++i)
        p[i] = std::exp((static_cast<double>(logits[i]) - top) / options.temperature);
    std::vector<std::size_t> order(p.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return p[a] > p[b]; });
    const auto normalise = [&] {
        const double sum = std::accumulate(p.begin(), p.end(), 0.0);
        for (double& value : p) value /= sum;
    };
    if (options.top_k > 0)
        for (std::size_t i = options.top_k; i < order.size(); ++i) p[order[i]] = 0;
    normalise();
    double sum = 0;
    for (const std::size_t i : order) {
        if (sum >= options.top_p) p[i] = 0;
        sum += p[i];
    }
    normalise();
    return p;
}

/// Draws from logits and compares the counts; what is expected less than five times is one bin.
void check_counts(const std::vector<float>& logits, const token_choice_options& options,
                  std::uint64_t key, std::size_t draws) {
    const std::vector<double> expected = distribution(logits, options);
    std::vector<std::size_t> counts(logits.size());
    token_choice choice(options);
    for (std::size_t i = 0; i < draws; ++i) {
        const auto token = choice.choose(logits, mixed_key(key, i));
        BOOST_REQUIRE(token.is_ok());
        ++counts[static_cast<std::size_t>(*token)];
    }
    double distance = 0, rare_expected = 0, rare_count = 0;
    std::size_t bins = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (expected[i] == 0) BOOST_TEST(counts[i] == 0U, "token " << i << " was cut");
        const double mean = expected[i] * static_cast<double>(draws);
        const auto count = static_cast<double>(counts[i]);
        if (mean < 5) {
            rare_expected += mean;
            rare_count += count;
            continue;
        }
        distance += (count - mean) * (count - mean) / mean;
        ++bins;
    }
    if (rare_expected >= 5) {
        distance += (rare_count - rare_expected) * (rare_count - rare_expected) / rare_expected;
        ++bins;
    }
    if (bins < 2) return;
    const boost::math::chi_squared law(static_cast<double>(bins - 1));
    BOOST_TEST(distance < boost::math::quantile(law, 1 - 1e-6),
               "chi-square " << distance << " of " << bins << " bins, temperature "
                             << options.temperature << ", top_p " << options.top_p << ", top_k "
                             << options.top_k);
}

std::vector<float> random_logits(std::size_t count, float spread, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0, spread);
    std::vector<float> logits(count);
    for (float& value : logits) value = normal(random);
    return logits;
}

}  // namespace

BOOST_AUTO_TEST_CASE(tokens_follow_the_distribution) {
    const std::uint32_t seed = 20261121;
    const auto small = random_logits(50, 2, seed), large = random_logits(3'000, 4, seed + 1);
    std::uint64_t key = seed;
    for (const double temperature : {2e-5, 0.01, 0.3, 1.0, 1.7})
        for (const double top_p : {1.0, 0.95, 0.5, 0.01})
            for (const std::size_t top_k : {0U, 1U, 7U, 400U}) {
                check_counts(small, {temperature, top_p, top_k}, ++key, 4'000);
                check_counts(large, {temperature, top_p, top_k}, ++key, 300);
            }
}

BOOST_AUTO_TEST_CASE(a_flat_distribution_is_cut_where_top_p_says) {
    const std::vector<float> flat(1000, 0.5F);
    token_choice choice({1, 0.25, 0});
    for (std::uint64_t i = 0; i < 500; ++i)
        BOOST_TEST(*choice.choose(flat, mixed_key(1, i)) < 251);
    check_counts(flat, {1, 1, 0}, 2, 10'000);
}

BOOST_AUTO_TEST_CASE(temperature_0_takes_the_first_of_the_likeliest) {
    token_choice choice({0, 0.5, 3});
    for (std::uint64_t bits : {std::uint64_t{0}, UINT64_MAX})
        BOOST_TEST(*choice.choose(std::vector<float>{1, 5, 5, -2}, bits) == 1);
}

BOOST_AUTO_TEST_CASE(a_tiny_temperature_takes_the_likeliest) {
    const std::vector<float> logits{-30, 20, 24.5F, 24, -1000};
    for (const double temperature : {1e-3, 1e-4, 2e-5, 1e-5, 1e-8, 1e-30}) {
        token_choice choice({temperature, 1, 0});
        for (std::uint64_t i = 0; i < 50; ++i)
            BOOST_TEST(*choice.choose(logits, mixed_key(4, i)) == 2, temperature);
    }
}

BOOST_AUTO_TEST_CASE(the_ends_of_the_random_numbers_draw_a_token) {
    const float none = -std::numeric_limits<float>::infinity();
    const std::vector<float> logits{none, 0, 1, none};
    for (const double top_p : {1.0, 0.9}) {
        token_choice choice({1, top_p, 0});
        for (const std::uint64_t bits : {std::uint64_t{0}, UINT64_MAX}) {
            const std::int32_t token = *choice.choose(logits, bits);
            BOOST_TEST((token == 1 || token == 2));
        }
    }
}

BOOST_AUTO_TEST_CASE(logits_that_are_not_finite_are_an_error) {
    token_choice choice({1, 1, 0});
    for (const float bad :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
        for (const std::vector<float>& logits :
             {std::vector<float>{bad, 1}, std::vector<float>{1, bad}, std::vector<float>{bad, bad}})
            BOOST_TEST(!choice.choose(logits, 1).is_ok());
    BOOST_TEST(!choice.choose(std::vector<float>{}, 1).is_ok());
}
