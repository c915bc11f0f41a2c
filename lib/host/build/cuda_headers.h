// CUDA's own headers on this machine, which the host runtime and all programs include.
#pragma once

#include <filesystem>
#include <string>

#include "cuset/base/status.h"

namespace cuset {

struct cuda_headers {
    std::filesystem::path include;  ///< the folder of cuda_runtime.h
    std::filesystem::path root;     ///< what holds all that they include: the toolkit, or `include`
    std::string version;            ///< "13.0"
};

/// The first of: $CUSET_CUDA_INCLUDE; the folder `toolkit`, if it is not empty; /usr/local/cuda;
/// share/cuset/cuda of this installation; NVIDIA's packages in the Python environment that this
/// program is installed in. error_kind::unsupported if none has them, or if the first is set and
/// lacks them: the message says how to get them.
result<cuda_headers> find_cuda_headers(const std::filesystem::path& toolkit);

}  // namespace cuset
