// The folder of an evaluation's temporary files.
#pragma once

#include <filesystem>
#include <memory>

#include "cuset/base/fd.h"
#include "cuset/base/status.h"

namespace cuset {

class scratch_root {
public:
    /// Makes a new folder "cuset-eval-…" in `parent`, which is removed with the object. Also
    /// removes folders that killed evaluations of this user left there; it knows them by a file in
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
