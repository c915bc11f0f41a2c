#include "input_feed.h"

#include <unistd.h>

#include <array>
#include <cerrno>

namespace cuset {

pollfd input_feed::waits_for() const {
    if (!to_) return {-1, 0, 0};
    return left_.empty() ? pollfd{from_, POLLIN, 0} : pollfd{to_.get(), POLLOUT, 0};
}

status input_feed::pass_on() {
    if (left_.empty()) {
        std::array<char, 65536> bytes;
        const ssize_t got = ::read(from_, bytes.data(), bytes.size());
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) return {};
        // A terminal that belongs to other programs has no input for this one either.
        if (got <= 0) {
            to_.reset();
            return {};
        }
        left_.assign(bytes.data(), static_cast<std::size_t>(got));
        if (copy_ >= 0) return write_all(copy_, left_, "a copy of the input");
        return {};
    }
    const ssize_t written = ::write(to_.get(), left_.data(), left_.size());
    if (written < 0 && (errno == EAGAIN || errno == EINTR)) return {};
    if (written < 0) {
        to_.reset();  // the program has closed its input
    } else {
        left_.erase(0, static_cast<std::size_t>(written));
    }
    return {};
}

}  // namespace cuset
