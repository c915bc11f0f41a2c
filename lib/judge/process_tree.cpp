#include "process_tree.h"

#include <sys/stat.h>

#include <charconv>
#include <fstream>
#include <string>
#include <vector>

namespace cuset {

namespace {

namespace fs = std::filesystem;

/// "RssAnon:	 123 kB", of the lines of /proc/PID/status; page tables too.
std::uint64_t resident_bytes(const std::string& process) {
    std::ifstream file(process + "/status");
    std::uint64_t bytes = 0;
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with("RssAnon:") && !line.starts_with("RssShmem:") &&
            !line.starts_with("VmPTE:"))
            continue;
        const std::size_t digits = line.find_first_of("0123456789");
        std::uint64_t kib = 0;
        if (digits != line.npos)
            std::from_chars(line.data() + digits, line.data() + line.size(), kib);
        bytes += kib * 1024;
    }
    return bytes;
}

/// Bytes on the disk of files that it has open and that have no name any more.
std::uint64_t nameless_bytes(const std::string& process) {
    std::uint64_t bytes = 0;
    std::error_code error;
    for (fs::directory_iterator at(process + "/fd", error), end; !error && at != end;
         at.increment(error)) {
        struct stat about {};
        if (::stat(at->path().c_str(), &about) == 0 && S_ISREG(about.st_mode) &&
            about.st_nlink == 0)
            bytes += static_cast<std::uint64_t>(about.st_blocks) * 512;
    }
    return bytes;
}

/// Each thread has children of its own.
void add_children(const std::string& process, std::vector<pid_t>& found) {
    std::error_code error;
    for (fs::directory_iterator thread(process + "/task", error), end; !error && thread != end;
         thread.increment(error)) {
        std::ifstream file(thread->path() / "children");
        for (pid_t child = 0; file >> child;) found.push_back(child);
    }
}

}  // namespace

tree_usage usage_of_tree(pid_t root, std::uint64_t most) {
    tree_usage usage;
    std::vector<pid_t> open{root};
    while (!open.empty() && usage.processes <= most) {
        const std::string process = "/proc/" + std::to_string(open.back());
        open.pop_back();
        std::error_code error;
        if (!fs::exists(process, error)) continue;
        ++usage.processes;
        usage.memory_bytes += resident_bytes(process);
        usage.nameless_file_bytes += nameless_bytes(process);
        add_children(process, open);
    }
    return usage;
}

std::uint64_t bytes_below(const fs::path& folder, std::uint64_t most) {
    // The walk holds a descriptor for each level.
    constexpr int deepest = 32;
    std::uint64_t bytes = 0, files = 0;
    std::error_code error;
    fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied,
                                        error);
    for (const fs::recursive_directory_iterator end; !error && at != end; at.increment(error)) {
        if (++files > most || at.depth() > deepest) return UINT64_MAX;
        struct stat about {};
        if (::lstat(at->path().c_str(), &about) == 0)
            bytes += static_cast<std::uint64_t>(about.st_blocks) * 512;
    }
    return bytes;
}

}  // namespace cuset
