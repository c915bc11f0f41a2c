// How far two groups of tokens differ in their mean, and how sure that is over samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace cuset {

/// A group's tokens in one sample.
struct token_sum {
    double sum = 0;  ///< of their confidences
    std::uint64_t count = 0;
};

struct mean_difference {
    double difference = 0;  ///< mean of the first group's tokens minus that of the second's
    /// A 95 % interval over samples; NaN if one of the groups has tokens in fewer than two.
    double low = 0, high = 0;
};

/// The samples, not the tokens, are what was drawn: tokens of one text depend on each other. With
/// the sums a_i of n_i tokens in sample i, A = sum a_i / sum n_i and B likewise, the variance of
/// A - B is, by Taylor linearisation of the two ratios over s samples (Cochran, "Sampling
/// Techniques", 1977, section 6.3),
///   s / (s - 1) * sum_i ((a_i - A n_i) / sum n_i - (b_i - B m_i) / sum m_i)^2,
/// and the interval is 1.96 of its roots to each side. `first` and `second` have one value for each
/// sample; if one of them has no tokens at all, everything is NaN. The order of the samples does
/// not change a single digit.
mean_difference difference_of_means(std::span<const token_sum> first,
                                    std::span<const token_sum> second);

}  // namespace cuset
