#include "cuset/sandbox/entry_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>
#include <utility>

#include "cuset/sandbox/file_text.h"
#include "cuset/sandbox/scratch_folder.h"
#include "cuset/stream/output_file.h"
#include "entry_removal.h"

namespace cuset {

namespace fs = std::filesystem;

std::shared_ptr<const held_entry> held_entry::take(const fs::path& place, std::string_view key) {
    const fs::path path = place / "key";
    unique_fd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!file) return {};
    // A process with the exclusive lock is about to remove the entry, which is quick. If the file
    // system has no locks, nobody removes anything.
    while (::flock(file.get(), LOCK_SH) != 0 && errno == EINTR) {
    }
    if (!identify(file.get()).is_same_file(identify(path.string())) || text_of(path) != key)
        return {};
    static_cast<void>(::futimens(file.get(), nullptr));
    return std::shared_ptr<const held_entry>(new held_entry(std::move(file)));
}

/// Counts the bytes kept since the cache was last trimmed.
struct entry_cache::tally {
    std::atomic<std::uint64_t> kept = 0;
};

entry_cache::entry_cache(fs::path folder, std::uint64_t most_bytes)
    : folder_(std::move(folder)), most_bytes_(most_bytes), tally_(std::make_shared<tally>()) {}

result<std::shared_ptr<const held_entry>> entry_cache::put(
    scratch_folder&& made, const fs::path& place, std::string_view key,
    const std::function<bool(const fs::path&)>& is_whole) const {
    constexpr int tries = 4;  // others may fill the place as soon as it is empty
    scratch_folder mine = std::move(made);
    std::error_code error;
    fs::permissions(mine.path(), fs::perms(0755), error);
    // The hold comes before others can see the entry, so that nobody removes it.
    auto hold = held_entry::take(mine.path(), key);
    for (int i = 0; i < tries; ++i) {
        fs::rename(mine.path(), place, error);
        if (!error) {
            static_cast<void>(mine.release());
            return hold;
        }
        if (error != std::errc::directory_not_empty && error != std::errc::file_exists) break;
        const unique_fd lock = lock_of_removals(folder_, true);
        const auto theirs = held_entry::take(place, key);
        if (theirs && is_whole(place)) return theirs;
        // The rest of an entry, left by a manual clean-up or by a crash of the machine. A process
        // that holds it has no use for it. Without a hold it may have become another entry.
        theirs ? remove_entry(place) : remove_unheld_entry(place);
    }
    return io_error(place.string(), error.value());
}

void entry_cache::count_kept(std::uint64_t bytes) const {
    tally_->kept += bytes;
    if (most_bytes_ > 0 && tally_->kept > most_bytes_ / 8) trim();
}

void entry_cache::trim() const {
    const unique_fd lock = lock_of_removals(folder_, false);
    if (!lock) return;
    tally_->kept = 0;
    remove_left_over_work(folder_);
    // Frees enough room for this process to stay within the size until it trims again.
    if (most_bytes_ > 0) remove_oldest_entries(folder_, most_bytes_ - most_bytes_ / 8);
}

}  // namespace cuset
