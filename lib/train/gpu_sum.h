// Sums over GPUs with NCCL. Private to lib/train; a build without CUDA has one that refuses.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "cuset/base/status.h"

namespace cuset {

class gpu_sum {
public:
    /// What process 0 makes and all processes join with.
    static result<std::vector<std::uint8_t>> new_name();
    static result<std::unique_ptr<gpu_sum>> join(const std::vector<std::uint8_t>& name,
                                                 std::size_t rank, std::size_t size,
                                                 at::Device device);
    virtual ~gpu_sum() = default;

    /// Queues that a contiguous float or double tensor on the device becomes the sum of all processes' ones.
    virtual status queue(at::Tensor& values) = 0;
    /// Waits for that and for what was queued behind it. `alive` is asked about once a second; its
    /// error ends the wait.
    virtual status finish(const std::function<status()>& alive) = 0;
};

}  // namespace cuset
