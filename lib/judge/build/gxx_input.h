// What g++ gets of a program, before it is translated. Private to lib/judge.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "build/flat_source.h"
#include "cuset/judge/host_backend.h"

namespace cuset {

/// A program's sources, none of which has a line that another has, and flags for g++.
struct gxx_input {
    std::vector<std::string> sources;
    std::vector<bool> are_host_sources;  ///< each: nvcc_dialect::is_host_source
    std::vector<std::string> flags;
    nvcc_dialect dialect;
    bool fast_math = false;  ///< nvcc would have -use_fast_math
    /// Device code and variables of one source are not the others' (nvcc without -rdc=true).
    bool are_apart = false;
    /// A source that the build command names and nobody gave; the others are then not read.
    std::string missing;
};

/// A program of one file has the options' flags and its own. Of several files it reads the build
/// command, and writes each source's headers into it. A data error says what of the command is not
/// understood.
result<gxx_input> input_of(const program_source& source, const host_options& options,
                           line_origins& origins);

}  // namespace cuset
