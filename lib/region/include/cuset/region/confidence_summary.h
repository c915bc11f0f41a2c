// What cuset-stats reports about one input: the confidence in CUDA code and in the rest.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cuset/region/low_windows.h"
#include "cuset/region/sensitive_tokens.h"
#include "cuset/region/token_groups.h"
#include "cuset/region/window.h"
#include "cuset/statistics/confidence_counts.h"
#include "cuset/statistics/kolmogorov_smirnov.h"
#include "cuset/statistics/mean_difference.h"

namespace cuset {

/// The kind of a token. Kernel and launch tokens together are the CUDA-sensitive ones. All others
/// are neutral, those of the chat template after the response too.
enum class token_kind : unsigned char { kernel, launch, neutral };
inline constexpr std::size_t token_kinds = 3;

/// What comments count as.
enum class comment_use : unsigned char {
    where_they_stand,  ///< as the code around them: in a kernel they are sensitive
    neutral,
    drop,  ///< they are left out, as if the response had none: of windows too
};

/// How tokens are counted. Roles are needed unless it is the default.
struct stats_reading {
    bool by_roles = false;  ///< sensitive are tokens of a sensitive role, not those of a span
    comment_use comments = comment_use::where_they_stand;
    window_ends ends = window_ends::clipped;
    bool within_cuda = false;    ///< hardest is a sample's hardest window on CUDA code
    bool keeps_windows = false;  ///< for other choices than the hardest window

    bool needs_roles() const { return by_roles || comments != comment_use::where_they_stand; }
};

/// A scored response.
struct scored_tokens {
    std::string_view response;
    std::span<const std::size_t> ends;
    std::span<const double> confidence;
    std::span<const byte_span> kernels, launches;
    std::optional<std::span<const role_run>> roles;  ///< if they are known
};

/// The part of one response in the statistics.
struct sample_confidences {
    std::array<std::vector<confidence_counts::cell>, token_kinds> cells;
    std::array<std::vector<confidence_counts::cell>, token_group_count> groups;  ///< with roles
    std::array<token_sum, token_kinds> sums;
    std::array<token_sum, token_group_count> group_sums;
    hardest_window hardest;
    bool has_roles = false;
    bool has_window = false;  ///< it has tokens and, within CUDA code, a window there
    window_series windows;    ///< if they are kept
    /// What tells the sample from others of its input; the caller sets it.
    std::uint64_t key = 0;
};

/// Makes these parts. It reuses its buffers: use one for each thread.
class sample_reader {
public:
    /// `size`: tokens in a window.
    explicit sample_reader(std::size_t size, stats_reading reading = {})
        : size_(size), reading_(reading) {}
    /// A token in both a kernel and a launch span, as where a kernel launches another, counts as a
    /// launch token; by roles, kernel tokens are those of the sensitive roles other than launch.
    /// `sample` is overwritten.
    void read(const scored_tokens& tokens, sample_confidences& sample);

private:
    std::size_t size_;
    stats_reading reading_;
    window_search search_;
};

/// What is kept of each sample.
struct sample_sums {
    std::uint64_t key = 0;
    std::array<token_sum, token_kinds> kinds;
    token_sum hardest;  ///< the mean of its hardest window, counted as one token; or none
};

/// The sum of these parts; their order does not matter.
struct confidence_statistics {
    std::array<confidence_counts, token_kinds> kinds;
    std::array<confidence_counts, token_group_count> groups;
    std::vector<hardest_window> windows;
    std::vector<window_series> kept;  ///< all windows, if they are kept
    std::vector<sample_sums> samples;
    std::vector<std::array<token_sum, token_group_count>> group_sums;  ///< of samples with roles
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

/// The same of the samples' hardest windows: of their mean confidences.
struct hardest_summary {
    std::uint64_t samples = 0;  ///< that have one
    double mean = 0;
    std::array<double, summary_shares.size()> quantiles{};
};

/// A mean in two inputs, over samples that both have.
struct paired_mean {
    double first = 0, second = 0;  ///< NaN if one of them has no tokens there
    mean_difference change;        ///< the second less the first
};

/// How one input differs from another.
struct paired_summary {
    std::uint64_t pairs = 0;     ///< keys that occur once in each of the two
    std::uint64_t unpaired = 0;  ///< samples of this input that are in no pair
    paired_mean sensitive, neutral, all, hardest;
};

/// A token as sure as this or less is one that the confidence mask leaves out.
inline constexpr double mask_threshold = 0.1;

/// The tokens of one role (or blank, or text) against all others.
struct group_summary {
    std::size_t group = 0;
    token_summary tokens;
    double not_above_mask = 0;  ///< the share with a confidence of mask_threshold or less
    std::optional<kolmogorov_smirnov> test;  ///< against all other tokens, if there are both
    mean_difference difference;              ///< from all other tokens
};

struct confidence_summary {
    std::array<token_summary, token_kinds> kinds;
    token_summary sensitive;  ///< kernel and launch tokens
    token_summary all;
    hardest_summary hardest;
    std::optional<kolmogorov_smirnov> test;  ///< sensitive against neutral tokens, if there are
                                             ///< both
    double threshold = 0;  ///< of a low window; NaN if neutral tokens should give it and there are
                           ///< none
    std::optional<low_windows> windows;  ///< present if there is a threshold, but for the next
    std::optional<low_on_cuda> on_cuda;  ///< in its place if windows on CUDA code alone count
    mean_difference difference;          ///< of sensitive tokens from neutral ones
    std::vector<group_summary> groups;   ///< those that have tokens; with roles
    std::uint64_t samples = 0;
    std::uint64_t samples_with_roles = 0;
    std::optional<paired_summary> paired;  ///< with another input; summarize() leaves it out
};

/// `threshold`: if absent, the mean confidence of all neutral tokens. The call changes the order of
/// statistics.windows. Choices other than the hardest window, and `within_cuda`, which the choice
/// does not concern, need reading.keeps_windows.
confidence_summary summarize(confidence_statistics& statistics, std::optional<double> threshold,
                             window_choice choice = window_choice::hardest,
                             bool within_cuda = false);

/// `second` against `first`, over the samples whose keys occur once in each. Intervals are those of
/// difference_of_means() over these samples, so that what a pair has in common cancels out.
paired_summary compare(const confidence_statistics& first, const confidence_statistics& second);

}  // namespace cuset
