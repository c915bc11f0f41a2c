// Whether a program is one in HIP, which nvcc cannot compile. Private to lib/judge.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cuset/judge/compiler.h"

namespace cuset {

/// A program that hipcc is called for, or a file that is said to be in HIP. What nvcc is called for
/// is in CUDA, whatever its files include.
bool is_hip_program(const program_source& source);

/// Whether the shell's command is a call of hipcc.
bool is_command_of_hipcc(std::string_view command);

/// Whether a source of the files includes a header of HIP, itself or by other files of them,
/// outside of every condition but the guard around a whole header (unconditional_includes()). A
/// header's own guard counts for one only where neither `definitions` (NAME or NAME=VALUE) nor
/// another file defines its name. `folders` are those of -I.
bool includes_hip(const std::vector<task_file>& files, std::string_view path,
                  const std::vector<std::string>& folders,
                  const std::vector<std::string>& definitions);

}  // namespace cuset
