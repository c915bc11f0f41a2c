#include "cuset/region/low_windows.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>

#include "cuset/region/confidence_summary.h"

using namespace cuset;

namespace {

// The windows of ARCHITECTURE.md (Method), one by one.
double direct_rate(const std::vector<bool>& sensitive, std::size_t size) {
    const auto count = static_cast<std::int64_t>(sensitive.size()),
               l = static_cast<std::int64_t>(size);
    if (count == 0) return 0;
    if (count < l) return std::count(sensitive.begin(), sensitive.end(), true) > 0;
    std::int64_t on = 0;
    for (std::int64_t t = 1; t <= count; ++t) {
        bool any = false;
        for (auto i = std::max<std::int64_t>(1, t - l / 2);
             i <= std::min(count, t + (l + 1) / 2 - 1); ++i)
            any = any || sensitive[static_cast<std::size_t>(i - 1)];
        on += any;
    }
    return static_cast<double>(on) / static_cast<double>(count);
}

}  // namespace

BOOST_AUTO_TEST_CASE(window_rate_by_the_definition) {
    std::mt19937 random(31);
    for (int round = 0; round < 1000; ++round) {
        std::vector<bool> sensitive(random() % 60);
        const auto rarity = 1 + random() % 30;
        for (std::size_t i = 0; i < sensitive.size(); ++i) sensitive[i] = random() % rarity == 0;
        const std::size_t size = 1 + random() % 70;
        BOOST_TEST(rate_on(sensitive, size) == direct_rate(sensitive, size));
    }
    BOOST_TEST(rate_on({}, 64) == 0);
}

BOOST_AUTO_TEST_CASE(low_windows_by_hand) {
    std::vector<hardest_window> samples{
        {0.9, 1, true}, {0.2, 0.5F, true}, {0.5, 0.25F, false}, {0.3, 0.75F, true}, {}};
    const auto found = count_low_windows(samples, 0.5);  // 0.5 itself is not below
    BOOST_TEST(found.samples == 5U);
    BOOST_TEST(found.low == 2U);
    BOOST_TEST(found.on_cuda == 2U);
    BOOST_TEST(found.random_rate == 0.625);
    BOOST_TEST(count_low_windows(samples, 0.6).on_cuda == 2U);
    BOOST_TEST(count_low_windows(samples, 0.6).low == 3U);
    const auto none = count_low_windows(samples, 0.1);
    BOOST_TEST(none.low == 0U);
    BOOST_TEST(std::isnan(none.random_rate));
    // A sample without tokens is never low.
    BOOST_TEST(count_low_windows(samples, 1).low == 4U);
    BOOST_TEST(count_low_windows({}, 0.5).samples == 0U);
}

BOOST_AUTO_TEST_CASE(kinds_of_tokens) {
    // Tokens of bytes 0-2, 2-4, none, 4-6, 6-8 and the end marker.
    const std::vector<std::size_t> ends{2, 4, 4, 6, 8, 8};
    const std::vector<double> confidence{0.9, 0.8, 0.7, 0.2, 0.5, 1};
    const std::vector<byte_span> kernels{{2, 6}}, launches{{5, 6}};
    sample_reader reader(2);
    sample_confidences sample;
    reader.read({{}, ends, confidence, kernels, launches, {}}, sample);
    confidence_statistics statistics;
    statistics.add(sample);
    const auto summary = summarize(statistics, {});
    const auto of = [&](token_kind kind) { return summary.kinds[static_cast<std::size_t>(kind)]; };
    BOOST_TEST(of(token_kind::kernel).tokens == 1U);
    BOOST_TEST(of(token_kind::kernel).mean == 0.8);
    BOOST_TEST(of(token_kind::launch).tokens == 1U);  // inside the kernel, and the launch's
    BOOST_TEST(of(token_kind::launch).mean == 0.2);
    BOOST_TEST(summary.sensitive.tokens == 2U);
    BOOST_TEST(of(token_kind::neutral).tokens == 4U);
    BOOST_TEST(summary.threshold == (0.9 + 0.7 + 0.5 + 1) / 4, boost::test_tools::tolerance(1e-15));
    // The hardest window of two is the fourth and fifth token.
    BOOST_TEST(summary.windows->low == 1U);
    BOOST_TEST(summary.windows->on_cuda == 1U);
    BOOST_TEST(summary.windows->random_rate == 4.0 / 6, boost::test_tools::tolerance(1e-7));

    // The same reader again, on a sample with nothing sensitive.
    reader.read({{}, ends, confidence, {}, {}, {}}, sample);
    confidence_statistics plain;
    plain.add(sample);
    const auto without = summarize(plain, 0.34);
    BOOST_TEST(!without.test.has_value());
    BOOST_TEST(without.sensitive.tokens == 0U);
    BOOST_TEST(std::isnan(without.sensitive.mean));
    BOOST_TEST(without.sensitive.density.empty());
    BOOST_TEST(without.windows->low == 0U);
    confidence_statistics nothing;
    const auto empty = summarize(nothing, {});
    BOOST_TEST(std::isnan(empty.threshold));
    BOOST_TEST(!empty.windows.has_value());
}

BOOST_AUTO_TEST_CASE(all_low_windows_and_regions) {
    // Full windows of two: means 0.2, 0.5, 0.9, 0.5 and 0.2; the first lies on CUDA code.
    const std::vector<double> confidence{0.1, 0.3, 0.7, 1.1, -0.1, 0.5};
    const std::vector<bool> sensitive{true, false, false, false, false, false};
    const std::vector<window_series> samples{
        read_windows(confidence, sensitive, 2, window_ends::full)};
    BOOST_TEST(samples[0].means.size() == 5U);
    const low_windows all = count_low_windows(samples, 0.4, window_choice::all);
    BOOST_TEST(all.low == 1U);
    BOOST_TEST(all.windows == 2U);
    BOOST_TEST(all.on_cuda == 1U);
    BOOST_TEST(all.random_rate == 0.2, boost::test_tools::tolerance(1e-15));
    // Below 0.6, tokens 0 to 3 and 3 to 6 touch: one region, which is the whole sample.
    const low_windows touching = count_low_windows(samples, 0.6, window_choice::regions);
    BOOST_TEST(touching.windows == 1U);
    BOOST_TEST(touching.on_cuda == 1U);
    BOOST_TEST(touching.random_rate == 1);
    const low_windows apart = count_low_windows(samples, 0.4, window_choice::regions);
    BOOST_TEST(apart.windows == 2U);
    BOOST_TEST(apart.random_rate == 0.2, boost::test_tools::tolerance(1e-15));
    const low_windows hardest = count_low_windows(samples, 0.4, window_choice::hardest);
    BOOST_TEST(hardest.windows == 1U);
    BOOST_TEST(hardest.on_cuda == 1U);
    const low_on_cuda there = count_low_on_cuda(samples, 0.4);
    BOOST_TEST(there.low == 1U);
    BOOST_TEST(there.windows == 1U);
    BOOST_TEST(there.below == 1U);
    BOOST_TEST(there.random_rate == 0.4, boost::test_tools::tolerance(1e-15));
    BOOST_TEST(hardest_of(samples[0], true).last == 2U);
    const std::vector<window_series> plain{
        read_windows(confidence, std::vector<bool>(6), 2, window_ends::full)};
    BOOST_TEST(hardest_of(plain[0], true).mean == 1);
    BOOST_TEST(std::isnan(count_low_on_cuda(plain, 0.4).random_rate));
}

BOOST_AUTO_TEST_CASE(differences_over_samples) {
    // Means 0.4 and 0.7; residuals of the samples -0.05 and 0.05, and 0.1 and -0.1.
    const std::vector<token_sum> first{{0.6, 2}, {1, 2}}, second{{0.9, 1}, {0.5, 1}};
    const mean_difference d = difference_of_means(first, second);
    const auto near = boost::test_tools::tolerance(1e-12);
    BOOST_TEST(d.difference == -0.3, near);
    BOOST_TEST(d.high - d.low == 2 * 1.959963984540054 * std::sqrt(2 * 2 * 0.15 * 0.15), near);
    // Tokens of one sample alone tell nothing about others.
    const std::vector<token_sum> once{{0.6, 2}, {}};
    BOOST_TEST(std::isnan(difference_of_means(once, second).low));
    BOOST_TEST(difference_of_means(once, second).difference == -0.4, near);
    const std::vector<token_sum> never(2);
    BOOST_TEST(std::isnan(difference_of_means(never, second).difference));
}

BOOST_AUTO_TEST_CASE(inputs_by_pairs) {
    const auto sample = [](std::uint64_t key, double mean) {
        sample_sums s;
        s.key = key;
        s.kinds[static_cast<std::size_t>(token_kind::neutral)] = {4 * mean, 4};
        s.hardest = {mean / 2, 1};
        return s;
    };
    confidence_statistics first, second;
    first.samples = {sample(7, 0.5), sample(3, 0.25), sample(9, 0.9), sample(9, 0.1)};
    second.samples = {sample(3, 0.5), sample(8, 0.1), sample(9, 0.3), sample(7, 0.5)};
    const paired_summary p = compare(first, second);
    BOOST_TEST(p.pairs == 2U);
    BOOST_TEST(p.unpaired == 2U);
    const auto near = boost::test_tools::tolerance(1e-12);
    BOOST_TEST(p.all.first == 0.375, near);
    BOOST_TEST(p.all.second == 0.5, near);
    BOOST_TEST(p.all.change.difference == 0.125, near);
    // Differences 0 and 0.25: each 0.125 from their mean.
    BOOST_TEST(p.all.change.high - 0.125 == 1.959963984540054 * 0.125, near);
    BOOST_TEST(p.hardest.change.difference == 0.0625, near);
    BOOST_TEST(std::isnan(p.sensitive.first));
    BOOST_TEST(std::isnan(p.sensitive.change.difference));
}
