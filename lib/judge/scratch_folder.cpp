#include "scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <string>

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

void scratch_folder::remove_tree(const fs::path& folder) {
    std::error_code error;
    fs::remove_all(folder, error);
    // A folder opens for the walk only after its parent has, so each pass gets one level deeper.
    for (int level = 0; error && level < 64; ++level) {
        fs::permissions(folder, fs::perms::owner_all, fs::perm_options::add, error);
        fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied,
                                            error);
        for (const fs::recursive_directory_iterator end; !error && at != end; at.increment(error)) {
            std::error_code ignored;
            if (at->is_directory(ignored) && !at->is_symlink(ignored))
                fs::permissions(at->path(), fs::perms::owner_all, fs::perm_options::add, ignored);
        }
        error.clear();
        fs::remove_all(folder, error);
    }
}

}  // namespace cuset
