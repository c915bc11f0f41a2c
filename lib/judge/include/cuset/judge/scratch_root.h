// Where an evaluation keeps what programs read and write, as long as it runs.
#pragma once

#include <filesystem>
#include <memory>

#include "cuset/base/fd.h"
#include "cuset/base/status.h"

namespace cuset {

class scratch_root {
public:
    /// A new folder "cuset-eval-…" in `parent`, removed with the object. Those that evaluations of
    /// this user left there, killed before they could remove them, are removed too: by a file in
    /// them, not by their name.
    static result<scratch_root> make(const std::filesystem::path& parent);
    scratch_root(scratch_root&&) noexcept = default;
    ~scratch_root();
    const std::filesystem::path& path() const { return path_; }

private:
    scratch_root(std::filesystem::path path, unique_fd lock)
        : path_(std::move(path)), lock_(std::move(lock)) {}
    std::filesystem::path path_;
    unique_fd lock_;  // of the folder, as long as this process lives
};

}  // namespace cuset
