// Work that process 0 hands to the others that share a base with it, as numbers. Private to
// lib/model.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "cuset/model/base_part.h"
#include "cuset/model/layer_exchange.h"

namespace cuset {

/// A sum of process 0's numbers and the others' zeros is what hands them on. Every integer below
/// 2⁵³ is a double.
class work_broadcast {
public:
    /// `exchange` must outlive it.
    work_broadcast(layer_exchange& exchange, base_part part) : exchange_(exchange), part_(part) {}
    work_broadcast(const work_broadcast&) = delete;
    work_broadcast& operator=(const work_broadcast&) = delete;
    /// Process 0's tells the others that there is no more work, unless something failed: they may
    /// be anywhere in their work then, and find process 0 lost when it ends.
    ~work_broadcast();

    /// Of process 0, where work that was sent ends by an exception.
    void give_up() { is_broken_ = true; }

    base_part part() const { return part_; }

    /// Of process 0; `work` is not empty. Throws failed_exchange, as all here.
    void send(std::vector<double> work);
    /// Of the others: the next work, or nothing at the end.
    std::vector<double> receive();
    /// Of all processes at the same place in their work.
    void sum(std::span<double> values);

private:
    layer_exchange& exchange_;
    base_part part_;
    bool is_broken_ = false;
};

/// Writes numbers one after another.
class number_writer {
public:
    template <typename number>
    void put(number value) {
        numbers_.push_back(static_cast<double>(value));
    }
    std::vector<double> take() { return std::move(numbers_); }

private:
    std::vector<double> numbers_;
};

/// Reads what was written, in the same order and types.
class number_reader {
public:
    explicit number_reader(std::span<const double> numbers) : rest_(numbers) {}

    template <typename number>
    number get() {
        const double value = rest_.front();
        rest_ = rest_.subspan(1);
        return static_cast<number>(value);
    }

private:
    std::span<const double> rest_;
};

}  // namespace cuset
