#include "cuset/curate/token_distance.h"

#include <algorithm>
#include <vector>

namespace cuset {

std::size_t token_distance(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                           std::size_t most) {
    const auto n = static_cast<std::ptrdiff_t>(a.size()), m = static_cast<std::ptrdiff_t>(b.size());
    const std::ptrdiff_t limit = static_cast<std::ptrdiff_t>(std::min(most, a.size() + b.size()));
    // farthest[k + limit + 1]: how much of `a` is behind us on diagonal k, where x - y = k.
    std::vector<std::ptrdiff_t> farthest(static_cast<std::size_t>(2 * limit + 3), 0);
    const auto at = [&](std::ptrdiff_t k) -> std::ptrdiff_t& {
        return farthest[static_cast<std::size_t>(k + limit + 1)];
    };
    for (std::ptrdiff_t d = 0; d < limit; ++d) {
        for (std::ptrdiff_t k = -d; k <= d; k += 2) {
            const bool comes = k == -d || (k != d && at(k - 1) < at(k + 1));
            std::ptrdiff_t x = comes ? at(k + 1) : at(k - 1) + 1;
            while (x < n && x - k < m && x - k >= 0 &&
                   a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(x - k)])
                ++x;
            at(k) = x;
            if (x >= n && x - k >= m) return static_cast<std::size_t>(d);
        }
    }
    return static_cast<std::size_t>(limit);
}

}  // namespace cuset
