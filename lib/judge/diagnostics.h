// What nvcc and its host compiler said. Private to lib/judge.
#pragma once

#include <string>
#include <string_view>

#include "cuset/judge/compiler.h"

namespace cuset {

/// Whether a failed nvcc failed at linking, by what it said.
compile_end failure_of(std::string_view said);

/// Whether a compiler or linker says that memory or space ran out, or that it was killed.
bool ran_out(std::string_view said);

/// Whether a compiler says that a program of its own was ended for the size of what it wrote.
bool wrote_too_much(std::string_view said);

/// The first line that names an error, or else the first that is not blank, of no more than 300
/// bytes. Names that compilers draw for files of their own stand there as that of the program:
/// "program.s:12: Error: …", the same in each run.
std::string first_diagnostic(std::string_view said);

}  // namespace cuset
