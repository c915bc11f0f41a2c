// Files that a launcher passes to the other process of a sandbox, instead of descriptors, which
// srun and similar programs close. Private to lib/sandbox.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cuset/base/fd.h"
#include "cuset/base/status.h"
#include "cuset/sandbox/sandbox.h"

namespace cuset {

class launched_files {
public:
    launched_files() = default;
    /// Writes the system call filter into a file beside the work folder.
    static result<launched_files> make(const sandbox_request& request, const unique_fd& filter);
    launched_files(launched_files&& other) noexcept;
    launched_files& operator=(launched_files&& other) noexcept;
    ~launched_files();

    /// The launcher, followed by a shell that opens the files for `sandboxed`.
    std::vector<std::string> command(const sandbox_request& request,
                                     const std::vector<std::string>& sandboxed) const;
    /// The file in which bubblewrap reports its status; empty without a launcher.
    std::filesystem::path status() const;
    /// The file of the program's channel; empty without a launcher.
    std::filesystem::path channel() const;

private:
    std::filesystem::path folder_;
};

}  // namespace cuset
