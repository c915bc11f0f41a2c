#include "watchdog.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <mutex>
#include <optional>

namespace cuset {

namespace {

/// Shorter than what a pipe takes in one piece, even with other writers.
struct message {
    pid_t group;
    bool runs, gentle;
};

constexpr std::size_t most_groups = 8192;  // programs that run at a time
std::array<message, most_groups> groups;   // used only in the watchdog's copy
std::size_t group_count = 0;

void track(const message& m) {
    std::size_t at = 0;
    while (at < group_count && groups[at].group != m.group) ++at;
    if (m.runs && at < most_groups) {
        groups[at] = m;
        if (at == group_count) ++group_count;
    } else if (!m.runs && at < group_count) {
        groups[at] = groups[--group_count];
    }
}

void end_all() {
    bool any_gentle = false;
    for (std::size_t i = 0; i < group_count; ++i) {
        ::kill(-groups[i].group, groups[i].gentle ? SIGTERM : SIGKILL);
        any_gentle |= groups[i].gentle;
    }
    if (!any_gentle) return;
    ::sleep(5);
    for (std::size_t i = 0; i < group_count; ++i) ::kill(-groups[i].group, SIGKILL);
}

/// Uses only system calls: the process that forked may have had threads.
[[noreturn]] void watch(int messages) {
    ::setsid();  // a signal to the caller's process group does not reach the watchdog
    constexpr int own = 3;
    if (messages != own) ::dup2(messages, own);
    ::close_range(0, own - 1, 0);
    ::close_range(own + 1, ~0U, 0);
    for (message m{};;) {
        const ssize_t got = ::read(own, &m, sizeof m);
        if (got == static_cast<ssize_t>(sizeof m)) {
            track(m);
        } else if (got >= 0 || errno != EINTR) {
            break;
        }
    }
    end_all();
    ::_exit(0);
}

}  // namespace

result<const watchdog*> watchdog::of_this_process() {
    static std::mutex starting;
    static std::optional<watchdog> started;
    const std::lock_guard lock(starting);
    if (started) return &*started;
    std::array<int, 2> ends;
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return io_error("pipe", errno);
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::close(ends[1]);
        watch(ends[0]);
    }
    ::close(ends[0]);
    if (pid < 0) {
        ::close(ends[1]);
        return io_error("fork", errno);
    }
    started.emplace(watchdog(ends[1]));
    return &*started;
}

void watchdog::add_self(bool gentle) const {
    const message m{::getpid(), true, gentle};
    static_cast<void>(!::write(pipe_, &m, sizeof m));
}

void watchdog::remove(pid_t group) const {
    const message m{group, false, false};
    static_cast<void>(!::write(pipe_, &m, sizeof m));
}

}  // namespace cuset
