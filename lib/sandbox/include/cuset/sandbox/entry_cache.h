// A folder of results that take long to make, kept from one run to the next. Several processes may
// share it. A process that is killed leaves nothing that could be taken for a whole entry.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "cuset/base/fd.h"
#include "cuset/base/status.h"

namespace cuset {

class scratch_folder;

/// An entry that this process uses. As long as the object lives, no process removes it (a shared
/// flock on its key, so that a dead process holds nothing).
class held_entry {
public:
    /// Holds the entry of this folder, and sets the time of its last use to now. Null if there is
    /// no such entry, or if it has another key.
    static std::shared_ptr<const held_entry> take(const std::filesystem::path& place,
                                                  std::string_view key);

private:
    explicit held_entry(unique_fd key) : key_(std::move(key)) {}
    unique_fd key_;
};

class entry_cache {
public:
    /// The cache is in `folder`, which the first entry creates. `most_bytes`: the space that its
    /// entries may take on the disk; 0: any.
    entry_cache(std::filesystem::path folder, std::uint64_t most_bytes = 0);

    const std::filesystem::path& folder() const { return folder_; }

    /// Moves a folder, whose file "key" has this key, to `place` in the cache, and returns its
    /// hold. If there is a folder with the key already and it `is_whole`, that one stays, and its
    /// hold is returned.
    result<std::shared_ptr<const held_entry>> put(
        scratch_folder&& made, const std::filesystem::path& place, std::string_view key,
        const std::function<bool(const std::filesystem::path&)>& is_whole) const;

    /// Counts what was put there, and trims the cache if that is much since the last time.
    void count_kept(std::uint64_t bytes) const;

    /// Removes the least recently used entries until there is some room below `most_bytes`, and the
    /// work folders of processes that are gone. Entries that are held stay, however many there are.
    /// Does nothing while another process does this.
    void trim() const;

private:
    std::filesystem::path folder_;
    std::uint64_t most_bytes_;
    struct tally;
    std::shared_ptr<tally> tally_;  // shared by all copies of the object in this process
};

}  // namespace cuset
