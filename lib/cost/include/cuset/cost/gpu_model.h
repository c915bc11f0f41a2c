// What GPUs can do in a second, by NVIDIA's data sheets and white papers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cuset {

struct gpu_model {
    std::string_view name;  ///< "RTX 3080"
    double multiprocessors;
    double clock;  ///< cycles a second, boosted
    /// Of a multiprocessor, results a cycle; a fused multiply-add is one result.
    double fp32, fp64, fp16, integer, special;
    double memory_bytes;                          ///< of the device's memory, a second
    double l2_bytes;                              ///< the size of L2
    std::uint64_t threads, blocks, shared_bytes;  ///< that a multiprocessor holds at a time
};

/// Null where there is no such GPU. The name may be written in small letters, and without blanks.
const gpu_model* gpu_model_named(std::string_view name);
/// "A100, H100, …"
std::string gpu_model_names();

}  // namespace cuset
