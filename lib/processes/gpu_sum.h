// Sums and gathers over GPUs with NCCL. Private to lib/processes; in a build without CUDA it always
// refuses.
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
    /// Made by process 0; all processes join with it.
    static result<std::vector<std::uint8_t>> new_name();
    static result<std::unique_ptr<gpu_sum>> join(const std::vector<std::uint8_t>& name,
                                                 std::size_t rank, std::size_t size,
                                                 at::Device device);
    virtual ~gpu_sum() = default;

    /// Queues a sum: a contiguous float or double tensor on the device becomes the sum of all
    /// processes' tensors.
    virtual status queue(at::Tensor& values) = 0;
    /// Waits for the sum and for what was queued after it. `alive` is called about once a second;
    /// its error ends the wait.
    virtual status finish(const std::function<status()>& alive) = 0;

    /// Begins to fill `whole` with the `part` of every process, on a stream of its own, after all
    /// that has been queued for the device. No sum may be queued before finish_gather().
    virtual status begin_gather(const at::Tensor& part, const at::Tensor& whole) = 0;
    /// Waits for it, as finish() does; what was queued after it began is not waited for.
    virtual status finish_gather(const std::function<status()>& alive) = 0;
};

}  // namespace cuset
