#include "supervisor.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "cuset/sandbox/file_text.h"
#include "cuset/sandbox/text_lines.h"
#include "process_tree.h"

namespace cuset {

namespace {

using clock = std::chrono::steady_clock;

constexpr int look_every_ms = 20;
constexpr std::size_t kept_output = 64 * 1024;
constexpr std::size_t kept_of_channel = std::size_t{8} << 20;
constexpr std::uint64_t most_files = 10'000;
/// The time that bubblewrap may take until the program can start, on a very busy machine.
constexpr double longest_making_seconds = 60;
/// The kernel memory that a socket may hold, and that a file in memory takes beside its bytes.
constexpr std::uint64_t bytes_a_socket = 416 << 10, bytes_an_inode = 1 << 10;
/// The time that a launcher may wait for a place before the program starts.
constexpr double longest_queue_seconds = 24 * 3600;

void read_wait_status(int status, run_report& report) {
    if (WIFSIGNALED(status)) {
        report.end = run_end::signalled;
        report.code = WTERMSIG(status);
    } else {
        report.code = WEXITSTATUS(status);
        // bubblewrap exits with 128 + N if signal N ended the program.
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

/// A descriptor that becomes readable when the process has ended.
unique_fd process_handle(long pid) {
    return unique_fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

status error_of_stop() { return data_error("the program was stopped"); }

status error_of_sandbox(const std::string& message) {
    return data_error("no sandbox: " + std::string(first_line(message)));
}

std::uint64_t free_bytes_beside(const std::filesystem::path& folder) {
    std::error_code error;
    const auto space = std::filesystem::space(folder, error);
    return error ? 0 : space.free;
}

/// The size of the memory file systems in the sandbox whose first process is `first`.
std::uint64_t bytes_in_memory_folders(pid_t first) {
    std::uint64_t bytes = 0;
    for (const char* folder : {"tmp", "dev/shm"}) {
        const std::string path = "/proc/" + std::to_string(first) + "/root/" + folder;
        struct statvfs about {};
        if (::statvfs(path.c_str(), &about) != 0) continue;
        bytes += (about.f_blocks - about.f_bfree) * about.f_frsize +
                 (about.f_files - about.f_ffree) * bytes_an_inode;
    }
    return bytes;
}

/// Counts the sockets in a process's network, also those that nobody has accepted, and stops behind
/// `most`.
std::uint64_t unix_sockets(pid_t process, std::uint64_t most) {
    std::ifstream file("/proc/" + std::to_string(process) + "/net/unix");
    std::string line;
    std::getline(file, line);  // the columns' names
    std::uint64_t count = 0;
    while (count <= most && std::getline(file, line)) ++count;
    return count;
}

}  // namespace

supervised::supervised(pid_t pid, const sandbox_request& request, program_pipes pipes)
    : pid_(pid),
      request_(request),
      pipes_(std::move(pipes)),
      input_(request.streams, std::move(pipes_.in)),
      ended_(process_handle(pid)),
      free_before_(free_bytes_beside(request.work)) {}

result<run_report> supervised::to_its_end() {
    run_report report;
    std::optional<run_end> passed;
    do {
        read_output(look_every_ms, report);
        read_info();
        open_gate();
        if (has_ended() || !failed_ || sandbox::is_stopped()) break;
        passed = passed_limit();
    } while (!passed);
    const bool is_stopped = sandbox::is_stopped() && !has_ended();
    // With a launcher, a short program may have come and gone between two looks.
    const bool unseen = is_queued() || (!pipes_.status_file.empty() && elapsed() < 1e-3);
    report.seconds = unseen ? look_every_ms * 1e-3 : elapsed();
    const bool began = !pipes_.gate;
    if (passed == run_end::too_long && began) ask_at_end(report);
    const int status = kill_all();
    // Without a sandbox some process may still be writing.
    while (output_bytes_ <= request_.limits.output_bytes && read_output(0, report)) {
    }
    if (is_stopped) return error_of_stop();
    CUSET_TRY(failed_);
    read_info();
    if (!pipes_.status_file.empty()) bubblewrap_status_ = text_of(pipes_.status_file);
    if (!pipes_.channel_file.empty())
        report.channel_output = text_of(pipes_.channel_file, kept_of_channel);
    if (passed && !began) return error_of_sandbox("bubblewrap did not start the program");
    if (passed) {
        report.end = *passed;
    } else if ((pipes_.info || !pipes_.status_file.empty()) && WIFEXITED(status) &&
               bubblewrap_status_.find("\"exit-code\"") == bubblewrap_status_.npos) {
        return error_of_sandbox(report.err);
    } else {
        read_wait_status(status, report);
    }
    return report;
}

/// Whether a launcher has not started the sandbox yet; once it has, the program's time begins.
bool supervised::is_queued() {
    if (pipes_.status_file.empty() || !bubblewrap_status_.empty()) return false;
    bubblewrap_status_ = text_of(pipes_.status_file);
    if (!bubblewrap_status_.empty()) start_ = clock::now();
    return bubblewrap_status_.empty();
}

/// Opens the gate once the sandbox says that it is complete, so that all of it ends with us, and
/// once we have a handle by which to end it.
void supervised::open_gate() {
    if (!pipes_.gate) return;
    char ready = 0;
    is_made_ = is_made_ || ::read(pipes_.gate.get(), &ready, 1) == 1;
    if (!is_made_ || !inside_) return;
    start_ = clock::now();
    static_cast<void>(!::write(pipes_.gate.get(), "\n", 1));
    pipes_.gate.reset();
}

double supervised::elapsed() const {
    return std::chrono::duration<double>(clock::now() - start_).count();
}

/// Returns false if nothing came within the time.
bool supervised::read_output(int wait_ms, run_report& report) {
    std::array<pollfd, 6> ends{{{pipes_.out.get(), POLLIN, 0},
                                {pipes_.err.get(), POLLIN, 0},
                                {pipes_.channel.get(), POLLIN, 0},
                                {pipes_.gate.get(), POLLIN, 0},
                                {ended_.get(), POLLIN, 0},
                                input_.waits_for()}};
    if (::poll(ends.data(), ends.size(), wait_ms) <= 0) return false;
    bool any = false;
    any |= take(ends[0], pipes_.out, output_stream::out, report.out);
    any |= take(ends[1], pipes_.err, output_stream::err, report.err);
    any |= take_channel(ends[2], report.channel_output);
    if (failed_ && ends[5].revents != 0) failed_ = input_.pass_on();
    return any;
}

bool supervised::take_channel(const pollfd& end, std::string& kept) {
    if (end.revents == 0) return false;
    std::array<char, 65536> bytes;
    const ssize_t got = ::read(pipes_.channel.get(), bytes.data(), bytes.size());
    if (got < 0 && errno == EAGAIN) return false;
    if (got <= 0) {
        pipes_.channel.reset();
        return false;
    }
    // The rest is read too, but dropped: a program must not wait for us.
    const std::size_t room = kept_of_channel - kept.size();
    kept.append(bytes.data(), std::min(static_cast<std::size_t>(got), room));
    return true;
}

/// A program that answers does so at once, unless the machine is very busy.
void supervised::ask_at_end(run_report& report) {
    constexpr auto longest_answer = std::chrono::milliseconds(250);
    constexpr std::string_view question = "ending\n", answer = "\nending\n";
    if (!pipes_.channel) return;
    if (::send(pipes_.channel.get(), question.data(), question.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(question.size()))
        return;
    const auto asked = clock::now();
    while (pipes_.channel && clock::now() - asked < longest_answer &&
           !report.channel_output.ends_with(answer))
        read_output(look_every_ms, report);
}

bool supervised::take(const pollfd& end, unique_fd& from, output_stream which, std::string& kept) {
    if (end.revents == 0) return false;
    std::array<char, 65536> bytes;
    const ssize_t got = ::read(from.get(), bytes.data(), bytes.size());
    // A program may read from the same pipe, and be faster.
    if (got < 0 && errno == EAGAIN) return false;
    if (got <= 0) {
        from.reset();  // poll leaves negative descriptors alone
        return false;
    }
    const auto count = static_cast<std::size_t>(got);
    output_bytes_ += count;
    if (request_.streams.on_output && failed_) {
        const auto before = clock::now();
        failed_ = request_.streams.on_output(which, {bytes.data(), count});
        start_ += clock::now() - before;
    }
    kept.append(bytes.data(), count);
    // Keeps a beginning and an end: compilers print errors last.
    if (kept.size() > 4 * kept_output) kept.erase(kept_output, kept.size() - 2 * kept_output);
    return true;
}

std::optional<run_end> supervised::passed_limit() {
    const sandbox_limits& l = request_.limits;
    if (pipes_.gate) {
        if (elapsed() > longest_making_seconds) return run_end::too_long;
        return {};
    }
    if (is_queued()) {
        if (elapsed() > longest_queue_seconds) return run_end::too_long;
    } else if (elapsed() > l.seconds) {
        return run_end::too_long;
    }
    if (output_bytes_ > l.output_bytes) return run_end::too_much_output;
    const auto now = clock::now();
    if (now - looked_ < std::chrono::milliseconds(look_every_ms)) return {};
    looked_ = now;
    // Two of the processes belong to the sandbox.
    const tree_usage usage = usage_of_tree(pid_, l.processes + 2);
    if (usage.processes > l.processes + 2) return run_end::too_many_processes;
    std::uint64_t sockets = usage.sockets;
    if (first_ != 0 && (request_.sockets || request_.gpu))
        sockets = std::max(sockets, unix_sockets(first_, l.memory_bytes / bytes_a_socket));
    std::uint64_t memory = usage.memory_bytes + sockets * bytes_a_socket;
    if (first_ != 0) memory += bytes_in_memory_folders(first_);
    // Elsewhere, memory that processes share is only in those folders.
    if (first_ == 0 || request_.gpu) memory += usage.shared_memory_bytes;
    if (has_too_much(memory)) return run_end::too_much_memory;
    // The open files of a process that hides its descriptors cannot be counted.
    if (usage.hides && first_ != 0) return run_end::too_large_files;
    if (l.file_bytes != UINT64_MAX && has_too_large_files(usage.nameless_file_bytes))
        return run_end::too_large_files;
    return {};
}

/// A large program that starts another one has its memory twice until the child has become the
/// other program: one look proves nothing, but two in quick succession do.
bool supervised::has_too_much(std::uint64_t memory) {
    constexpr int memory_of_looks = 10;
    if (memory <= request_.limits.memory_bytes) {
        looks_since_excess_ = std::min(looks_since_excess_ + 1, memory_of_looks);
        return false;
    }
    return std::exchange(looks_since_excess_, 0) < memory_of_looks;
}

bool supervised::has_too_large_files(std::uint64_t nameless_bytes) const {
    const std::uint64_t most = request_.limits.file_bytes;
    const std::uint64_t named = bytes_below(request_.work, most_files);
    if (named > most || named + nameless_bytes > most) return true;
    // Removed files that are only mapped have no name and no descriptor, so their size cannot be
    // found. The disk alone proves nothing, since others may write to it.
    const std::uint64_t left = free_bytes_beside(request_.work);
    return left < free_before_ && free_before_ - left > most &&
           maps_removed_files(pid_, request_.limits.processes + 2);
}

/// bubblewrap reports the first process of the sandbox, and at the end the program's exit code,
/// unless bubblewrap itself failed.
void supervised::read_info() {
    if (!pipes_.info) return;
    std::array<char, 512> text;
    for (ssize_t got = 0; (got = ::read(pipes_.info.get(), text.data(), text.size())) > 0;)
        bubblewrap_status_.append(text.data(), static_cast<std::size_t>(got));
    constexpr std::string_view key = "\"child-pid\":";
    const std::size_t at = bubblewrap_status_.find(key);
    if (inside_ || at == bubblewrap_status_.npos) return;
    first_ =
        static_cast<pid_t>(std::strtol(bubblewrap_status_.c_str() + at + key.size(), nullptr, 10));
    inside_ = process_handle(first_);
}

/// The process stays a zombie, so that no other process gets its number.
bool supervised::has_ended() const {
    siginfo_t about{};
    const auto id = static_cast<id_t>(pid_);
    return ::waitid(P_PID, id, &about, WEXITED | WNOHANG | WNOWAIT) == 0 && about.si_pid != 0;
}

/// Ends the rest of it, and returns its wait status.
int supervised::kill_all() {
    if (!request_.launcher.empty()) {
        // A launcher that is killed at once would leave processes on other machines.
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
        // A process that hangs in a driver cannot be ended, and must not hold us too.
        while (::poll(&gone, 1, 10'000) < 0 && errno == EINTR) {
        }
    }
    return status;
}

}  // namespace cuset
