#include "cuset/statistics/kolmogorov_smirnov.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

using namespace cuset;

// Values of P(K > z) from Smirnov's table (1948), to its six decimals.
BOOST_AUTO_TEST_CASE(kolmogorov_tail_in_smirnovs_table) {
    const double table[][2] = {{0.28, 0.999999}, {0.5, 0.963945}, {0.8, 0.544142},
                               {1.0, 0.270000},  {1.2, 0.112250}, {1.36, 0.049486},
                               {1.63, 0.009846}, {2.0, 0.000671}};
    for (const auto& [z, p] : table)
        BOOST_TEST(std::abs(std::exp(log_kolmogorov_tail(z)) - p) < 1.01e-6, z);
    BOOST_TEST(log_kolmogorov_tail(0) == 0);
    BOOST_TEST(log_kolmogorov_tail(-1) == 0);
    BOOST_TEST(log_kolmogorov_tail(1e-9) == 0);
}

// Both series hold everywhere: at 1, where one takes over from the other, they agree.
BOOST_AUTO_TEST_CASE(kolmogorov_tail_has_no_step) {
    const double below = log_kolmogorov_tail(1),
                 above = log_kolmogorov_tail(std::nextafter(1.0, 2.0));
    BOOST_TEST(below == above, boost::test_tools::tolerance(1e-14));
    double before = 0;
    for (double z = 0.01; z < 3; z += 0.01) {
        const double p = log_kolmogorov_tail(z);
        BOOST_TEST(p <= before, z);
        before = p;
    }
    // Far out, the first term is all there is.
    for (const double z : {5.0, 30.0, 1000.0})
        BOOST_TEST(log_kolmogorov_tail(z) == std::numbers::ln2 - 2 * z * z,
                   boost::test_tools::tolerance(1e-14));
}

BOOST_AUTO_TEST_CASE(statistic_by_the_definition) {
    std::mt19937 random(21);
    for (int round = 0; round < 400; ++round) {
        // A coarse grid makes ties within and between the samples.
        const int grid = round % 2 ? 10 : 1'000'000;
        std::vector<double> x(1 + random() % 30), y(1 + random() % (round % 3 ? 30 : 2000));
        confidence_counts first, second;
        for (auto* sample : {&x, &y}) {
            for (double& v : *sample) {
                v = static_cast<double>(random() % static_cast<unsigned>(grid + 1)) / grid;
                (sample == &x ? first : second).add(confidence_counts::cell_of(v));
            }
        }
        const auto share = [](const std::vector<double>& sample, double at) {
            return static_cast<double>(std::count_if(sample.begin(), sample.end(),
                                                     [&](double v) { return v <= at; })) /
                   static_cast<double>(sample.size());
        };
        double d = 0, where = 0;
        std::vector<double> all = x;
        all.insert(all.end(), y.begin(), y.end());
        std::sort(all.begin(), all.end());
        for (const double v : all)
            if (const double here = std::abs(share(x, v) - share(y, v)); here > d)
                d = here, where = v;
        const auto test = test_kolmogorov_smirnov(first, second);
        BOOST_TEST(std::abs(test.d - d) < 1e-15);
        BOOST_TEST(test.first_at_or_below == share(x, test.at));
        BOOST_TEST(test.second_at_or_below == share(y, test.at));
        if (d > 0) BOOST_TEST(test.at <= where);
        BOOST_TEST(test.log10_p == log_kolmogorov_tail(test.z) / std::numbers::ln10);
        // Symmetric but for the names.
        BOOST_TEST(test_kolmogorov_smirnov(second, first).d == test.d);
    }
}

BOOST_AUTO_TEST_CASE(p_does_not_underflow_in_its_logarithm) {
    confidence_counts low, high;
    low.add(confidence_counts::cell_of(0.1), 5'000'000);
    high.add(confidence_counts::cell_of(0.9), 5'000'000);
    const auto test = test_kolmogorov_smirnov(low, high);
    BOOST_TEST(test.d == 1);
    BOOST_TEST(test.at == 0.1);
    BOOST_TEST(test.p == 0);
    BOOST_TEST(test.log10_p == (std::numbers::ln2 - 5e6) / std::numbers::ln10,
               boost::test_tools::tolerance(1e-14));
    BOOST_TEST(test_kolmogorov_smirnov(low, low).p == 1);
}
