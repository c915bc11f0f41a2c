// The tokens that a model does not learn: with `--mask stubborn` the confidence mask leaves these
// out, and not those that it does not know yet.
//
// In an epoch a response token is low if it is no CUDA token and has a confidence of at most τ in
// the training pass that visits it. In the next epoch it may be left out if it was low, and if low
// tokens of the same id stand in two samples or more; the mask then leaves it out if its confidence
// is at most τ still. So a token without a gradient stayed below τ from one epoch to the next, and
// nothing is left out in the first epoch. One that is learned by way of others comes back. Where τ
// rises (tau_warmup), it is that of the visit's step. Copies of a sample count as several samples.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/train/data_set.h"

namespace cuset {

class stubborn_tokens {
public:
    /// No token is low yet. `data` outlives the object, and holds no pairs of responses.
    explicit stubborn_tokens(const data_set& data);

    /// Called before the visits of a step in this epoch, which is that of the step before or the
    /// next one.
    void enter(std::size_t epoch);
    /// A visit: for each response token of the sample, whether it is low.
    void see(std::size_t sample, std::vector<bool> low) { low_[sample] = std::move(low); }

    /// For each response token of the sample, whether the mask may leave it out in this epoch.
    const std::vector<bool>& droppable(std::size_t sample) const { return droppable_[sample]; }

    /// For checkpoints, a number for each response token, in the order of the samples: 1 if it is
    /// low in this epoch, 2 if it may be left out, 3 if both, 0 if neither. Other numbers, and
    /// another number of tokens, are data errors.
    std::vector<float> state() const;
    status restore(std::span<const float> state, std::size_t epoch);

private:
    const data_set& data_;
    std::size_t epoch_ = 0;
    std::vector<std::vector<bool>> low_, droppable_;  ///< by sample, then by response token
};

}  // namespace cuset
