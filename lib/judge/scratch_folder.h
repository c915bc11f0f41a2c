// A folder that goes with the object. Private to lib/judge.
#pragma once

#include <filesystem>
#include <utility>

#include "cuset/base/status.h"

namespace cuset {

class scratch_folder {
public:
    /// A new one in `parent`, which is made where it is missing.
    static result<scratch_folder> make(const std::filesystem::path& parent);
    scratch_folder(scratch_folder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    scratch_folder& operator=(scratch_folder&& other) noexcept {
        std::swap(path_, other.path_);
        return *this;
    }
    ~scratch_folder() {
        if (!path_.empty()) remove_tree(path_);
    }
    const std::filesystem::path& path() const { return path_; }
    /// The folder is the caller's to remove.
    std::filesystem::path release() { return std::exchange(path_, {}); }

    /// Removes a folder, however deep it is nested, also where a program of this user has taken the
    /// right to enter it.
    static void remove_tree(const std::filesystem::path& folder);

private:
    explicit scratch_folder(std::filesystem::path path) : path_(std::move(path)) {}
    std::filesystem::path path_;
};

}  // namespace cuset
