// What a process and all that it has started take of the machine. Private to lib/judge.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>

namespace cuset {

struct tree_usage {
    std::uint64_t processes = 0;  ///< `root` included; 0: it is gone
    /// Resident, anonymous and shared, with page tables; not that of mapped files.
    std::uint64_t memory_bytes = 0;
    std::uint64_t nameless_file_bytes = 0;  ///< of open files that were removed
};

/// Of `root` and its descendants. Counting stops behind `most` processes.
tree_usage usage_of_tree(pid_t root, std::uint64_t most);

/// Bytes that the files below `folder` take on the disk; links are not followed. Looks at no more
/// than `most` files: a folder of more, or with folders nested more than 32 deep, counts as
/// UINT64_MAX.
std::uint64_t bytes_below(const std::filesystem::path& folder, std::uint64_t most);

}  // namespace cuset
