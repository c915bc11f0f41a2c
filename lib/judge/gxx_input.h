// What g++ gets of a program, before it is translated. Private to lib/judge.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cuset/judge/host_backend.h"
#include "flat_source.h"

namespace cuset {

/// A program's sources, none of which has a line that another has, and flags for g++.
struct gxx_input {
    std::vector<std::string> sources;
    std::vector<std::string> flags;
    nvcc_dialect dialect;
    /// Device code and variables of one source are not the others' (nvcc without -rdc=true).
    bool are_apart = false;
    /// A source that the build command names and nobody gave; the others are then not read.
    std::string missing;
};

/// A program of one file, with the options' flags and these.
gxx_input input_of(std::string_view source, const flag_list& flags, const host_options& options);

/// Reads the build command, and writes each source's headers into it. A data error says what of the
/// command is not understood.
result<gxx_input> input_of(const build_request& request, const host_options& options,
                           line_origins& origins);

}  // namespace cuset
