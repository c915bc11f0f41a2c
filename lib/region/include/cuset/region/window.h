// The region of a response where the model is least sure (ARCHITECTURE.md, Method).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cuset/kernels/region.h"

namespace cuset {

struct confidence_window {
    std::size_t first = 0, last = 0;  ///< tokens [first, last), from 0
    double mean = 1;                  ///< C = min over t of C_t, the mean confidence of the window
};

/// Which windows count.
enum class window_ends : unsigned char {
    clipped,  ///< one at every token, as the method has it
    full,     ///< those of l tokens: no end of the response clips them
};

/// Finds the window with the lowest mean confidence. The window at token t (from 1) covers the
/// tokens max(1, t - floor(l/2)) ... min(T, t + ceil(l/2) - 1), clipped at the ends and averaged
/// over what is left. If T < l there is one window, the whole response. One pass over prefix sums:
/// O(T) time for any window size.
///
/// The sums are compensated (each carries what its additions lost), so that the mean of a window is
/// good to a few units in the last place unless it is 1e-25 of the confidences around it. The first
/// minimum wins. Means that differ by less than that rounding count as equal, since equal
/// confidences should give equal means.
class window_search {
public:
    /// `confidence`: c_1 ... c_T, each in [0, 1]. `size`: l > 0. Without tokens the result is an
    /// empty window of mean 1.
    confidence_window hardest(std::span<const double> confidence, std::size_t size,
                              window_ends ends = window_ends::clipped);

    /// The same among the tokens [first, last) alone.
    confidence_window hardest_within(std::span<const double> confidence, std::size_t first,
                                     std::size_t last, std::size_t size, window_ends ends);

    /// The same among the tokens of [first, last) that are not left out, as if there were no
    /// others. The window reaches from its first such token to its last, and its mean is over such
    /// tokens alone. `left_out` has a value for each token, or none if all count.
    confidence_window hardest_of_kept(std::span<const double> confidence,
                                      const std::vector<bool>& left_out, std::size_t first,
                                      std::size_t last, std::size_t size, window_ends ends);

private:
    std::vector<kernels::window_sum> sums_;  // reused by the next call
};

struct token_range {
    std::size_t first = 0, last = 0;  ///< half open

    bool is_empty() const { return first >= last; }
};

/// The tokens with bytes in [begin, end): from the first that ends behind `begin` to the first that
/// ends at `end` or behind it. `token_end` never falls. Empty if no token reaches into the bytes.
token_range tokens_within(std::span<const std::uint64_t> token_end, std::uint64_t begin,
                          std::uint64_t end);

/// w = 1 - C, the weight of a sample whose hardest window has the mean C.
constexpr double sample_weight(double hardest_mean) { return 1 - hardest_mean; }

}  // namespace cuset
