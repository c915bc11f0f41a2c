// Making room in a cache that several evaluations share. Private to lib/judge.
#pragma once

#include <cstdint>
#include <filesystem>

#include "cuset/base/fd.h"

namespace cuset {

/// What a process has while it removes entries, or puts one in the place of another. Empty where
/// another has it and `wait` is false, or where there is no cache, or no locks.
unique_fd lock_of_removals(const std::filesystem::path& cache, bool wait);

/// Removes an entry, at once for all who look for it. False where it is still there. To be called
/// with the lock of removals, and with a hold of the entry or its lock.
bool remove_entry(const std::filesystem::path& place);

/// Removes an entry that nobody holds, or what is left of one, at once for all who look for it.
/// False where it is still there. To be called with the lock of removals.
bool remove_unheld_entry(const std::filesystem::path& place);

/// Removes entries that nobody holds, the one that was used the longest ago first, until all that
/// are left take no more than `most_bytes` on the disk. To be called with the lock of removals.
void remove_oldest_entries(const std::filesystem::path& cache, std::uint64_t most_bytes);

/// Removes the work folders of processes that are gone.
void remove_left_over_work(const std::filesystem::path& cache);

}  // namespace cuset
