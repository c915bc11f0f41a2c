// Counts a program's launches on a GPU from inside the program, with a library of CUPTI callbacks
// that the driver loads into each program that uses it. Private to lib/judge.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/judge/compiler.h"
#include "cuset/judge/sandbox.h"

namespace cuset {

/// The source of the library. It writes `launches N` to channel_descriptor: first with N = 0 when
/// the driver has loaded it, then at the first launch that the driver accepted and whenever their
/// number has doubled, since a program may end at any moment.
std::string_view launch_counter_source();

/// The flags with which nvcc makes a shared library of it: CUPTI is part of the toolkit, in one of
/// two places.
std::vector<std::string> launch_counter_flags(const toolkit& kit);

/// A program that launches a kernel, and exits with 0 if that ran.
std::string_view launching_program();

/// Makes a run load the library.
void add_launch_counter(const std::filesystem::path& library, const toolkit& kit,
                        sandbox_request& request);

}  // namespace cuset
