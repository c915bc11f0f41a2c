// Counts how often each confidence occurs: a whole distribution, in memory that does not grow with
// the number of tokens.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace cuset {

/// Counts confidences by six significant digits. cuset-score prints six, so for its records nothing
/// is lost, and what is computed from the counts is exact. A confidence with more digits counts as
/// the nearest one with six (a relative change of at most 5e-6), and one below 1e-300 counts as 0.
/// Such rounding moves a quantile or a mean by as much. It moves a Kolmogorov-Smirnov statistic by
/// no more than the greater share that one cell holds, since it joins values of one cell and keeps
/// the order of cells.
///
/// Memory: 2 bytes for each cell of the ranges that occur. A power of ten has 900,000 cells: 2 MB
/// for each one that is full, for any number of tokens. A cell that occurs more than 65,535 times
/// costs one more node of a map.
class confidence_counts {
public:
    /// A value with six digits. Cell 0 is confidence 1; a greater cell is a lower confidence, and
    /// the last cell is 0.
    using cell = std::uint32_t;
    static constexpr cell cells_of_decade = 900'000, decades = 300;
    static constexpr cell last_cell = 1 + decades * cells_of_decade;

    /// `confidence`: in [0, 1].
    static cell cell_of(double confidence);
    /// The double nearest to the cell's decimal value; below 1e-17 perhaps the next one to it.
    static double value_of(cell c);

    void add(cell c, std::uint64_t count = 1);
    void add(const confidence_counts& other);

    std::uint64_t size() const { return size_; }
    /// NaN if there are no confidences.
    double mean() const;
    /// The value at each of `shares` (0 to 1) of the sorted confidences, linear between neighbours:
    /// type 7 of Hyndman and Fan, "Sample Quantiles in Statistical Packages" (1996), numpy's
    /// default. NaN if there are no confidences.
    std::vector<double> quantiles(std::span<const double> shares) const;
    /// The probability density in each of density_bins equal bins of [0, 1]; the last bin holds 1.
    /// Their sum times the bin's width is 1. Empty if there are no confidences.
    static constexpr std::size_t density_bins = 50;
    std::vector<double> density() const;

    /// Walks the cells that occur, from confidence 1 down.
    class cursor {
    public:
        explicit cursor(const confidence_counts& counts);
        bool at_end() const { return at_ > last_cell; }
        cell at() const { return at_; }
        std::uint64_t count() const { return count_; }
        void advance();

    private:
        void find();

        const confidence_counts* counts_;
        std::map<cell, std::uint64_t>::const_iterator carry_;
        cell next_carry_;  // the position of carry_
        cell at_ = 0;
        std::uint64_t count_ = 0;
    };

private:
    static constexpr cell page_cells = 1024;
    using page = std::array<std::uint16_t, page_cells>;

    std::vector<std::unique_ptr<page>> pages_;  // null: nothing occurs there
    std::map<cell, std::uint64_t> carries_;     // in units of 65,536
    std::uint64_t size_ = 0;
};

}  // namespace cuset
