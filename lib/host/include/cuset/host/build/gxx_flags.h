// The flags of nvcc that the host model takes.
#pragma once

#include <string>
#include <vector>

#include "cuset/host/translation.h"

namespace cuset {

/// nvcc's flags in g++'s form: -D, -U, -I and -std= (raised to C++17 if lower), and those that
/// change what nvcc refuses. The others are left out.
struct host_flags {
    std::vector<std::string> flags;
    nvcc_dialect dialect;
    std::string standard = "gnu++17";
    bool fast_math = false;  ///< -use_fast_math, which g++ ignores
    std::vector<std::string> ignored;
};
host_flags host_flags_of(const std::vector<std::string>& nvcc_flags);

}  // namespace cuset
