// How many samples have a window of low confidence, and how many of those windows lie on CUDA code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cuset {

/// What is kept of a sample, 16 bytes, until the threshold is known: the mean confidence of other
/// tokens is, when all samples have been read, and an input may be a pipe. A sample has a low
/// window exactly where its hardest one is low.
struct hardest_window {
    double mean = 1;      ///< of its confidences; 1 for a sample without tokens
    float cuda_rate = 0;  ///< the share of the sample's windows that lie on CUDA code
    bool on_cuda = false;
};

struct low_windows {
    std::uint64_t samples = 0;  ///< in all
    std::uint64_t low = 0;      ///< samples whose hardest window's mean is below the threshold
    std::uint64_t on_cuda = 0;  ///< of those, how many have that window on CUDA code
    /// What on_cuda / low would be on average, were a window of each of those samples drawn at
    /// random instead of the hardest; NaN where none is low.
    double random_rate = 0;
};

/// A window lies on CUDA code where one of its tokens does (see sensitive_tokens). True for tokens
/// [first, last).
bool lies_on(const std::vector<bool>& sensitive, std::size_t first, std::size_t last);

/// The share of a sample's windows (those of window_search: one around every token, clipped at the
/// ends; the whole response where it is shorter than `size`) that lie on CUDA code. 0 where there
/// are none.
double rate_on(const std::vector<bool>& sensitive, std::size_t size);

/// Strictly below the threshold. The order of the samples makes no difference, not even of the last
/// digit; it is changed.
low_windows count_low_windows(std::span<hardest_window> samples, double threshold);

}  // namespace cuset
