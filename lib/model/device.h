// The device of a model, and LibTorch's errors about it. Private to lib/model.
#pragma once

#include <exception>
#include <filesystem>
#include <string>

#include "cuset/base/status.h"

namespace cuset {

/// Sets LibTorch's and MKL's thread count; 0 = every core this process may use. Returns the count.
int set_threads(int threads);

/// Makes the process keep freed memory for the next tensors. By default the C library maps every
/// large tensor anew, and the system clears its pages: an eighth of a training step on a CPU.
void keep_freed_memory();

/// The index of the GPU that "auto", "cuda" or "cuda:N" names, or -1 for the CPU. error_kind::usage
/// if it is no device name, unsupported if the GPU is not there.
result<int> resolve_device(const std::string& device);

/// Selects the CPU kernels that CUSET_KERNELS in the environment names ("portable", "avx2",
/// "avx512", "avx512_bf16" or "amx"), if it is set. error_kind::usage for another name, unsupported
/// if this processor cannot run them.
status choose_kernels();

/// A folder's own name, whether its path ends in a slash or not.
std::string last_component(const std::filesystem::path& folder);

/// One line of a LibTorch or allocation exception, as error_kind::unsupported; of a failed_exchange
/// its reason.
status thrown(const std::exception& exception);

}  // namespace cuset
