#include "scratch_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/fd.h"

namespace cuset {

namespace fs = std::filesystem;

result<scratch_folder> scratch_folder::make(const fs::path& parent) {
    std::error_code error;
    fs::create_directories(parent, error);
    if (error) return io_error(parent.string(), error.value());
    std::string name = (parent / ".work-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) return io_error(parent.string(), errno);
    return scratch_folder(name);
}

namespace {

/// Empties an open folder. Folders in it are opened one at a time and moved up to `top` before they
/// are emptied there, so that no nesting takes more than a few descriptors.
void empty(int folder, int top, int& moved) {
    DIR* const entries = ::fdopendir(::dup(folder));
    if (entries == nullptr) return;
    ::rewinddir(entries);
    while (const dirent* entry = ::readdir(entries)) {
        const std::string_view name = entry->d_name;
        if (name == "." || name == "..") continue;
        if (::unlinkat(folder, entry->d_name, 0) == 0 ||
            ::unlinkat(folder, entry->d_name, AT_REMOVEDIR) == 0)
            continue;
        // Entering needs the owner's rights, which a program may have taken.
        ::fchmodat(folder, entry->d_name, 0700, 0);
        if (folder == top) continue;
        const std::string place = ".moved-" + std::to_string(moved++);
        ::renameat(folder, entry->d_name, top, place.c_str());
    }
    ::closedir(entries);
}

}  // namespace

void scratch_folder::remove_tree(const fs::path& folder) {
    ::chmod(folder.c_str(), 0700);
    const unique_fd top(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
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
