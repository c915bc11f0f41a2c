#include "cuset/statistics/confidence_counts.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>

using namespace cuset;

namespace {

// The value after printf and strtod: six digits, by the C library's code.
double rounded(double value) {
    char text[64];
    std::snprintf(text, sizeof text, "%.5e", value);
    return std::strtod(text, nullptr);
}

double random_confidence(std::mt19937_64& random) {
    const double power = std::uniform_real_distribution(-12.0, 0.0)(random);
    return random() % 3 ? std::uniform_real_distribution(0.0, 1.0)(random) : std::pow(10, power);
}

}  // namespace

BOOST_AUTO_TEST_CASE(cells_are_six_digits) {
    using counts = confidence_counts;
    BOOST_TEST(counts::cell_of(1) == 0U);
    BOOST_TEST(counts::cell_of(0.999999) == 1U);
    BOOST_TEST(counts::cell_of(0) == counts::last_cell);
    BOOST_TEST(counts::value_of(counts::last_cell) == 0);
    BOOST_TEST(counts::cell_of(1e-301) == counts::last_cell);
    BOOST_TEST(counts::cell_of(5e-324) == counts::last_cell);
    BOOST_TEST(counts::value_of(counts::cell_of(1e-300)) == 1e-300,
               boost::test_tools::tolerance(1e-15));

    std::mt19937_64 random(11);
    const auto check = [](double value) {
        const double expected = rounded(value);
        const double got = counts::value_of(counts::cell_of(value));
        // Exact where the power of ten is.
        if (value > 1e-17)
            BOOST_TEST(got == expected, value);
        else
            BOOST_TEST(std::abs(got - expected) <= 4e-16 * expected, value);
    };
    for (int i = 0; i < 100'000; ++i) check(rounded(random_confidence(random)));
    // Longer numbers, and those around powers of ten, where rounding changes the decade.
    for (int i = 0; i < 100'000; ++i) {
        const double value = random_confidence(random);
        const double cut = value / std::pow(10, std::floor(std::log10(value)) - 5);
        if (std::abs(cut - std::floor(cut) - 0.5) > 1e-6) check(value);  // no tie
    }
    for (int power = -299; power < 0; ++power)
        for (const double factor :
             {1.0, 1 - 1e-7, 1 + 1e-7, 1 - 4e-6, 0.999999, 1.00001, 0.9999956})
            check(factor * std::strtod(("1e" + std::to_string(power)).c_str(), nullptr));
    // Greater cells are lower values.
    double before = 2;
    for (counts::cell c = 0; c < 3'000'000; c += 7) {
        const double value = counts::value_of(c);
        BOOST_REQUIRE(value < before);
        before = value;
    }
}

BOOST_AUTO_TEST_CASE(counts_against_a_sorted_list) {
    std::mt19937_64 random(12);
    for (int round = 0; round < 60; ++round) {
        const std::size_t n = 1 + random() % (round < 40 ? 20 : 3000);
        std::vector<double> all;
        confidence_counts one, other;
        for (std::size_t i = 0; i < n; ++i) {
            const double value = random() % 4 == 0 ? static_cast<double>(random() % 11) / 10
                                                   : rounded(random_confidence(random));
            all.push_back(value);
            (random() % 2 ? one : other).add(confidence_counts::cell_of(value));
        }
        one.add(other);
        std::sort(all.begin(), all.end());
        BOOST_TEST(one.size() == n);
        const double mean = std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(n);
        BOOST_TEST(one.mean() == mean, boost::test_tools::tolerance(1e-12));
        for (const double share : {0.0, 0.05, 0.3, 0.5, 0.95, 1.0}) {
            const double place = share * static_cast<double>(n - 1);
            const auto low = static_cast<std::size_t>(place);
            const double expected =
                all[low] + (all[std::min(low + 1, n - 1)] - all[low]) * (place - std::floor(place));
            BOOST_TEST(one.quantiles(std::vector{share, 0.5})[0] == expected,
                       boost::test_tools::tolerance(1e-13));
        }
        const auto density = one.density();
        BOOST_TEST(std::accumulate(density.begin(), density.end(), 0.0) /
                           confidence_counts::density_bins ==
                       1,
                   boost::test_tools::tolerance(1e-12));
        for (std::size_t b = 0; b < density.size(); ++b) {
            // Edges in whole hundredths, that no rounding moves.
            const auto in_bin = std::count_if(all.begin(), all.end(), [&](double v) {
                const auto millionths = std::floor(v * 1e8 + 1e-3) / 100;
                return millionths >= 20'000.0 * static_cast<double>(b) &&
                       (millionths < 20'000.0 * static_cast<double>(b + 1) || b == 49);
            });
            BOOST_TEST(density[b] * static_cast<double>(n) / 50 == static_cast<double>(in_bin),
                       boost::test_tools::tolerance(1e-9));
        }
    }
}

BOOST_AUTO_TEST_CASE(counts_without_end) {
    confidence_counts counts;
    BOOST_TEST(std::isnan(counts.mean()));
    BOOST_TEST(std::isnan(counts.quantiles(std::vector{0.5})[0]));
    BOOST_TEST(counts.density().empty());
    BOOST_TEST(confidence_counts::cursor(counts).at_end());

    // Past 16 bits one by one, past 32 at once, and 65,536 exactly, of which the low half is 0.
    const auto a = confidence_counts::cell_of(0.25), b = confidence_counts::cell_of(0.5),
               c = confidence_counts::cell_of(1);
    for (int i = 0; i < 70'000; ++i) counts.add(a);
    counts.add(b, 65'536);
    counts.add(c, 5'000'000'000);
    counts.add(c, 1);
    confidence_counts::cursor i(counts);
    BOOST_TEST(i.at() == c);
    BOOST_TEST(i.count() == 5'000'000'001U);
    i.advance();
    BOOST_TEST(i.at() == b);
    BOOST_TEST(i.count() == 65'536U);
    i.advance();
    BOOST_TEST(i.at() == a);
    BOOST_TEST(i.count() == 70'000U);
    i.advance();
    BOOST_TEST(i.at_end());
    BOOST_TEST(counts.size() == 5'000'135'537U);

    confidence_counts twice;
    twice.add(counts);
    twice.add(counts);
    BOOST_TEST(twice.size() == 2 * counts.size());
    BOOST_TEST(confidence_counts::cursor(twice).count() == 10'000'000'002U);
    BOOST_TEST(twice.mean() == counts.mean(), boost::test_tools::tolerance(1e-15));
}
