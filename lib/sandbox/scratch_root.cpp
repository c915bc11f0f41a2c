#include "cuset/sandbox/scratch_root.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>

#include "cuset/sandbox/scratch_folder.h"
#include "cuset/stream/output_file.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view stem = "cuset-eval-";
/// Marks a folder as ours. It exists once the folder is locked.
constexpr std::string_view marker = ".scratch-of-cuset-eval";

/// Opens and locks the folder; returns nothing if another process has locked it or it is not ours.
unique_fd locked(const fs::path& folder) {
    unique_fd opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat about {};
    if (!opened || ::fstat(opened.get(), &about) != 0 || about.st_uid != ::geteuid() ||
        ::flock(opened.get(), LOCK_EX | LOCK_NB) != 0)
        return {};
    return opened;
}

void remove_left_over(const fs::path& parent) {
    std::error_code error;
    for (fs::directory_iterator at(parent, error), end; !error && at != end; at.increment(error)) {
        std::error_code ignored;
        if (!at->path().filename().string().starts_with(stem) ||
            !fs::is_regular_file(at->path() / marker, ignored))
            continue;
        if (const unique_fd lock = locked(at->path())) scratch_folder::remove_tree(at->path());
    }
}

}  // namespace

result<scratch_root> scratch_root::make(const fs::path& parent) {
    remove_left_over(parent);
    std::string name = (parent / (std::string(stem) + "XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr) return io_error(parent.string(), errno);
    unique_fd lock = locked(name);
    if (!lock) return io_error(name, errno);
    CUSET_TRY(write_whole_file((fs::path(name) / marker).string(), {}));
    return scratch_root(name, std::move(lock));
}

scratch_root::~scratch_root() {
    if (lock_) scratch_folder::remove_tree(path_);
}

}  // namespace cuset
