#include "cuset/region/window.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numeric>
#include <random>

using namespace cuset;

namespace {

// The formula of ARCHITECTURE.md (Method), counted from 1, with sums in long double. It is exact
// but for their rounding; means that differ by no more than that count as equal.
confidence_window direct(const std::vector<double>& c, std::size_t l) {
    const auto count = static_cast<std::ptrdiff_t>(c.size()), size = static_cast<std::ptrdiff_t>(l);
    const auto mean = [&](std::ptrdiff_t first, std::ptrdiff_t last) {
        long double sum = 0;
        for (std::ptrdiff_t i = first; i <= last; ++i) sum += c[static_cast<std::size_t>(i - 1)];
        return sum / static_cast<long double>(last - first + 1);
    };
    if (count == 0) return {};
    if (count < size) return {0, c.size(), static_cast<double>(mean(1, count))};
    confidence_window best;
    long double least = 2;
    for (std::ptrdiff_t t = 1; t <= count; ++t) {
        const std::ptrdiff_t first = std::max<std::ptrdiff_t>(1, t - size / 2);
        const std::ptrdiff_t last = std::min(count, t + (size + 1) / 2 - 1);
        if (const long double m = mean(first, last); m < least * (1 - 1e-16L)) {
            least = m;
            best = {static_cast<std::size_t>(first - 1), static_cast<std::size_t>(last),
                    static_cast<double>(m)};
        }
    }
    return best;
}

void compare(const std::vector<double>& c, std::size_t size) {
    window_search search;
    const confidence_window got = search.hardest(c, size), wanted = direct(c, size);
    BOOST_TEST_CONTEXT("T " << c.size() << " l " << size) {
        BOOST_TEST(got.first == wanted.first);
        BOOST_TEST(got.last == wanted.last);
        BOOST_TEST(std::abs(got.mean - wanted.mean) <= 1e-14 * wanted.mean);
    }
}

double random_power(std::mt19937_64& random, double least) {
    return std::pow(10, std::uniform_real_distribution<double>(least, 0)(random));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(windows)

BOOST_AUTO_TEST_CASE(by_hand) {
    window_search search;
    const std::vector<double> c = {0.9, 0.5, 0.1, 0.3, 0.9, 0.8};
    // l = 3 covers t-1 ... t+1; the least is that at t = 3: (0.5 + 0.1 + 0.3) / 3.
    const auto odd = search.hardest(c, 3);
    BOOST_TEST(odd.first == 1u);
    BOOST_TEST(odd.last == 4u);
    BOOST_TEST(std::abs(odd.mean - 0.3) < 1e-15);
    // l = 2 covers t-1 and t.
    const auto even = search.hardest(c, 2);
    BOOST_TEST(even.first == 2u);
    BOOST_TEST(even.last == 4u);
    BOOST_TEST(std::abs(even.mean - 0.2) < 1e-15);
    // l = 1 is the token itself.
    BOOST_TEST(search.hardest(c, 1).first == 2u);
    BOOST_TEST(search.hardest(c, 1).mean == 0.1);
    // A clipped window at the end is averaged over what is left of it.
    const auto clipped = search.hardest(std::vector<double>{1, 1, 1, 0}, 4);
    BOOST_TEST(clipped.first == 1u);
    BOOST_TEST(clipped.last == 4u);
    BOOST_TEST(std::abs(clipped.mean - 2.0 / 3) < 1e-15);
    BOOST_TEST(sample_weight(0.25) == 0.75);
}

BOOST_AUTO_TEST_CASE(no_tokens) {
    window_search search;
    const auto none = search.hardest({}, 256);
    BOOST_TEST(none.first == 0u);
    BOOST_TEST(none.last == 0u);
    BOOST_TEST(none.mean == 1);
}

// Full windows are those of the formula that have all their tokens.
BOOST_AUTO_TEST_CASE(full_windows) {
    std::mt19937_64 random(13);
    std::uniform_real_distribution<double> uniform(0, 1);
    window_search search;
    for (std::size_t count = 1; count < 30; ++count)
        for (std::size_t size = 1; size < 34; ++size) {
            std::vector<double> c(count);
            for (double& x : c) x = uniform(random);
            std::size_t first = 0, last = count;
            double least = count < size ? -1 : 2;
            for (std::size_t at = 0; at + size <= count; ++at) {
                const double mean =
                    std::accumulate(c.begin() + static_cast<std::ptrdiff_t>(at),
                                    c.begin() + static_cast<std::ptrdiff_t>(at + size), 0.0) /
                    static_cast<double>(size);
                if (mean < least) first = at, last = at + size, least = mean;
            }
            const auto got = search.hardest(c, size, window_ends::full);
            BOOST_TEST(got.first == first);
            BOOST_TEST(got.last == last);
        }
    BOOST_TEST(search.hardest({}, 4, window_ends::full).mean == 1);
}

BOOST_AUTO_TEST_CASE(against_the_formula) {
    std::mt19937_64 random(11);
    std::uniform_real_distribution<double> uniform(0, 1);
    for (std::size_t count = 0; count < 40; ++count)
        for (std::size_t size = 1; size < 45; ++size) {
            std::vector<double> c(count);
            for (double& x : c) x = count % 2 ? uniform(random) : random_power(random, -12);
            compare(c, size);
        }
    for (const std::size_t count : {255u, 256u, 257u, 4096u}) {
        std::vector<double> c(count);
        for (double& x : c) x = uniform(random);
        for (const std::size_t size : {1u, 2u, 255u, 256u, 257u, 1000u}) compare(c, size);
    }
}

// What DBL_MIN stands for is told apart from what is larger, whatever the size of either.
BOOST_AUTO_TEST_CASE(tiny_confidences) {
    window_search search;
    BOOST_TEST(search.hardest(std::vector<double>{5e-13, 1e-20}, 1).first == 1u);
    BOOST_TEST(search.hardest(std::vector<double>{1e-300, 1e-303}, 1).first == 1u);
    BOOST_TEST(search.hardest(std::vector<double>{1e-303, 1e-300}, 1).first == 0u);
    std::mt19937_64 random(12);
    for (int round = 0; round < 300; ++round) {
        // All of one size, as the sums' precision is relative to what is summed.
        const double scale = random_power(random, -290);
        std::vector<double> c(1 + random() % 60);
        for (double& x : c) x = scale * random_power(random, -8);
        compare(c, 1 + random() % 20);
    }
}

// Equal confidences make equal windows: the first counts, also where plain sums would drift.
BOOST_AUTO_TEST_CASE(ties) {
    window_search search;
    for (const double c : {0.1, 0.3, 0.7, 0.9, 1.0, 0.0, 1.0 / 3})
        for (const std::size_t count : {1u, 256u, 257u, 1000u, 300000u})
            for (const std::size_t size : {1u, 255u, 256u}) {
                const auto got = search.hardest(std::vector<double>(count, c), size);
                BOOST_TEST_CONTEXT(c << ' ' << count << ' ' << size) {
                    BOOST_TEST(got.first == 0u);
                    BOOST_TEST(got.last == (count < size ? count : (size + 1) / 2));
                }
            }
    // Two dips of the same depth.
    std::vector<double> dips(1000, 0.9);
    for (const std::size_t at : {300u, 700u})
        for (std::size_t i = 0; i < 20; ++i) dips[at + i] = 0.1;
    BOOST_TEST(search.hardest(dips, 20).first == 300u);
}

// Without some tokens: as if there were no others, at the places that they had.
BOOST_AUTO_TEST_CASE(some_tokens_alone) {
    std::mt19937_64 random(20261129);
    window_search search;
    for (int round = 0; round < 300; ++round) {
        const std::size_t count = 1 + random() % 60, size = 1 + random() % 20;
        std::vector<double> c(count), kept;
        std::vector<bool> left_out(count);
        std::vector<std::size_t> places;
        const std::size_t first = random() % count, last = first + random() % (count - first + 1);
        for (std::size_t i = 0; i < count; ++i) {
            c[i] = random_power(random, -3);
            left_out[i] = random() % 3 == 0;
            if (i < first || i >= last || left_out[i]) continue;
            kept.push_back(c[i]);
            places.push_back(i);
        }
        const auto got =
            search.hardest_of_kept(c, left_out, first, last, size, window_ends::clipped);
        const confidence_window wanted = direct(kept, size);
        BOOST_TEST(std::abs(got.mean - wanted.mean) <= 1e-14 * wanted.mean);
        if (kept.empty()) {
            BOOST_TEST(got.first == got.last);
            continue;
        }
        BOOST_TEST(got.first == places[wanted.first]);
        BOOST_TEST(got.last == places[wanted.last - 1] + 1);
    }
}

// A tiny mean behind a long sum keeps its digits.
BOOST_AUTO_TEST_CASE(small_means_are_exact) {
    std::vector<double> c(50000, 0.999);
    for (std::size_t i = 0; i < 4; ++i) c[40000 + i] = 1.23456789e-9;
    window_search search;
    const auto got = search.hardest(c, 4);
    BOOST_TEST(got.first == 40000u);
    BOOST_TEST(std::abs(got.mean - 1.23456789e-9) < 1e-22);
}

BOOST_AUTO_TEST_SUITE_END()
