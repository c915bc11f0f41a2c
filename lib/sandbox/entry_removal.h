// Frees space in a cache that several processes share. Private to lib/sandbox.
#pragma once

#include <cstdint>
#include <filesystem>

#include "cuset/base/fd.h"

namespace cuset {

/// The lock that a process holds while it removes or replaces entries. Empty if another process has
/// it and `wait` is false, or if there is no cache, or no locks.
unique_fd lock_of_removals(const std::filesystem::path& cache, bool wait);

/// Removes an entry, at once for all who look for it. Returns false if it is still there. The
/// caller has the lock of removals, and holds the entry or its lock.
bool remove_entry(const std::filesystem::path& place);

/// Removes an entry that nobody holds, or the rest of one, at once for all who look for it. Returns
/// false if it is still there. The caller has the lock of removals.
bool remove_unheld_entry(const std::filesystem::path& place);

/// Removes entries that nobody holds, the least recently used first, until the rest take no more
/// than `most_bytes` on the disk. The caller has the lock of removals.
void remove_oldest_entries(const std::filesystem::path& cache, std::uint64_t most_bytes);

/// Removes the work folders of processes that are gone.
void remove_left_over_work(const std::filesystem::path& cache);

}  // namespace cuset
