#include "cuset/base/fd.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace cuset {

void unique_fd::reset() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
}

status unique_fd::close(std::string_view name) {
    // Linux has closed the descriptor even if close() fails with EINTR, so it must not be closed
    // again.
    if (fd_ >= 0 && ::close(std::exchange(fd_, -1)) != 0 && errno != EINTR)
        return io_error(name, errno);
    return {};
}

result<std::size_t> read_some(int fd, std::span<char> buffer, std::string_view name) {
    for (;;) {
        const ssize_t n = ::read(fd, buffer.data(), buffer.size());
        if (n >= 0) return static_cast<std::size_t>(n);
        if (errno == EAGAIN || errno == EWOULDBLOCK) {
            pollfd wait{fd, POLLIN, 0};
            ::poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            return io_error(name, errno);
        }
    }
}

result<std::string> read_all(int fd, std::string_view name) {
    std::string text;
    for (std::size_t size = 0;;) {
        if (size == text.size()) text.resize(std::max<std::size_t>(65536, 2 * size));
        CUSET_ASSIGN(const std::size_t got, read_some(fd, std::span(text).subspan(size), name));
        size += got;
        if (got > 0) continue;
        text.resize(size);
        return text;
    }
}

result<std::string> read_whole_file(const std::string& path) {
    const unique_fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return io_error(path, errno);
    return read_all(file.get(), path);
}

status write_all(int fd, std::string_view bytes, std::string_view name) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(fd, bytes.data(), bytes.size());
        if (n >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(n));
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            pollfd wait{fd, POLLOUT, 0};
            ::poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            return io_error(name, errno);
        }
    }
    return {};
}

bool is_readable_now(int fd) {
    pollfd ready{fd, POLLIN, 0};
    return ::poll(&ready, 1, 0) != 0;
}

bool wait_readable(int fd, int event) {
    std::array<pollfd, 2> ready{pollfd{fd, POLLIN, 0}, pollfd{event, POLLIN, 0}};
    while (::poll(ready.data(), ready.size(), -1) < 0 && errno == EINTR) {
    }
    return ready[1].revents == 0;
}

}  // namespace cuset
