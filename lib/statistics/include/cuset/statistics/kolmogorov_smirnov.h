// The two-sample Kolmogorov-Smirnov test: whether two sets of confidences come from one
// distribution, and where they differ most.
#pragma once

#include "cuset/statistics/confidence_counts.h"

namespace cuset {

struct kolmogorov_smirnov {
    double d = 0;   ///< sup over x of |F1(x) - F2(x)|, the empirical distributions
    double at = 0;  ///< the least x with that difference
    double first_at_or_below = 0, second_at_or_below = 0;  ///< F1(at), F2(at)
    double z = 0;                                          ///< d * sqrt(n1 * n2 / (n1 + n2))
    /// P(D >= d) if both samples came from one continuous distribution, in the limit of large
    /// samples, and its decimal logarithm, which does not underflow. Two-sided.
    double p = 1, log10_p = 0;
};

/// Computes the test. d is exact for any ties; neither sample may be empty. Ties make the test
/// conservative: p is then an upper bound. The test assumes independent values, and tokens of one
/// text are not independent: with many tokens p is small for any difference, and d is the size of
/// the difference.
///
/// Smirnov, "Table for estimating the goodness of fit of empirical distributions" (1948): in the
/// limit z has Kolmogorov's distribution. scipy.stats.ks_2samp(method="asymp") uses Kolmogorov's
/// exact distribution of one sample of n1 n2 / (n1 + n2) values instead, which has the same limit;
/// in a far tail (d > 0.1) its p is smaller by orders of magnitude.
kolmogorov_smirnov test_kolmogorov_smirnov(const confidence_counts& first,
                                           const confidence_counts& second);

/// The natural logarithm of P(K > z), K of Kolmogorov's distribution; 0 for z <= 0. Above 1 by
///   P(K > z) = 2 sum_{k>=1} (-1)^(k-1) exp(-2 k^2 z^2)
/// with its first term taken out, else by its dual (Feller, "On the Kolmogorov-Smirnov limit
/// theorems for empirical distributions", 1948, and Jacobi's transformation of theta functions)
///   P(K <= z) = sqrt(2 pi) / z * sum_{k>=1} exp(-(2 k - 1)^2 pi^2 / (8 z^2)).
/// Good to 1e-14 of P, however small that is.
double log_kolmogorov_tail(double z);

}  // namespace cuset
