#include "supervisor.h"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "file_text.h"
#include "process_tree.h"

namespace cuset {

namespace {

using clock = std::chrono::steady_clock;

constexpr int look_every_ms = 20;
constexpr std::size_t kept_output = 64 * 1024;
constexpr std::uint64_t most_files = 10'000;
/// That a launcher may wait for a place before the program starts.
constexpr double longest_queue_seconds = 24 * 3600;

void tell_status(int status, run_report& report) {
    if (WIFSIGNALED(status)) {
        report.end = run_end::signalled;
        report.code = WTERMSIG(status);
    } else {
        report.code = WEXITSTATUS(status);
        // bubblewrap ends with 128 + N where the program was ended by signal N.
        if (report.code > 128 && report.code <= 128 + 64) {
            report.end = run_end::signalled;
            report.code -= 128;
        }
    }
    if (report.end == run_end::signalled && report.code == SIGXFSZ) {
        report.end = run_end::too_large_files;
        report.code = 0;
    }
}

/// Readable once the process has ended.
unique_fd process_handle(long pid) {
    return unique_fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

status io_error_of_sandbox(const std::string& said) {
    return {error_kind::io, "no sandbox: " + said.substr(0, said.find('\n'))};
}

}  // namespace

supervised::supervised(pid_t pid, const sandbox_request& request, unique_fd out, unique_fd err,
                       unique_fd info, std::filesystem::path told)
    : pid_(pid),
      request_(request),
      out_(std::move(out)),
      err_(std::move(err)),
      info_(std::move(info)),
      ended_(process_handle(pid)),
      file_(std::move(told)) {}

result<run_report> supervised::to_its_end() {
    run_report report;
    std::optional<run_end> passed;
    do {
        read_output(look_every_ms, report);
        read_info();
        if (has_ended()) break;
        passed = passed_limit();
    } while (!passed);
    // Behind a launcher, a short program may have come and gone between two looks.
    const bool unseen = is_queued() || (!file_.empty() && elapsed() < 1e-3);
    report.seconds = unseen ? look_every_ms * 1e-3 : elapsed();
    const int status = kill_all();
    // Without a sandbox there may still be somebody who writes.
    while (output_bytes_ <= request_.limits.output_bytes && read_output(0, report)) {
    }
    read_info();
    if (!file_.empty()) told_ = text_of(file_);
    if (passed) {
        report.end = *passed;
    } else if ((info_ || !file_.empty()) && WIFEXITED(status) &&
               told_.find("\"exit-code\"") == told_.npos) {
        return io_error_of_sandbox(report.err);
    } else {
        tell_status(status, report);
    }
    return report;
}

/// Whether a launcher has not started the sandbox yet; once it has, the program's time begins.
bool supervised::is_queued() {
    if (file_.empty() || !told_.empty()) return false;
    told_ = text_of(file_);
    if (!told_.empty()) start_ = clock::now();
    return told_.empty();
}

double supervised::elapsed() const {
    return std::chrono::duration<double>(clock::now() - start_).count();
}

/// False where nothing came within the time.
bool supervised::read_output(int wait_ms, run_report& report) {
    std::array<pollfd, 3> ends{
        {{out_.get(), POLLIN, 0}, {err_.get(), POLLIN, 0}, {ended_.get(), POLLIN, 0}}};
    if (::poll(ends.data(), ends.size(), wait_ms) <= 0) return false;
    bool any = false;
    any |= take(ends[0], out_, report.out);
    any |= take(ends[1], err_, report.err);
    return any;
}

bool supervised::take(const pollfd& end, unique_fd& from, std::string& kept) {
    if (end.revents == 0) return false;
    std::array<char, 65536> bytes;
    const ssize_t got = ::read(from.get(), bytes.data(), bytes.size());
    if (got <= 0) {
        from.reset();  // poll leaves negative descriptors alone
        return false;
    }
    const auto count = static_cast<std::size_t>(got);
    output_bytes_ += count;
    kept.append(bytes.data(), count);
    // A beginning and an end: compilers tell errors last.
    if (kept.size() > 4 * kept_output) kept.erase(kept_output, kept.size() - 2 * kept_output);
    return true;
}

std::optional<run_end> supervised::passed_limit() {
    const sandbox_limits& l = request_.limits;
    if (is_queued()) {
        if (elapsed() > longest_queue_seconds) return run_end::too_long;
    } else if (elapsed() > l.seconds) {
        return run_end::too_long;
    }
    if (output_bytes_ > l.output_bytes) return run_end::too_much_output;
    const auto now = clock::now();
    if (now - looked_ < std::chrono::milliseconds(look_every_ms)) return {};
    looked_ = now;
    // Two of the processes are the sandbox's own.
    const tree_usage usage = usage_of_tree(pid_, l.processes + 2);
    if (usage.processes > l.processes + 2) return run_end::too_many_processes;
    if (usage.memory_bytes > l.memory_bytes) return run_end::too_much_memory;
    if (l.file_bytes != UINT64_MAX) {
        const std::uint64_t named = bytes_below(request_.work, most_files);
        if (named > l.file_bytes || named + usage.nameless_file_bytes > l.file_bytes)
            return run_end::too_large_files;
    }
    return {};
}

/// bubblewrap tells the first process of the sandbox, and at the end the program's exit code: not
/// where it failed itself.
void supervised::read_info() {
    if (!info_) return;
    std::array<char, 512> text;
    for (ssize_t got = 0; (got = ::read(info_.get(), text.data(), text.size())) > 0;)
        told_.append(text.data(), static_cast<std::size_t>(got));
    constexpr std::string_view key = "\"child-pid\":";
    const std::size_t at = told_.find(key);
    if (inside_ || at == told_.npos) return;
    inside_ = process_handle(std::strtol(told_.c_str() + at + key.size(), nullptr, 10));
}

/// It stays a zombie, so that its number is no other's.
bool supervised::has_ended() const {
    siginfo_t about{};
    const auto id = static_cast<id_t>(pid_);
    return ::waitid(P_PID, id, &about, WEXITED | WNOHANG | WNOWAIT) == 0 && about.si_pid != 0;
}

/// Ends what is left of it, and returns its wait status.
int supervised::kill_all() {
    if (!request_.launcher.empty()) {
        // One that is killed would leave what it started elsewhere.
        ::kill(pid_, SIGTERM);
        pollfd end{ended_.get(), POLLIN, 0};
        static_cast<void>(::poll(&end, 1, 5000));
    }
    ::kill(-pid_, SIGKILL);
    read_info();
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    if (inside_) {
        ::syscall(SYS_pidfd_send_signal, inside_.get(), SIGKILL, nullptr, 0);
        pollfd gone{inside_.get(), POLLIN, 0};
        // One that hangs in a driver does not go, and must not hold us too.
        while (::poll(&gone, 1, 10'000) < 0 && errno == EINTR) {
        }
    }
    return status;
}

}  // namespace cuset
