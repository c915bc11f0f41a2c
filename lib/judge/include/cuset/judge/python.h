// The Python that runs a benchmark's gen.py and compare.py.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/sandbox/sandbox.h"

namespace cuset {

struct python_interpreter {
    std::filesystem::path program;      ///< its own name for itself: an environment's link counts
    std::vector<sandbox_mount> mounts;  ///< places of its packages outside the system's folders

    /// `python`: a path, or a name to look up in PATH. error_kind::unsupported if it is missing or
    /// does not run.
    static result<python_interpreter> find(const std::string& python = "python3");

    /// Checks that it runs in the sandbox; `work` is a new folder. error_kind::unsupported if it
    /// does not.
    status check(const sandbox& box, const std::filesystem::path& work) const;

    /// For each program the modules that it imports at its top level and that are not installed:
    /// it would fail there. Imports within try, if or functions do not count. `work` is a new
    /// folder.
    result<std::vector<std::vector<std::string>>> missing_modules(
        const sandbox& box, const std::filesystem::path& work,
        const std::vector<std::string_view>& programs) const;
};

}  // namespace cuset
