// The Python that runs a benchmark's gen.py and compare.py.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/judge/sandbox.h"

namespace cuset {

struct python_interpreter {
    std::filesystem::path program;      ///< what it calls itself: an environment's link counts
    std::vector<sandbox_mount> mounts;  ///< where its packages lie, outside the system's folders

    /// `python`: a path, or a name to look up in PATH. error_kind::unsupported where it is not
    /// there or does not run.
    static result<python_interpreter> find(const std::string& python = "python3");

    /// Whether it runs in the sandbox; `work` is a new folder. error_kind::unsupported where it
    /// does not.
    status check(const sandbox& box, const std::filesystem::path& work) const;
};

}  // namespace cuset
