// What processes that share a base ask of each other. lib/processes' process_group answers it.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <span>
#include <stdexcept>
#include <utility>

#include "cuset/base/status.h"
#include "cuset/model/base_part.h"

namespace cuset {

/// What a process keeps of a shared base's linear weights, and what it got of others.
struct shared_base_figures {
    double own_bytes = 0;       ///< its part of all layers
    double room_bytes = 0;      ///< for two layers
    double received_bytes = 0;  ///< so far
};

class layer_exchange {
public:
    virtual ~layer_exchange() = default;

    /// Begins to fill `whole` [processes · n] with the `part` [n] of every process, in the order of
    /// their ranks, and returns at once. Both are dense, of one type and on one device, and belong
    /// to the exchange until the next finish(), which must be called before another begin(). All
    /// processes must begin the same gathers, in the same order among their other exchanges.
    virtual status begin(const at::Tensor& part, const at::Tensor& whole) = 0;
    /// Waits until `whole` is there for what is queued from now on. An error names a process that
    /// is lost.
    virtual status finish() = 0;
    /// Replaces the values by the sums over all processes, which must all call it, none of them
    /// between begin() and finish(). x + 0 is x, so that this also hands values on.
    virtual status sum(std::span<double> values) = 0;
};

/// Thrown through a pass, and LibTorch's autograd, where an exchange fails.
class failed_exchange : public std::runtime_error {
public:
    explicit failed_exchange(status reason)
        : std::runtime_error(reason.message()), reason_(std::move(reason)) {}
    const status& reason() const { return reason_; }

private:
    status reason_;
};

}  // namespace cuset
