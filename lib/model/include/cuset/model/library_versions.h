// The libraries and the hardware under a model, for -V.
#pragma once

#include <string>

namespace cuset {

/// Lines that name LibTorch, the CPU kernels in use, and CUDA with each GPU, or why there is none.
std::string model_library_versions();

}  // namespace cuset
