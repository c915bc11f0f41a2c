// How many samples have a window of low confidence, and how many of those windows lie on CUDA code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cuset/region/window.h"

namespace cuset {

/// What is kept of a sample, 16 bytes, until the threshold is known. The threshold may be the mean
/// of other tokens, known only when all samples have been read, and an input may be a pipe. A
/// sample has a low window exactly if its hardest one is low.
struct hardest_window {
    double mean = 1;      ///< of its confidences; 1 without tokens
    float cuda_rate = 0;  ///< the share of the sample's windows that lie on CUDA code
    bool on_cuda = false;
};

/// Which low windows are counted: the values of --windows.
enum class window_choice : unsigned char {
    hardest,  ///< the hardest of each sample
    all,      ///< each
    regions,  ///< low windows that overlap or touch, as one
};

struct low_windows {
    std::uint64_t samples = 0;  ///< in all
    std::uint64_t low = 0;      ///< samples whose hardest window's mean is below the threshold
    std::uint64_t windows = 0;  ///< low windows, as they are counted
    std::uint64_t on_cuda = 0;  ///< of those, how many lie on CUDA code
    /// The average that on_cuda / windows would have if each were drawn at random from its sample,
    /// among windows (or, of regions, stretches of tokens as long); NaN if none is low.
    double random_rate = 0;
};

/// All windows of a sample, kept until the threshold is known: 8 bytes and two bits a token.
struct window_series {
    std::size_t size = 0;  ///< as they were asked for
    window_ends ends = window_ends::clipped;
    std::vector<double> means;    ///< in order of position
    std::vector<bool> sensitive;  ///< of each token
    std::vector<bool> on_cuda;    ///< of each window
};

/// The tokens [first, last) of window i of a sample with so many tokens, and how many windows it
/// has. The windows are those of window_search.
std::size_t window_count(std::size_t tokens, std::size_t size, window_ends ends);
confidence_window window_at(std::size_t i, std::size_t tokens, std::size_t size, window_ends ends);

/// `confidence` and `sensitive` have one value for each token. A mean is good to some 1e-15.
window_series read_windows(std::span<const double> confidence, const std::vector<bool>& sensitive,
                           std::size_t size, window_ends ends);

/// The hardest of the windows that lie on CUDA code (`within_cuda`; Eq. 7 over those), or of all.
/// Mean 1 if there are none.
confidence_window hardest_of(const window_series& windows, bool within_cuda);

/// Counts windows strictly below the threshold. The order of the samples does not change a single
/// digit.
low_windows count_low_windows(std::span<const window_series> samples, double threshold,
                              window_choice choice);

/// The windows on CUDA code alone.
struct low_on_cuda {
    std::uint64_t samples = 0;  ///< in all
    std::uint64_t low = 0;      ///< samples with a low window on CUDA code
    std::uint64_t windows = 0;  ///< windows on CUDA code
    std::uint64_t below = 0;    ///< of those, how many are low
    /// The average that below / windows would have if each were drawn at random among all windows
    /// of its sample; NaN if there are none.
    double random_rate = 0;
};
low_on_cuda count_low_on_cuda(std::span<const window_series> samples, double threshold);

/// Whether one of the tokens [first, last) is CUDA code (see sensitive_tokens): a window lies on
/// CUDA code if this holds.
bool lies_on(const std::vector<bool>& sensitive, std::size_t first, std::size_t last);

/// The share of a sample's windows that lie on CUDA code. The windows are those of window_search:
/// one around every token, clipped at the ends or full; one whole response if that is shorter than
/// `size`.
/// 0 if there are none.
double rate_on(const std::vector<bool>& sensitive, std::size_t size,
               window_ends ends = window_ends::clipped);

/// Counts windows strictly below the threshold. The order of the samples does not change a single
/// digit of the result; the call changes that order.
low_windows count_low_windows(std::span<hardest_window> samples, double threshold);

}  // namespace cuset
