#include "back_off.h"

#include <algorithm>
#include <cmath>

#include "cuset/base/random_key.h"

namespace cuset {

double back_off(double first_seconds, std::size_t number, std::size_t attempt,
                std::optional<double> asked_seconds) {
    // 53 random bits in [0, 1).
    const double random =
        std::ldexp(static_cast<double>(mixed_key(mixed_key(0, number), attempt) >> 11), -53);
    const int doublings = static_cast<int>(std::min<std::size_t>(attempt - 1, 60));
    const double whole = std::min(std::ldexp(first_seconds, doublings), longest_back_off_seconds);
    const double wait = whole * (1 + random) / 2;
    const double spread = std::min(first_seconds, longest_back_off_seconds) * random;
    return std::max(wait, asked_seconds ? *asked_seconds + spread : 0);
}

}  // namespace cuset
