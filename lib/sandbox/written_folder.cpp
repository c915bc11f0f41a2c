#include "cuset/sandbox/written_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string_view>

namespace cuset {

namespace {

constexpr int no_links = O_NOFOLLOW | O_CLOEXEC;

/// Works by descriptor, since no call changes a name's rights without following links.
bool change_rights(const unique_fd& known, mode_t rights) {
    const std::string place = "/proc/self/fd/" + std::to_string(known.get());
    return ::chmod(place.c_str(), rights) == 0;
}

/// Opens the thing behind a name, which need not be readable; none if there is nothing of this
/// name.
unique_fd known_as(int folder, const char* name, struct stat& about) {
    unique_fd known(::openat(folder, name, O_PATH | no_links));
    if (known && ::fstat(known.get(), &about) != 0) known.reset();
    return known;
}

unique_fd opened_folder(int parent, const char* name) {
    struct stat about {};
    const unique_fd known = known_as(parent, name, about);
    if (!known || !S_ISDIR(about.st_mode)) return {};
    if ((about.st_mode & 0700) != 0700) change_rights(known, 0700);
    return unique_fd(::openat(parent, name, O_RDONLY | O_DIRECTORY | no_links));
}

const char* word_for(mode_t mode) {
    if (S_ISLNK(mode)) return "is a link";
    if (S_ISDIR(mode)) return "is a folder";
    return "is no plain file";
}

}  // namespace

result<written_folder> written_folder::open(const std::filesystem::path& work) {
    unique_fd folder = opened_folder(AT_FDCWD, work.c_str());
    if (!folder) return io_error(work.string(), errno);
    return written_folder(std::move(folder));
}

std::optional<written_folder> written_folder::folder(const std::string& name) const {
    unique_fd inner = opened_folder(folder_.get(), name.c_str());
    if (!inner) return {};
    return written_folder(std::move(inner));
}

std::optional<std::vector<std::string>> written_folder::files(std::size_t most) const {
    std::vector<std::string> names;
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(
        ::fdopendir(::openat(folder_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)), ::closedir);
    if (!entries) return names;
    std::size_t count = 0;
    while (const dirent* entry = ::readdir(entries.get())) {
        const std::string_view name = entry->d_name;
        if (name == "." || name == "..") continue;
        if (++count > most) return {};
        struct stat about {};
        if (::fstatat(folder_.get(), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(about.st_mode))
            names.emplace_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
}

result<written_folder::taken> written_folder::take(const std::string& name,
                                                   const std::filesystem::path& place,
                                                   mode_t rights) const {
    struct stat about {};
    const unique_fd known = known_as(folder_.get(), name.c_str(), about);
    if (!known) return taken{0, "is missing"};
    if (!S_ISREG(about.st_mode)) return taken{0, word_for(about.st_mode)};
    if (::renameat(folder_.get(), name.c_str(), AT_FDCWD, place.c_str()) != 0)
        return io_error(place.string(), errno);
    // The program's own user may have made it; its hard links elsewhere go with their folder.
    if (::fchownat(known.get(), "", ::geteuid(), ::getegid(), AT_EMPTY_PATH) != 0 ||
        !change_rights(known, rights))
        return io_error(place.string(), errno);
    return taken{static_cast<std::uint64_t>(about.st_size), {}};
}

}  // namespace cuset
