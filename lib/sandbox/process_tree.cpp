#include "process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cuset/base/fd.h"
#include "cuset/sandbox/text_lines.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

/// The content of /proc/PID/status.
struct process_status {
    std::uint64_t memory_bytes = 0, shared_memory_bytes = 0;
    std::uint64_t threads = 0;
    bool has_memory = false;  ///< a thread that has ended has none, even if others continue
};

/// Reads lines such as "RssAnon:    123 kB": page tables, swapped and huge pages count too.
process_status status_in(std::string_view text) {
    process_status found;
    while (!text.empty()) {
        const std::string_view line = take_line(text);
        const bool is_shared = line.starts_with("RssShmem:"),
                   is_count = line.starts_with("Threads:");
        const bool is_resident = line.starts_with("RssAnon:");
        if (!is_shared && !is_count && !is_resident && !line.starts_with("VmPTE:") &&
            !line.starts_with("VmSwap:") && !line.starts_with("HugetlbPages:"))
            continue;
        std::uint64_t number = 0;
        if (const std::size_t digits = line.find_first_of("0123456789"); digits != line.npos)
            std::from_chars(line.data() + digits, line.data() + line.size(), number);
        if (is_count) {
            found.threads = number;
        } else {
            (is_shared ? found.shared_memory_bytes : found.memory_bytes) += number * 1024;
        }
        found.has_memory |= is_resident;
    }
    return found;
}

/// Reads a file at once: a process that ends soon may still answer a single read.
std::string whole_text(const std::string& path) {
    const unique_fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    std::string text(std::size_t{16} << 10, '\0');
    const ssize_t got = file ? ::read(file.get(), text.data(), text.size()) : -1;
    text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return text;
}

process_status status_of(const std::string& process) {
    return status_in(whole_text(process + "/status"));
}

/// Returns the process or, if its first thread has ended, a thread that continues: only that one
/// reports memory and descriptors. Tries again while threads end one after another.
std::string living(const std::string& process, process_status& found) {
    constexpr int most_tries = 100;
    found = status_of(process);
    for (int tries = 0; !found.has_memory && found.threads > 1 && tries < most_tries; ++tries) {
        std::error_code error;
        for (fs::directory_iterator at(process + "/task", error), end; !error && at != end;
             at.increment(error)) {
            const process_status thread = status_of(at->path().string());
            if (!thread.has_memory) continue;
            found = thread;
            return at->path().string();
        }
        found = status_of(process);
    }
    return process;
}

void add_descriptors(const std::string& process, tree_usage& usage) {
    std::error_code error;
    fs::directory_iterator at(process + "/fd", error);
    // The first two processes are the sandbox's own. A process that has ended shows nothing either.
    if (error == std::errc::permission_denied && usage.processes > 2 &&
        status_of(process).has_memory)
        usage.hides = true;
    for (const fs::directory_iterator end; !error && at != end; at.increment(error)) {
        struct stat about {};
        if (::stat(at->path().c_str(), &about) != 0) continue;
        if (S_ISSOCK(about.st_mode)) ++usage.sockets;
        if (S_ISREG(about.st_mode) && about.st_nlink == 0)
            usage.nameless_file_bytes += static_cast<std::uint64_t>(about.st_blocks) * 512;
    }
}

struct tree_member {
    pid_t pid;
    std::string listed_in;  ///< the file that lists it as a child
};

/// Each thread has children of its own.
void add_children(const std::string& process, std::vector<tree_member>& found) {
    std::error_code error;
    for (fs::directory_iterator thread(process + "/task", error), end; !error && thread != end;
         thread.increment(error)) {
        const std::string list = (thread->path() / "children").string();
        std::ifstream file(list);
        for (pid_t child = 0; file >> child;) found.push_back({child, list});
    }
}

/// Calls visit("/proc/PID") for each process of the tree until it returns false. Then calls
/// vanished(file, seen) for each file that listed a process that was gone.
template <class Visit, class Vanished>
void for_tree(pid_t root, const Visit& visit, const Vanished& vanished) {
    std::vector<tree_member> open{{root, {}}};
    std::set<pid_t> seen;
    std::set<std::string> lists;
    while (!open.empty()) {
        const tree_member at = std::move(open.back());
        open.pop_back();
        const std::string process = "/proc/" + std::to_string(at.pid);
        std::error_code error;
        if (!fs::exists(process, error)) {
            lists.insert(at.listed_in);
            continue;
        }
        seen.insert(at.pid);
        if (!visit(process)) return;
        add_children(process, open);
    }
    for (const auto& list : lists) vanished(list, seen);
}

/// Adds memory that passes from process to process, each of which has ended by the time its
/// parent's list is read. If all processes on a list are asked at once, one of them answers.
void add_fleeting(const std::string& list, const std::set<pid_t>& seen, tree_usage& usage) {
    constexpr int most_tries = 100;
    const unique_fd file(::open(list.c_str(), O_RDONLY | O_CLOEXEC));
    for (int tries = 0; file && tries < most_tries; ++tries) {
        std::array<char, 4096> text;
        const ssize_t got = ::pread(file.get(), text.data(), text.size(), 0);
        const std::string_view children(text.data(), got < 0 ? 0 : static_cast<std::size_t>(got));
        // The youngest process is last, before a blank.
        const std::size_t end = children.find_last_of("0123456789");
        if (end == children.npos) return;
        const std::size_t before = children.find_last_of(' ', end);
        pid_t child = 0;
        std::from_chars(children.data() + (before == children.npos ? 0 : before + 1),
                        children.data() + end + 1, child);
        if (seen.contains(child)) return;
        const process_status found = status_of("/proc/" + std::to_string(child));
        usage.memory_bytes += found.memory_bytes;
        usage.shared_memory_bytes += found.shared_memory_bytes;
        if (found.has_memory) return;
    }
}

/// Walks folders that may change during the walk, even into links.
class walk {
public:
    explicit walk(std::uint64_t most) : most_(most) {}

    /// Returns false if the limits of the walk are passed.
    bool add(unique_fd folder, int depth) {
        constexpr int deepest = 32;  // the walk holds a descriptor for each level
        if (!folder) return errno != EACCES;
        if (depth > deepest) return false;
        const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(folder.get()), ::closedir);
        if (!entries) return true;
        const int at = folder.release();  // the stream's now
        while (const dirent* entry = ::readdir(entries.get())) {
            const std::string_view name = entry->d_name;
            if (name == "." || name == "..") continue;
            if (++files_ > most_) return false;
            struct stat about {};
            if (!look(at, entry->d_name, about)) {
                if (errno == EACCES) return false;
                continue;
            }
            bytes += static_cast<std::uint64_t>(about.st_blocks) * 512;
            if (S_ISDIR(about.st_mode) && !add(opened(at, entry->d_name), depth + 1)) return false;
        }
        return true;
    }

    /// Opens with the owner's rights, which the program may have removed and may keep removing:
    /// EACCES if it is too fast.
    static unique_fd opened(int parent, const char* name) {
        constexpr int flags = O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
        unique_fd folder;
        for (int tries = 0; tries < most_tries; ++tries) {
            const unique_fd known(::openat(parent, name, flags | O_PATH));
            struct stat about {};
            if (!known || ::fstat(known.get(), &about) != 0) return {};
            const std::string place = "/proc/self/fd/" + std::to_string(known.get());
            if ((about.st_mode & 0700) != 0700) ::chmod(place.c_str(), 0700);
            folder = unique_fd(::openat(known.get(), ".", flags | O_RDONLY));
            if (folder || errno != EACCES) break;
        }
        return folder;
    }

    std::uint64_t bytes = 0;

private:
    static constexpr int most_tries = 100;

    static bool look(int folder, const char* name, struct stat& about) {
        for (int tries = 0; tries < most_tries; ++tries) {
            if (::fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) == 0) return true;
            if (errno != EACCES) return false;
            ::fchmod(folder, 0700);
        }
        errno = EACCES;
        return false;
    }

    std::uint64_t most_, files_ = 0;
};

}  // namespace

tree_usage usage_of_tree(pid_t root, std::uint64_t most) {
    tree_usage usage;
    for_tree(
        root,
        [&](const std::string& process) {
            ++usage.processes;
            process_status found;
            const std::string thread = living(process, found);
            usage.memory_bytes += found.memory_bytes;
            usage.shared_memory_bytes += found.shared_memory_bytes;
            add_descriptors(thread, usage);
            return usage.processes <= most;
        },
        [&](const std::string& list, const std::set<pid_t>& seen) {
            add_fleeting(list, seen, usage);
        });
    return usage;
}

bool maps_removed_files(pid_t root, std::uint64_t most) {
    bool found = false;
    std::uint64_t processes = 0;
    for_tree(
        root,
        [&](const std::string& process) {
            process_status ignored;
            std::ifstream maps(living(process, ignored) + "/maps");
            for (std::string line; !found && std::getline(maps, line);)
                found = line.ends_with(" (deleted)");
            return !found && ++processes <= most;
        },
        [](const std::string&, const std::set<pid_t>&) {});
    return found;
}

std::uint64_t bytes_below(const fs::path& folder, std::uint64_t most) {
    walk w(most);
    return w.add(walk::opened(AT_FDCWD, folder.c_str()), 0) ? w.bytes : UINT64_MAX;
}

}  // namespace cuset
