// Reads the messages of nvcc and of its host compiler. Private to lib/judge.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "cuset/judge/compiler.h"

namespace cuset {

/// Whether one of the words stands in the text.
bool has_any(std::string_view text, std::initializer_list<std::string_view> words);

/// Says from its messages whether a failed nvcc failed at linking.
compile_end failure_of(std::string_view said);

/// Whether a compiler or linker says that memory or space ran out, or that it was killed.
bool ran_out(std::string_view said);

/// Whether a compiler reports that a program it started was ended for writing too much.
bool wrote_too_much(std::string_view said);

/// The first line that names an error, or else the first that is not blank, at most 300 bytes. The
/// random names of a compiler's own files are replaced by the program's: "program.s:12: Error: …",
/// the same in each run.
std::string first_diagnostic(std::string_view said);

/// All lines, as first_diagnostic() writes one: visible_lines of at most 8 KiB, with a last line
/// that says so where there was more.
std::string all_diagnostics(std::string_view said);

}  // namespace cuset
