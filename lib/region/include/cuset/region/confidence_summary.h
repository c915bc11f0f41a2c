// What cuset-stats reports about one input: the confidence in CUDA code and in the rest.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cuset/region/confidence_counts.h"
#include "cuset/region/kolmogorov_smirnov.h"
#include "cuset/region/low_windows.h"
#include "cuset/region/sensitive_tokens.h"
#include "cuset/region/window.h"

namespace cuset {

/// The kind of a token. Kernel and launch tokens together are the CUDA-sensitive ones. All others
/// are neutral, those of the chat template after the response too.
enum class token_kind : unsigned char { kernel, launch, neutral };
inline constexpr std::size_t token_kinds = 3;

/// The part of one response in the statistics.
struct sample_confidences {
    std::array<std::vector<confidence_counts::cell>, token_kinds> cells;
    hardest_window hardest;
};

/// Makes these parts. It reuses its buffers: use one for each thread.
class sample_reader {
public:
    /// `size`: tokens in a window.
    explicit sample_reader(std::size_t size) : size_(size) {}
    /// `ends` and `confidence` have one value for each token. A token in both a kernel and a launch
    /// span, as where a kernel launches another, counts as a launch token. `sample` is overwritten.
    void read(std::span<const std::size_t> ends, std::span<const double> confidence,
              std::span<const byte_span> kernels, std::span<const byte_span> launches,
              sample_confidences& sample);

private:
    std::size_t size_;
    window_search search_;
};

/// The sum of these parts; their order does not matter.
struct confidence_statistics {
    std::array<confidence_counts, token_kinds> kinds;
    std::vector<hardest_window> windows;
    void add(const sample_confidences& sample);
};

inline constexpr std::array<double, 5> summary_shares = {0.05, 0.25, 0.5, 0.75, 0.95};

/// A summary of one kind of token. Without tokens, `mean` and `quantiles` are NaN and `density` is
/// empty.
struct token_summary {
    std::uint64_t tokens = 0;
    double mean = 0;
    std::array<double, summary_shares.size()> quantiles{};  ///< at summary_shares
    std::vector<double> density;
};

struct confidence_summary {
    std::array<token_summary, token_kinds> kinds;
    token_summary sensitive;                 ///< kernel and launch tokens
    std::optional<kolmogorov_smirnov> test;  ///< sensitive against neutral tokens, if there are
                                             ///< both
    double threshold = 0;  ///< of a low window; NaN if neutral tokens should give it and there are
                           ///< none
    std::optional<low_windows> windows;  ///< present if there is a threshold
    std::uint64_t samples = 0;
};

/// `threshold`: if absent, the mean confidence of all neutral tokens. The call changes the order of
/// statistics.windows.
confidence_summary summarize(confidence_statistics& statistics, std::optional<double> threshold);

}  // namespace cuset
