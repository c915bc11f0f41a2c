// A folder that is removed with its object.
#pragma once

#include <filesystem>
#include <utility>

#include "cuset/base/fd.h"
#include "cuset/base/status.h"

namespace cuset {

class scratch_folder {
public:
    /// Makes a new folder in `parent`, which is created if it is missing. It is locked as long as
    /// the object lives.
    static result<scratch_folder> make(const std::filesystem::path& parent);
    scratch_folder(scratch_folder&& other) noexcept
        : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}
    scratch_folder& operator=(scratch_folder&& other) noexcept {
        std::swap(path_, other.path_);
        std::swap(lock_, other.lock_);
        return *this;
    }
    ~scratch_folder() {
        if (!path_.empty()) remove_tree(path_);
    }
    const std::filesystem::path& path() const { return path_; }
    /// From now on the caller has to remove the folder.
    std::filesystem::path release() {
        lock_.reset();
        return std::exchange(path_, {});
    }

    /// Removes folders in `parent` whose processes are gone: nobody has locked them, and nothing
    /// was put into them for ten minutes.
    static void remove_left_over(const std::filesystem::path& parent);

    /// Removes a folder, at any depth of nesting, even if a program of this user has removed the
    /// right to enter it.
    static void remove_tree(const std::filesystem::path& folder);

private:
    scratch_folder(std::filesystem::path path, unique_fd lock)
        : path_(std::move(path)), lock_(std::move(lock)) {}
    std::filesystem::path path_;
    unique_fd lock_;
};

}  // namespace cuset
