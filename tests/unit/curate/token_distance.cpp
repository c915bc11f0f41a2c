#include "cuset/curate/token_distance.h"

#include <boost/test/unit_test.hpp>
#include <random>
#include <vector>

using namespace cuset;

namespace {

using tokens = std::vector<std::uint64_t>;

/// The same by the table of all prefixes.
std::size_t by_table(const tokens& a, const tokens& b) {
    std::vector<std::vector<std::size_t>> table(a.size() + 1,
                                                std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i)
        for (std::size_t j = 0; j <= b.size(); ++j)
            table[i][j] = i == 0 || j == 0       ? i + j
                          : a[i - 1] == b[j - 1] ? table[i - 1][j - 1]
                                                 : 1 + std::min(table[i - 1][j], table[i][j - 1]);
    return table[a.size()][b.size()];
}

}  // namespace

BOOST_AUTO_TEST_CASE(distances_of_tokens) {
    const auto seed = std::random_device()();
    std::mt19937 random(seed);
    for (int round = 0; round < 2000; ++round) {
        const auto made = [&] {
            tokens t(random() % 24);
            for (auto& token : t) token = random() % (1U + static_cast<unsigned>(round) % 5);
            return t;
        };
        const tokens a = made(), b = made();
        const std::size_t wanted = by_table(a, b);
        BOOST_TEST(token_distance(a, b, 1000) == wanted, "seed " << seed << " round " << round);
        const std::size_t most = random() % 20;
        BOOST_TEST(token_distance(a, b, most) == std::min(wanted, most),
                   "seed " << seed << " round " << round << " most " << most);
    }
    BOOST_TEST(token_distance({}, {}, 9) == 0U);
}
