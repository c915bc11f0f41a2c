#include "cuset/train/batch_plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "cuset/base/random_key.h"

namespace cuset {

batch_plan::batch_plan(const batch_settings& settings, std::vector<std::size_t> lengths)
    : settings_(settings), lengths_(std::move(lengths)), order_(lengths_.size()) {
    plan_epoch(0);
}

void batch_plan::plan_epoch(std::size_t epoch) {
    epoch_ = epoch;
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    if (settings_.shuffle) {
        const std::uint64_t key = mixed_key(settings_.seed, epoch);
        // Fisher and Yates. The remainder's bias is below samples / 2^64.
        for (std::size_t i = order_.size(); i > 1; --i)
            std::swap(order_[i - 1], order_[mixed_key(key, i) % i]);
    }
    if (settings_.tokens > 0) {
        std::vector<std::size_t> ordered;
        for (const std::size_t sample : order_) ordered.push_back(lengths_[sample]);
        ends_ = cut_passes(ordered, settings_.tokens * settings_.processes);
        return;
    }
    const std::size_t size = settings_.batch * settings_.accumulate * settings_.processes;
    ends_.clear();
    for (std::size_t end = 0; end < order_.size();) {
        end = std::min(end + size, order_.size());
        ends_.push_back(end);
    }
}

std::size_t batch_plan::steps_in(double epochs) {
    const double whole = std::floor(epochs);
    const auto last = static_cast<std::size_t>(whole);
    std::size_t steps = 0;
    if (settings_.tokens == 0) {
        steps = last * ends_.size();  // the same number in every epoch
    } else {
        for (std::size_t epoch = 0; epoch < last; ++epoch) {
            plan_epoch(epoch);
            steps += ends_.size();
        }
        plan_epoch(last);
    }
    steps +=
        static_cast<std::size_t>(std::ceil((epochs - whole) * static_cast<double>(ends_.size())));
    plan_epoch(0);
    first_step_ = 0;
    return steps;
}

batch_plan::step batch_plan::at(std::size_t number) {
    if (number < first_step_) {
        plan_epoch(0);
        first_step_ = 0;
    }
    std::size_t epoch = epoch_;
    if (settings_.tokens == 0) {
        epoch = number / ends_.size();
        first_step_ = epoch * ends_.size();
    }
    while (number - first_step_ >= ends_.size()) {
        first_step_ += ends_.size();
        plan_epoch(++epoch);
    }
    if (epoch != epoch_) plan_epoch(epoch);
    const std::size_t i = number - first_step_;
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    const double done = static_cast<double>(i + 1) / static_cast<double>(ends_.size());
    return {epoch_, static_cast<double>(epoch_) + done,
            std::span(order_).subspan(begin, ends_[i] - begin)};
}

std::vector<std::size_t> share_of(std::span<const std::size_t> samples, std::size_t rank,
                                  std::size_t processes) {
    std::vector<std::size_t> share;
    for (std::size_t i = rank; i < samples.size(); i += processes) share.push_back(samples[i]);
    return share;
}

std::vector<std::size_t> cut_passes(std::span<const std::size_t> lengths, std::size_t most) {
    std::vector<std::size_t> ends;
    std::size_t tokens = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        if (tokens > 0 && tokens + lengths[i] > most) {
            ends.push_back(i);
            tokens = 0;
        }
        tokens += lengths[i];
    }
    if (!lengths.empty()) ends.push_back(lengths.size());
    return ends;
}

}  // namespace cuset
