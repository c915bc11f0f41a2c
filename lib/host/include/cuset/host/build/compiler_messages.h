// Reads the messages of nvcc and of its host compiler.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace cuset {

/// Whether one of the words stands in the text.
bool has_any(std::string_view text, std::initializer_list<std::string_view> words);

/// Says from its messages whether a failed compiler failed at linking.
bool failed_to_link(std::string_view messages);

/// Whether a compiler or linker says that memory or space ran out, or that it was killed.
bool ran_out(std::string_view messages);

/// Whether a compiler reports that a program it started was ended for writing too much.
bool wrote_too_much(std::string_view messages);

/// The first line that names an error, or else the first that is not blank, at most 300 bytes. The
/// random names of a compiler's own files are replaced by the program's: "program.s:12: Error: …",
/// the same in each run.
std::string first_diagnostic(std::string_view messages);

/// All lines, as first_diagnostic() writes one: visible_lines of at most 8 KiB, with a last line
/// that says so where there was more.
std::string all_diagnostics(std::string_view messages);

}  // namespace cuset
