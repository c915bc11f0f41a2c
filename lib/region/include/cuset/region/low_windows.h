// How many samples have a window of low confidence, and how many of those windows lie on CUDA code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cuset {

/// What is kept of a sample, 16 bytes, until the threshold is known. The threshold may be the mean
/// of other tokens, known only when all samples have been read, and an input may be a pipe. A
/// sample has a low window exactly if its hardest one is low.
struct hardest_window {
    double mean = 1;      ///< of its confidences; 1 without tokens
    float cuda_rate = 0;  ///< the share of the sample's windows that lie on CUDA code
    bool on_cuda = false;
};

struct low_windows {
    std::uint64_t samples = 0;  ///< in all
    std::uint64_t low = 0;      ///< samples whose hardest window's mean is below the threshold
    std::uint64_t on_cuda = 0;  ///< of those, how many have that window on CUDA code
    /// The average that on_cuda / low would have if a window of each of those samples were drawn at
    /// random instead of the hardest one; NaN if none is low.
    double random_rate = 0;
};

/// Whether one of the tokens [first, last) is CUDA code (see sensitive_tokens): a window lies on
/// CUDA code if this holds.
bool lies_on(const std::vector<bool>& sensitive, std::size_t first, std::size_t last);

/// The share of a sample's windows that lie on CUDA code. The windows are those of window_search:
/// one around every token, clipped at the ends; one whole response if that is shorter than `size`.
/// 0 if there are none.
double rate_on(const std::vector<bool>& sensitive, std::size_t size);

/// Counts windows strictly below the threshold. The order of the samples does not change a single
/// digit of the result; the call changes that order.
low_windows count_low_windows(std::span<hardest_window> samples, double threshold);

}  // namespace cuset
