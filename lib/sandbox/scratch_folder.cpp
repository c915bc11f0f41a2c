#include "cuset/sandbox/scratch_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/fd.h"

namespace cuset {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view stem = ".work-";

unique_fd open_folder(const fs::path& folder) {
    return unique_fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

}  // namespace

result<scratch_folder> scratch_folder::make(const fs::path& parent) {
    std::error_code error;
    fs::create_directories(parent, error);
    if (error) return io_error(parent.string(), error.value());
    std::string name = (parent / (std::string(stem) + "XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr) return io_error(parent.string(), errno);
    // On a file system without locks, nobody finds the folder unlocked either.
    unique_fd lock = open_folder(name);
    if (lock) ::flock(lock.get(), LOCK_SH | LOCK_NB);
    return scratch_folder(name, std::move(lock));
}

void scratch_folder::remove_left_over(const fs::path& parent) {
    // the time between making and locking a folder is far shorter
    constexpr auto settled = std::chrono::minutes(10);
    std::error_code error;
    for (fs::directory_iterator at(parent, error), end; !error && at != end; at.increment(error)) {
        if (!at->path().filename().string().starts_with(stem)) continue;
        const unique_fd lock = open_folder(at->path());
        struct stat about {};
        if (!lock || ::fstat(lock.get(), &about) != 0 || about.st_uid != ::geteuid()) continue;
        const auto changed = std::chrono::system_clock::from_time_t(about.st_mtime);
        if (std::chrono::system_clock::now() - changed < settled) continue;
        if (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) remove_tree(at->path());
    }
}

namespace {

/// Empties an open folder. Inner folders are opened one at a time, and moved up to `top` before
/// they are emptied, so that deep nesting needs only a few descriptors.
void empty(int folder, int top, int& moved) {
    DIR* const entries = ::fdopendir(::dup(folder));
    if (entries == nullptr) return;
    ::rewinddir(entries);
    // Removing needs the owner's rights, which a program may have removed: here those of the
    // folder, below those of its inner folders. Names may be links to elsewhere, whose rights must
    // stay.
    ::fchmod(folder, 0700);
    while (const dirent* entry = ::readdir(entries)) {
        const std::string_view name = entry->d_name;
        if (name == "." || name == "..") continue;
        if (::unlinkat(folder, entry->d_name, 0) == 0 ||
            ::unlinkat(folder, entry->d_name, AT_REMOVEDIR) == 0)
            continue;
        struct stat about {};
        if (::fstatat(folder, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISDIR(about.st_mode))
            continue;
        ::fchmodat(folder, entry->d_name, 0700, 0);
        if (folder == top) continue;
        // A program may have used such names itself.
        while (::renameat(folder, entry->d_name, top,
                          (".moved-" + std::to_string(moved++)).c_str()) != 0 &&
               (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR)) {
        }
    }
    ::closedir(entries);
}

}  // namespace

void scratch_folder::remove_tree(const fs::path& folder) {
    ::chmod(folder.c_str(), 0700);
    const unique_fd top = open_folder(folder);
    if (top) {
        int moved = 0;
        // Each round removes what the round before made removable; a folder moves up once.
        for (bool any = true; any;) {
            any = false;
            empty(top.get(), top.get(), moved);
            std::vector<std::string> inside;
            DIR* const entries = ::fdopendir(::dup(top.get()));
            if (entries == nullptr) break;
            ::rewinddir(entries);
            while (const dirent* entry = ::readdir(entries))
                if (std::string_view(entry->d_name) != "." &&
                    std::string_view(entry->d_name) != "..")
                    inside.emplace_back(entry->d_name);
            ::closedir(entries);
            for (const auto& name : inside) {
                const unique_fd one(::openat(top.get(), name.c_str(),
                                             O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
                if (!one) continue;
                empty(one.get(), top.get(), moved);
                any |= ::unlinkat(top.get(), name.c_str(), AT_REMOVEDIR) == 0;
            }
        }
    }
    ::rmdir(folder.c_str());
}

}  // namespace cuset
