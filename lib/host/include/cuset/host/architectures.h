// The GPUs whose properties and limits the host model knows.
#pragma once

#include <string>
#include <string_view>

namespace cuset {

/// As nvcc calls them, in words: "sm_80, sm_86, sm_90".
std::string host_architectures();

/// The default, which is modelled if nobody asks for another.
std::string_view default_host_architecture();

/// The value of `__CUDA_ARCH__` on it: "900" for "sm_90". Empty if the model does not know it.
std::string cuda_arch_of(std::string_view architecture);

}  // namespace cuset
