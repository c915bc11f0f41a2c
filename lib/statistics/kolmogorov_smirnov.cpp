#include "cuset/statistics/kolmogorov_smirnov.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cuset {

double log_kolmogorov_tail(double z) {
    using std::numbers::pi;
    if (!(z > 0)) return 0;
    double sum = 0;
    if (z > 1) {
        double sign = 1;
        for (int k = 1; k <= 5; ++k, sign = -sign) sum += sign * std::exp(-2 * (k * k - 1) * z * z);
        return std::numbers::ln2 - 2 * z * z + std::log(sum);
    }
    for (int k = 1; k <= 7; k += 2) sum += std::exp(-k * k * pi * pi / (8 * z * z));
    return std::log1p(-std::sqrt(2 * pi) / z * sum);
}

kolmogorov_smirnov test_kolmogorov_smirnov(const confidence_counts& first,
                                           const confidence_counts& second) {
    const auto n1 = static_cast<double>(first.size()), n2 = static_cast<double>(second.size());
    kolmogorov_smirnov test;
    // Walks down from confidence 1: what is not above x is at or below it.
    std::uint64_t above1 = 0, above2 = 0;
    confidence_counts::cursor i(first), j(second);
    while (!i.at_end() || !j.at_end()) {
        const auto x = std::min(i.at(), j.at());
        const double f1 = static_cast<double>(first.size() - above1) / n1;
        const double f2 = static_cast<double>(second.size() - above2) / n2;
        if (const double d = std::abs(f1 - f2); d >= test.d) {
            test.d = d;
            test.at = confidence_counts::value_of(x);
            test.first_at_or_below = f1;
            test.second_at_or_below = f2;
        }
        if (i.at() == x) {
            above1 += i.count();
            i.advance();
        }
        if (j.at() == x) {
            above2 += j.count();
            j.advance();
        }
    }
    test.z = test.d * std::sqrt(n1 * n2 / (n1 + n2));
    const double log_p = log_kolmogorov_tail(test.z);
    test.p = std::exp(log_p);
    test.log10_p = log_p / std::numbers::ln10;
    return test;
}

}  // namespace cuset
