#include "cuset/train/batch_plan.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "cuset/base/random_key.h"

namespace cuset {

batch_plan::batch_plan(const batch_settings& settings, std::size_t samples)
    : settings_(settings), samples_(samples), order_(samples) {}

std::size_t batch_plan::steps_per_epoch() const {
    const std::size_t step = settings_.batch * settings_.accumulate * settings_.processes;
    return (samples_ + step - 1) / step;
}

std::span<const std::size_t> batch_plan::step_samples(std::size_t epoch, std::size_t step) {
    if (epoch_ != epoch) {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        if (settings_.shuffle) {
            const std::uint64_t key = mixed_key(settings_.seed, epoch);
            // Fisher and Yates. The remainder's bias is below samples / 2^64.
            for (std::size_t i = samples_; i > 1; --i)
                std::swap(order_[i - 1], order_[mixed_key(key, i) % i]);
        }
        epoch_ = epoch;
    }
    const std::size_t size = settings_.batch * settings_.accumulate * settings_.processes;
    const std::size_t first = std::min(samples_, step * size);
    return std::span(order_).subspan(first, std::min(size, samples_ - first));
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
