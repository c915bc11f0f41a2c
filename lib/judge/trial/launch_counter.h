// Counts a program's launches on a GPU from inside the program, with a library of CUPTI callbacks
// that the driver loads into each program that uses it. Private to lib/judge.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cuset/judge/compiler.h"
#include "cuset/sandbox/sandbox.h"

namespace cuset {

/// The flags with which nvcc makes a shared library of launch_counter_cu: CUPTI is part of the toolkit, in one of
/// two places.
std::vector<std::string> launch_counter_flags(const toolkit& kit);

/// Makes a run load the library.
void add_launch_counter(const std::filesystem::path& library, const toolkit& kit,
                        sandbox_request& request);

}  // namespace cuset
