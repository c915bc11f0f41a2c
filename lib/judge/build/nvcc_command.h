// A call of nvcc, or of hipcc, that makes a program of several sources, read so that the host
// backend can do the same. Private to lib/judge.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/judge/task_file.h"

namespace cuset {

struct nvcc_command {
    std::vector<std::string> sources;  ///< paths of files, in the command's order
    std::vector<std::string> folders;  ///< relative ones of -I and -isystem: "." is the work folder
    std::string output = "a.out";
    bool is_all_cuda = false;  ///< -x cu, or hipcc: whatever the sources are called
    bool is_hip = false;       ///< a call of hipcc
    /// hipcc's --offload-arch has GPUs, and all of them have warps of 64 lanes.
    bool has_wide_warps = false;
    bool relocatable = false;  ///< -rdc=true: device code of one file may use another's
    /// The other flags that matter to the host backend, for host_flags_of(): -D, -U, -std=, -I of
    /// absolute folders, and those of nvcc's dialect.
    std::vector<std::string> flags;
};

/// Reads a build command; patterns stand for `files`. A data error says what the host backend does
/// not model: "-lcublas", "a build command that is no call of nvcc or hipcc", "a list of commands
/// (&)".
result<nvcc_command> read_nvcc_command(std::string_view command,
                                       const std::vector<task_file>& files);

/// Whether a command's first word calls that compiler, by its path or from PATH.
bool is_call_of(std::string_view first, std::string_view compiler);

}  // namespace cuset
