// Measures what a process and its descendants take of the machine. Private to lib/sandbox.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>

namespace cuset {

struct tree_usage {
    std::uint64_t processes = 0;     ///< `root` included; 0: it is gone
    std::uint64_t memory_bytes = 0;  ///< anonymous, swapped out too, and page tables
    /// Resident and shared, as far as processes have it mapped; memory of mapped files does not
    /// count.
    std::uint64_t shared_memory_bytes = 0;
    std::uint64_t sockets = 0;              ///< descriptors of such
    std::uint64_t nameless_file_bytes = 0;  ///< of open files that were removed
    bool hides = false;                     ///< a process keeps its descriptors from its own user
};

/// Measures `root` and its descendants. It stops counting after `most` processes.
tree_usage usage_of_tree(pid_t root, std::uint64_t most);

/// Whether one of them has mapped a file that was removed.
bool maps_removed_files(pid_t root, std::uint64_t most);

/// The bytes that the files below `folder` take on the disk. Links are not followed. A folder that
/// is closed to this user, its owner, is opened first; UINT64_MAX if the program is faster. At most
/// `most` files are counted: a folder with more, or with folders nested more than 32 deep, counts
/// as UINT64_MAX.
std::uint64_t bytes_below(const std::filesystem::path& folder, std::uint64_t most);

}  // namespace cuset
