#include "entry_removal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "cuset/sandbox/scratch_folder.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

struct cache_entry {
    fs::path place;
    std::uint64_t bytes = 0;
    timespec used{};
};

std::vector<fs::path> folders_in(const fs::path& parent) {
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator at(parent, error), end; !error && at != end; at.increment(error))
        if (std::error_code ignored; fs::is_directory(at->symlink_status(ignored)))
            found.push_back(at->path());
    return found;
}

bool is_work_folder(const fs::path& folder) { return folder.filename().string().front() == '.'; }

cache_entry measured(const fs::path& place) {
    cache_entry found{place, 0, {}};
    struct stat about {};
    const auto add = [&](const fs::path& path) {
        if (::lstat(path.c_str(), &about) == 0)
            found.bytes += static_cast<std::uint64_t>(about.st_blocks) * 512;
    };
    add(place);
    std::error_code error;
    for (fs::recursive_directory_iterator at(place, error), end; !error && at != end;
         at.increment(error))
        add(at->path());
    // Without a key, it is half an entry.
    if (::lstat((place / "key").c_str(), &about) == 0) found.used = about.st_mtim;
    return found;
}

/// compile/XX/… and host-…
std::vector<cache_entry> entries_of(const fs::path& cache) {
    std::vector<cache_entry> found;
    for (const auto& group : folders_in(cache / "compile"))
        for (const auto& place : folders_in(group))
            if (!is_work_folder(place)) found.push_back(measured(place));
    for (const auto& place : folders_in(cache))
        if (place.filename().string().starts_with("host-")) found.push_back(measured(place));
    return found;
}

}  // namespace

unique_fd lock_of_removals(const fs::path& cache, bool wait) {
    unique_fd file(
        ::open((cache / "removals.lock").c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644));
    int failed = -1;
    while (file && (failed = ::flock(file.get(), wait ? LOCK_EX : LOCK_EX | LOCK_NB)) != 0 &&
           errno == EINTR) {
    }
    return failed == 0 ? std::move(file) : unique_fd();
}

bool remove_entry(const fs::path& place) {
    // The removal is atomic: an empty work folder of ours replaces the entry, and is removed with
    // it.
    const auto away = scratch_folder::make(place.parent_path());
    std::error_code error;
    if (away) fs::rename(place, away->path(), error);
    return away && !error;
}

bool remove_unheld_entry(const fs::path& place) {
    const std::string path = place.string();
    const unique_fd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder) return errno == ENOENT;
    // A rename puts the entry in the place of an empty folder, and nobody sees a state between.
    std::error_code error;
    if (fs::is_empty(place, error) || error) return false;
    // On a network file system an exclusive lock needs the right to write.
    const unique_fd key(::openat(folder.get(), "key", O_RDWR | O_NOFOLLOW | O_CLOEXEC));
    if (key ? ::flock(key.get(), LOCK_EX | LOCK_NB) != 0 : errno != ENOENT) return false;
    struct stat had {
    }, has{};
    if (::fstat(folder.get(), &had) != 0 || ::lstat(path.c_str(), &has) != 0 ||
        had.st_dev != has.st_dev || had.st_ino != has.st_ino)
        return false;
    // The lock stays until no one can find the entry any more.
    return remove_entry(place);
}

void remove_oldest_entries(const fs::path& cache, std::uint64_t most_bytes) {
    auto entries = entries_of(cache);
    std::uint64_t bytes = 0;
    for (const auto& entry : entries) bytes += entry.bytes;
    std::sort(entries.begin(), entries.end(), [](const cache_entry& a, const cache_entry& b) {
        return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
    });
    for (const auto& entry : entries) {
        if (bytes <= most_bytes) return;
        if (remove_unheld_entry(entry.place)) bytes -= entry.bytes;
    }
}

void remove_left_over_work(const fs::path& cache) {
    scratch_folder::remove_left_over(cache);
    for (const auto& group : folders_in(cache / "compile")) scratch_folder::remove_left_over(group);
}

}  // namespace cuset
