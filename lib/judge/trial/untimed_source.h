// Programs whose times nobody could trust. Private to lib/judge.
#pragma once

#include <string>
#include <string_view>

#include "cuset/judge/compiler.h"

namespace cuset {

/// The name in live code with which a program could reach the records of its own run, or do work
/// that they do not have: CUPTI's functions, those that start processes or find functions at run
/// time, the library's variable and the channel's file. Flags that let kernels launch kernels,
/// which CUPTI does not record, count too. Empty if there is none. A program that hides such a name
/// from its text is not found: see programs.h.
std::string name_that_hinders_timing(std::string_view source, const flag_list& flags);

/// The same for a run under ncu: such a name, or one of a function that lists files, which could
/// find what ncu writes. Empty if there is none.
std::string name_that_hinders_profiling(std::string_view source, const flag_list& flags);

}  // namespace cuset
