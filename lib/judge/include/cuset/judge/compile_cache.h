// What compilers made, kept from one evaluation to the next: programs, and the host backend's
// runtime. Several evaluations may share a cache; one that is killed leaves nothing that is taken
// for whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "cuset/base/fd.h"
#include "cuset/base/status.h"

namespace cuset {

class scratch_folder;
struct compilation;

/// An entry that this process uses: no trim of any process removes it as long as the object lives
/// (a shared flock on its key, so that a process that dies holds nothing).
class held_entry {
public:
    /// Holds the entry of this folder, and makes now the time of its last use. Null where there is
    /// no such entry, or it is another key's.
    static std::shared_ptr<const held_entry> take(const std::filesystem::path& place,
                                                  std::string_view key);

private:
    explicit held_entry(unique_fd key) : key_(std::move(key)) {}
    unique_fd key_;
};

class compile_cache {
public:
    /// In `folder`, which the first entry makes. `most_bytes`: what its entries may take on the
    /// disk; 0: any number.
    compile_cache(std::filesystem::path folder, std::uint64_t most_bytes = 0);

    const std::filesystem::path& folder() const { return folder_; }

    /// The entry of a key, if it is there and whole; held as long as the result lives.
    std::optional<compilation> find(std::string_view key) const;

    /// Makes an entry of a result that is not `limited`, with a copy of its program, and points the
    /// result there, which then holds it. Where another has made the entry in the meantime, that
    /// one is taken. Trims the cache where much was kept since it was trimmed last.
    status keep(std::string_view key, compilation& result) const;

    /// Moves a folder, whose file "key" holds this key, to `place` in the cache, and returns its
    /// hold. Where a folder of the key is there already that `is_whole`, that one stays, and its
    /// hold is returned.
    result<std::shared_ptr<const held_entry>> put(
        scratch_folder&& made, const std::filesystem::path& place, std::string_view key,
        const std::function<bool(const std::filesystem::path&)>& is_whole) const;

    /// Removes the entries whose last use is the longest ago until the others leave some room below
    /// `most_bytes`, and work folders that processes left which are no more. Entries that are held
    /// stay, however many. Nothing is done while another process does it.
    void trim() const;

private:
    std::filesystem::path folder_;
    std::uint64_t most_bytes_;
    struct tally;
    std::shared_ptr<tally> tally_;  // of this process, whichever copy of the object it uses
};

}  // namespace cuset
