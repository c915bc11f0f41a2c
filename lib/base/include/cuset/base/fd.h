// Checked system calls on file descriptors.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "cuset/base/status.h"

namespace cuset {

/// Owns a file descriptor and closes it. Call close() if an error of a delayed write matters.
class unique_fd {
public:
    unique_fd() = default;
    explicit unique_fd(int fd) : fd_(fd) {}
    unique_fd(unique_fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    unique_fd& operator=(unique_fd&& other) noexcept {
        if (this != &other) {
            reset();
            fd_ = std::exchange(other.fd_, -1);
        }
        return *this;
    }
    ~unique_fd() { reset(); }

    int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }
    int release() { return std::exchange(fd_, -1); }
    void reset();
    /// Closes and reports what close(2) said; `name` stands before the message.
    status close(std::string_view name);

private:
    int fd_ = -1;
};

/// Reads up to buffer.size() bytes; 0 is the end of the file. Retries EINTR.
result<std::size_t> read_some(int fd, std::span<char> buffer, std::string_view name);

/// All bytes up to the end of the file.
result<std::string> read_all(int fd, std::string_view name);
result<std::string> read_whole_file(const std::string& path);

/// Writes all of `bytes`. Retries EINTR and short writes; waits where the descriptor is
/// non-blocking. EPIPE becomes error_kind::closed_pipe.
status write_all(int fd, std::string_view bytes, std::string_view name);

/// Whether a read would return at once (data, end of file, or an error).
bool is_readable_now(int fd);

/// Waits until a read of `fd` would return at once (true), or until `event` is readable (false). If
/// both hold, `event` counts.
bool wait_readable(int fd, int event);

}  // namespace cuset
