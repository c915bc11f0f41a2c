// Host code that uses a variable of the device by its name. The host has a variable of its own
// there, which is zero at first; nvcc only warns (20091-D).
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "cuset/syntax/cuda_program.h"

namespace cuset {

/// A variable of the device in a namespace that may change.
struct plain_variable {
    std::uint32_t end;  ///< the semicolon behind its declaration
    bool is_array;
};
/// All of them, by name.
std::unordered_map<std::string, plain_variable> plain_device_variables(
    const syntax::cuda_program& program);

}  // namespace cuset
