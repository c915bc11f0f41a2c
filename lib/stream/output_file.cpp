#include "cuset/stream/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <random>

namespace cuset {
namespace {

// The temporary files that a signal handler must remove. Slots are claimed by pointer, so that the
// handler uses only lock-free atomics and unlink(2).
std::array<std::atomic<const char*>, 16> doomed_paths;
static_assert(std::atomic<const char*>::is_always_lock_free);

extern "C" void remove_temporaries(int signal) {
    for (auto& slot : doomed_paths)
        if (const char* path = slot.load()) ::unlink(path);
    ::signal(signal, SIG_DFL);
    ::raise(signal);
}

void remove_on_signal(const char* path) {
    static const bool installed = [] {
        for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
            struct sigaction current {};
            // nohup and the background jobs of a shell ignore signals on purpose: this stays so.
            if (::sigaction(signal, nullptr, &current) == 0 && current.sa_handler == SIG_DFL)
                ::signal(signal, remove_temporaries);
        }
        return true;
    }();
    static_cast<void>(installed);
    for (auto& slot : doomed_paths) {
        const char* expected = nullptr;
        if (slot.compare_exchange_strong(expected, path)) return;
    }
}

void keep_on_signal(const char* path) {
    for (auto& slot : doomed_paths) {
        const char* expected = path;
        if (slot.compare_exchange_strong(expected, nullptr)) return;
    }
}

file_identity identity_of(const struct stat& info) {
    return {info.st_dev, info.st_ino, S_ISREG(info.st_mode), S_ISFIFO(info.st_mode), {}};
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// The beginning of temporary names; random digits follow. A name has at most 255 bytes.
std::string temporary_stem(std::string_view final_name) {
    return '.' + std::string(final_name.substr(0, 200)) + ".cuset-";
}

std::string parent_folder(const std::string& path) {
    const auto slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

// Follows symbolic links itself, since realpath(3) fails on a link to a file that does not exist
// yet.
result<std::string> follow_links(std::string path) {
    for (int depth = 0; depth < 40; ++depth) {
        std::array<char, PATH_MAX> target;
        const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
        if (length < 0) return path;
        std::string next(target.data(), static_cast<std::size_t>(length));
        path = next.starts_with('/') ? next : parent_folder(path) + '/' + next;
    }
    return io_error(path, ELOOP);
}

}  // namespace

file_identity identify(int fd) {
    struct stat info {};
    return ::fstat(fd, &info) == 0 ? identity_of(info) : file_identity{};
}

file_identity identify(const std::string& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) == 0) return identity_of(info);
    const auto target = follow_links(path);
    if (path.empty() || !target || ::stat(parent_folder(*target).c_str(), &info) != 0) return {};
    return {info.st_dev, info.st_ino, false, false, file_name(*target)};
}

bool file_identity::is_same_file(const file_identity& other) const {
    const bool is_known = is_regular || is_pipe || !new_name.empty();
    return is_known && is_regular == other.is_regular && is_pipe == other.is_pipe &&
           new_name == other.new_name && device == other.device && inode == other.inode;
}

result<output_file> output_file::open(const std::string& path) {
    output_file file;
    if (path == "-") {
        file.name_ = "standard output";
        const int fd = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
        if (fd < 0) return io_error(file.name_, errno);
        file.fd_ = unique_fd(fd);
        return file;
    }
    file.name_ = path;
    struct stat info {};
    const bool exists = ::stat(path.c_str(), &info) == 0;
    if (exists && !S_ISREG(info.st_mode)) {
        // Opened under its own name: the link behind /dev/stdout names no file if that is a pipe.
        file.fd_ = unique_fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
        if (!file.fd_) return io_error(path, errno);
        return file;
    }
    CUSET_ASSIGN(const std::string target, follow_links(path));
    // Replacing needs only a writable folder, but a file that its owner made read-only must stay.
    if (exists && ::access(target.c_str(), W_OK) != 0) return io_error(path, errno);

    std::random_device random;
    const std::string stem = parent_folder(target) + '/' + temporary_stem(file_name(target));
    for (int attempt = 0; attempt < 100; ++attempt) {
        const std::string candidate = stem + std::to_string(random());
        const int fd = ::open(candidate.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno == EEXIST) continue;
        if (fd < 0) return io_error(path, errno);
        file.fd_ = unique_fd(fd);
        file.final_path_ = target;
        file.temporary_path_ = candidate;
        remove_on_signal(file.temporary_path_.c_str());
        if (exists) static_cast<void>(::fchmod(fd, info.st_mode & 07777));
        return file;
    }
    return io_error(path, EEXIST);
}

// The signal handler holds a pointer into temporary_path_, so a move registers the new one.
output_file::output_file(output_file&& other) noexcept
    : fd_(std::move(other.fd_)),
      name_(std::move(other.name_)),
      final_path_(std::move(other.final_path_)) {
    if (!other.temporary_path_.empty()) {
        keep_on_signal(other.temporary_path_.c_str());
        temporary_path_ = std::exchange(other.temporary_path_, {});
        remove_on_signal(temporary_path_.c_str());
    }
}

bool is_temporary_name(std::string_view name, std::string_view final_name) {
    const std::string stem = temporary_stem(final_name);
    return name.starts_with(stem) &&
           name.find_first_not_of("0123456789", stem.size()) == std::string_view::npos;
}

void sync_folder(const std::string& folder) {
    const unique_fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd) static_cast<void>(::fsync(fd.get()));
}

output_file::~output_file() {
    if (temporary_path_.empty()) return;
    ::unlink(temporary_path_.c_str());
    keep_on_signal(temporary_path_.c_str());
}

status output_file::commit() {
    if (temporary_path_.empty()) return fd_.close(name_);
    if (::fsync(fd_.get()) != 0) return io_error(name_, errno);
    CUSET_TRY(fd_.close(name_));
    if (::rename(temporary_path_.c_str(), final_path_.c_str()) != 0) return io_error(name_, errno);
    keep_on_signal(temporary_path_.c_str());
    temporary_path_.clear();
    sync_folder(parent_folder(final_path_));
    return {};
}

bool output_file::is_terminal() const { return ::isatty(fd_.get()) == 1; }

file_identity output_file::identity() const {
    return final_path_.empty() ? identify(fd_.get()) : identify(final_path_);
}

status write_whole_file(const std::string& path, std::string_view bytes) {
    CUSET_ASSIGN(auto out, output_file::open(path));
    CUSET_TRY(out.write(bytes));
    return out.commit();
}

}  // namespace cuset
