#include "cuset/statistics/confidence_counts.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

namespace cuset {

namespace {

constexpr double not_defined = std::numeric_limits<double>::quiet_NaN();
constexpr confidence_counts::cell past_the_end = UINT32_MAX;

/// ten_to()[i] is the double nearest to 10^i.
const std::array<double, confidence_counts::decades + 7>& ten_to() {
    static const auto powers = [] {
        std::array<double, confidence_counts::decades + 7> filled{};
        for (std::size_t i = 0; i < filled.size(); ++i) {
            const std::string text = "1e" + std::to_string(i);
            std::from_chars(text.data(), text.data() + text.size(), filled[i]);
        }
        return filled;
    }();
    return powers;
}

}  // namespace

// A value of decade d, from 1, lies in [10^-d, 10^(1-d)): six digits m, times 10^-(d+5).
confidence_counts::cell confidence_counts::cell_of(double confidence) {
    if (confidence >= 0.1 && confidence < 0.999999) {  // most values: one decade, no search
        return static_cast<cell>(1'000'000 - static_cast<std::uint32_t>(confidence * 1e6 + 0.5));
    }
    if (!(confidence >= 1e-300)) return last_cell;
    const auto& power = ten_to();
    std::size_t decade = 1;
    while (confidence * power[decade] < 1 && decade < decades) ++decade;
    // The product has a relative error of 2e-16, which never changes the integer of a value with
    // six digits. The decade can be wrong only so near to a power of ten that both choices round
    // there.
    auto m = static_cast<std::uint32_t>(confidence * power[decade + 5] + 0.5);
    if (m >= 1'000'000) {
        if (--decade == 0) return 0;
        m = 100'000;
    }
    return static_cast<cell>(1 + (decade - 1) * cells_of_decade + (999'999 - m));
}

double confidence_counts::value_of(cell c) {
    if (c == 0) return 1;
    if (c >= last_cell) return 0;
    const cell decade = (c - 1) / cells_of_decade + 1, m = 999'999 - (c - 1) % cells_of_decade;
    return m / ten_to()[decade + 5];
}

void confidence_counts::add(cell c, std::uint64_t count) {
    const std::size_t at = c / page_cells;
    if (at >= pages_.size()) pages_.resize(at + 1);
    if (!pages_[at]) pages_[at] = std::make_unique<page>();
    std::uint16_t& low = (*pages_[at])[c % page_cells];
    const std::uint64_t sum = low + count;
    low = static_cast<std::uint16_t>(sum);
    if (sum >> 16) carries_[c] += sum >> 16;
    size_ += count;
}

void confidence_counts::add(const confidence_counts& other) {
    for (cursor i(other); !i.at_end(); i.advance()) add(i.at(), i.count());
}

double confidence_counts::mean() const {
    // Terms are added in the order of the cells, so that the sum does not depend on the input's
    // order.
    double sum = 0;
    for (cursor i(*this); !i.at_end(); i.advance())
        sum += static_cast<double>(i.count()) * value_of(i.at());
    return size_ > 0 ? sum / static_cast<double>(size_) : not_defined;
}

std::vector<double> confidence_counts::quantiles(std::span<const double> shares) const {
    std::vector<double> values(shares.size(), not_defined);
    if (size_ == 0) return values;
    // Finds both neighbours of each quantile by their ranks from the greatest: the cursor starts
    // there, and meets the greater one first.
    std::vector<double> above(shares.size(), not_defined);
    std::uint64_t passed = 0;
    std::size_t open = shares.size();
    for (cursor i(*this); open > 0 && !i.at_end(); i.advance()) {
        passed += i.count();
        for (std::size_t s = 0; s < shares.size(); ++s) {
            const double place = shares[s] * static_cast<double>(size_ - 1);
            const auto lower = std::min(static_cast<std::uint64_t>(place), size_ - 1);
            const std::uint64_t rank = size_ - 1 - lower;
            if (passed + 1 <= rank || !std::isnan(values[s])) continue;
            const double value = value_of(i.at());
            if (std::isnan(above[s])) above[s] = value;
            if (passed <= rank) continue;
            values[s] = value + (above[s] - value) * (place - static_cast<double>(lower));
            --open;
        }
    }
    return values;
}

std::vector<double> confidence_counts::density() const {
    std::vector<double> bins;
    if (size_ == 0) return bins;
    bins.resize(density_bins);
    for (cursor i(*this); !i.at_end(); i.advance()) {
        // Neighbouring values at a bin's edge are 5e-6 apart. The added term corrects the rounding
        // of values on the edge and moves no other value.
        const auto bin = static_cast<std::size_t>(value_of(i.at()) * density_bins + 1e-9);
        bins[std::min(bin, density_bins - 1)] += static_cast<double>(i.count());
    }
    for (double& bin : bins) bin *= density_bins / static_cast<double>(size_);
    return bins;
}

confidence_counts::cursor::cursor(const confidence_counts& counts)
    : counts_(&counts),
      carry_(counts.carries_.begin()),
      next_carry_(counts.carries_.empty() ? past_the_end : carry_->first) {
    find();
}

void confidence_counts::cursor::advance() {
    ++at_;
    find();
}

// Moves to the first cell that occurs, from at_ on.
void confidence_counts::cursor::find() {
    const auto& pages = counts_->pages_;
    for (; at_ < pages.size() * page_cells; at_ = (at_ / page_cells + 1) * page_cells) {
        const page* const p = pages[at_ / page_cells].get();
        if (!p) continue;
        for (cell i = at_ % page_cells, first = at_ - i; i < page_cells; ++i) {
            const cell c = first + i;
            if ((*p)[i] == 0 && c != next_carry_) continue;
            at_ = c;
            count_ = (*p)[i];
            if (c == next_carry_) {
                count_ += carry_->second << 16;
                ++carry_;
                next_carry_ = carry_ == counts_->carries_.end() ? past_the_end : carry_->first;
            }
            return;
        }
    }
    at_ = past_the_end;
    count_ = 0;
}

}  // namespace cuset
