// Where a model runs, and what LibTorch says when it cannot. Private to lib/model.
#pragma once

#include <exception>
#include <filesystem>
#include <string>

#include "cuset/base/status.h"

namespace cuset {

/// Sets LibTorch's and MKL's thread count; 0 = every core this process may use. Returns the count.
int set_threads(int threads);

/// The index of the GPU that "auto", "cuda" or "cuda:N" means, or -1 for the CPU. error_kind::usage
/// for what is no device name, unsupported for a GPU that is not there.
result<int> resolve_device(const std::string& device);

/// Has the CPU kernels be those that the environment's CUSET_KERNELS names ("portable", "avx2" or
/// "avx512"), where it is set. error_kind::usage for another name, unsupported for what this
/// processor cannot run.
status choose_kernels();

/// A folder's own name, whether its path ends in a slash or not.
std::string last_component(const std::filesystem::path& folder);

/// One line of what LibTorch or an allocation threw, as error_kind::unsupported.
status thrown(const std::exception& exception);

}  // namespace cuset
