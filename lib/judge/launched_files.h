// What a launcher takes to another process of a sandbox: files in the place of descriptors, which
// srun and its like close. Private to lib/judge.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cuset/base/fd.h"
#include "cuset/base/status.h"
#include "cuset/judge/sandbox.h"

namespace cuset {

class launched_files {
public:
    launched_files() = default;
    /// Writes the system call filter into a file beside the work folder.
    static result<launched_files> make(const sandbox_request& request, const unique_fd& filter);
    launched_files(launched_files&& other) noexcept;
    launched_files& operator=(launched_files&& other) noexcept;
    ~launched_files();

    /// The launcher with a shell behind it that opens the files for `sandboxed`.
    std::vector<std::string> command(const sandbox_request& request,
                                     const std::vector<std::string>& sandboxed) const;
    /// Where bubblewrap tells its status; empty where there is no launcher.
    std::filesystem::path status() const;
    /// What the program tells; empty where there is no launcher.
    std::filesystem::path channel() const;

private:
    std::filesystem::path folder_;
};

}  // namespace cuset
