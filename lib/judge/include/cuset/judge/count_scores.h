// How well answers to questions about counts hit them: cuset-report --counts.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/judge/verdict.h"

namespace cuset {

/// The scores of a group of verdicts that have a count_outcome. Shares are over what they say, and
/// nothing where that is none.
struct count_scores {
    std::string quantity;  ///< empty: all of them
    std::string category;  ///< empty: all of them
    std::optional<bool>
        hidden_flops;  ///< of launches with hidden operations, or without; nothing: both
    std::size_t tasks = 0;
    std::size_t answers = 0;        ///< that were judged: the right count is known
    std::size_t not_judged = 0;     ///< verdicts without it; no score has them
    std::size_t numbers = 0;        ///< answers that state one
    std::optional<double> correct;  ///< share of the answers that pass
    /// Share of the answers whose number is 0 where the count is 0, and is not where it is not.
    std::optional<double> nonzero_accuracy;
    std::size_t stated =
        0;  ///< answers that say whether there are hidden operations, which is known
    std::optional<double> hidden_accuracy;  ///< share of `stated` that are right
    /// Of `stated`, the mean over both classes of the F1 score, as far as a class is there or said.
    std::optional<double> hidden_macro_f1;
    std::optional<double>
        within_10_percent;  ///< share of the answers whose relative error is <= 0.1
    std::optional<double>
        within_10_times;  ///< share of the answers from a tenth to ten times the count
    /// The mean of |log10(answer / count)|, over numbers where both are above 0.
    std::optional<double> mean_log10_error;
    std::optional<double> median_relative_error;  ///< of the numbers that have one
};

/// Scores of all verdicts together, then of each quantity, then of each category of each quantity
/// where tasks have one, in the order in which they appear; of each of these first of all its
/// launches and then of those with and without hidden operations, where there are both.
std::vector<count_scores> score_counts(const std::vector<verdict>& verdicts);

/// Lines of columns with tabs between them, behind a line of names. "all" stands for all quantities
/// and so on; a share that is not there is empty.
std::string to_table(const std::vector<count_scores>& scores);

}  // namespace cuset
