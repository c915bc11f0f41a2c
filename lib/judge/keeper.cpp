#include "keeper.h"

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
std::array<message, most_groups> groups;   // used only in the keeper's copy
std::size_t group_count = 0;

void note(const message& m) {
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
[[noreturn]] void keep(int heard) {
    ::setsid();  // a signal to the caller's process group does not reach the keeper
    constexpr int own = 3;
    if (heard != own) ::dup2(heard, own);
    ::close_range(0, own - 1, 0);
    ::close_range(own + 1, ~0U, 0);
    for (message m{};;) {
        const ssize_t got = ::read(own, &m, sizeof m);
        if (got == static_cast<ssize_t>(sizeof m)) {
            note(m);
        } else if (got >= 0 || errno != EINTR) {
            break;
        }
    }
    end_all();
    ::_exit(0);
}

}  // namespace

result<const keeper*> keeper::of_this_process() {
    static std::mutex starting;
    static std::optional<keeper> started;
    const std::lock_guard lock(starting);
    if (started) return &*started;
    std::array<int, 2> ends;
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return io_error("pipe", errno);
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::close(ends[1]);
        keep(ends[0]);
    }
    ::close(ends[0]);
    if (pid < 0) {
        ::close(ends[1]);
        return io_error("fork", errno);
    }
    started.emplace(keeper(ends[1]));
    return &*started;
}

void keeper::add_self(bool gentle) const {
    const message m{::getpid(), true, gentle};
    static_cast<void>(!::write(told_, &m, sizeof m));
}

void keeper::remove(pid_t group) const {
    const message m{group, false, false};
    static_cast<void>(!::write(told_, &m, sizeof m));
}

}  // namespace cuset
