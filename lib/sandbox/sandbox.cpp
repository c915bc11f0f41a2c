#include "cuset/sandbox/sandbox.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string_view>

#include "cuset/base/fd.h"
#include "cuset/sandbox/program_path.h"
#include "cuset/sandbox/scratch_folder.h"
#include "cuset/sandbox/text_lines.h"
#include "launched_files.h"
#include "sandbox_command.h"
#include "supervisor.h"
#include "system_call_filter.h"
#include "watchdog.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

struct pipe_ends {
    unique_fd read, write;
    static result<pipe_ends> make() {
        std::array<int, 2> ends;
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) return io_error("pipe", errno);
        return pipe_ends{unique_fd(ends[0]), unique_fd(ends[1])};
    }
};

/// Both ends read and write, and no name below /proc/self/fd can open them. Ours never blocks.
struct socket_ends {
    unique_fd ours, theirs;
    static result<socket_ends> make() {
        std::array<int, 2> ends;
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
            return io_error("socketpair", errno);
        ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
        return socket_ends{unique_fd(ends[0]), unique_fd(ends[1])};
    }
};

/// Gives a folder and what is in it to a user.
status give(const fs::path& folder, const std::string& user) {
    const auto number = static_cast<uid_t>(std::strtoul(user.c_str(), nullptr, 10));
    std::error_code error;
    std::vector<fs::path> all{folder};
    for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
         at.increment(error))
        all.push_back(at->path());
    for (const auto& path : all)
        if (::lchown(path.c_str(), number, number) != 0) return io_error(path.string(), errno);
    // bubblewrap enters the folder without root's right to enter any folder.
    if (::chmod(folder.c_str(), 0755) != 0) return io_error(folder.string(), errno);
    return {};
}

/// A user number for one run, so that the kernel counts only its processes.
std::string next_user() {
    static std::atomic<std::uint32_t> runs = 0;
    const auto process = static_cast<std::uint32_t>(::getpid()) % 65536;
    return std::to_string(1'000'000'000U + process * 4096 + runs++ % 4096);
}

void limit(int resource, std::uint64_t value) {
    const rlimit both{value, value};
    ::setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

/// The descriptors that a child inherits beside its output; -1: none.
struct child_files {
    int out, err, in = -1, gate = -1, channel = -1, filter = -1, info = -1;
    bool gpu = false;  // the GPU's driver may lock memory
};

/// Runs between fork and exec: system calls only.
[[noreturn]] void become(char* const* arguments, bool with_environment, const char* folder,
                         const child_files& files, const sandbox_limits& limits) {
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
    constexpr int beyond_all = 100;
    const std::array<std::array<int, 2>, 4> inherited{{{files.gate, gate_descriptor},
                                                       {files.channel, channel_descriptor},
                                                       {files.filter, filter_descriptor},
                                                       {files.info, info_descriptor}}};
    std::array<int, 4> copies{};
    for (std::size_t i = 0; i < inherited.size(); ++i)
        copies[i] =
            inherited[i][0] < 0 ? -1 : ::fcntl(inherited[i][0], F_DUPFD_CLOEXEC, beyond_all);
    const int nothing = ::open("/dev/null", O_RDONLY);
    ::dup2(files.in < 0 ? nothing : files.in, 0);
    ::dup2(files.out, 1);
    ::dup2(files.err, 2);
    // Descriptors that our caller left open are not for programs.
    ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
    for (std::size_t i = 0; i < inherited.size(); ++i)
        if (copies[i] >= 0) ::dup2(copies[i], inherited[i][1]);
    // If memory runs out, the kernel is to end this process first.
    const int score = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    static_cast<void>(!::write(score, "1000", 4));
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, limits.file_bytes);
    limit(RLIMIT_NOFILE, 1024);
    // The program must not run before all others, nor lock memory that the kernel cannot take back.
    limit(RLIMIT_RTPRIO, 0);
    limit(RLIMIT_NICE, 0);
    if (!files.gpu) limit(RLIMIT_MEMLOCK, 0);
    if (::chdir(folder) == 0) {
        char* const empty[] = {nullptr};
        if (with_environment) {
            ::execvp(arguments[0], arguments);
        } else {
            ::execve(arguments[0], arguments, empty);
        }
    }
    ::_exit(127);
}

/// The place in the work folder of a mount below /job; empty for any other mount.
fs::path place_in_work(const sandbox_request& request, const sandbox_mount& mount) {
    const fs::path below = mount.inside.lexically_relative("/job");
    return below.empty() || *below.begin() == ".." ? fs::path() : request.work / below;
}

/// Makes the folders around mounts below /job; bubblewrap would make them its own, not the
/// program's. Without a sandbox, links replace those mounts.
status prepare_mounts(const sandbox_request& request, bool with_links) {
    std::error_code error;
    for (const auto& mount : request.mounts) {
        const fs::path place = place_in_work(request, mount);
        if (place.empty()) continue;
        fs::create_directories(place.parent_path(), error);
        if (!error && with_links) {
            fs::remove(place, error);
            fs::create_symlink(fs::absolute(mount.host), place, error);
        }
        if (error) return io_error(place.string(), error.value());
    }
    return {};
}

}  // namespace

result<sandbox> sandbox::open(bool unsafe) {
    if (unsafe) return sandbox(kind::none, {});
    const std::string bubblewrap = program_in_path("bwrap");
    if (bubblewrap.empty())
        return unsupported(
            "bwrap (bubblewrap) is not installed, and without it nothing keeps a program from this "
            "machine");
    if (::geteuid() == 0) {
        sandbox made(kind::own_user, bubblewrap);
        if (made.probe()) return made;
    }
    sandbox made(kind::user_namespace, bubblewrap);
    CUSET_TRY(made.probe());
    return made;
}

status sandbox::probe() const {
    CUSET_ASSIGN(const scratch_folder folder, scratch_folder::make(fs::temp_directory_path()));
    sandbox_request request;
    request.command = {"touch", "probe"};
    request.work = folder.path();
    const auto report = run(request);
    if (report && report->succeeded()) return {};
    const std::string& said = report ? report->err : report.error().message();
    return unsupported("bwrap cannot make a sandbox here: " + std::string(first_line(said)));
}

namespace {

std::atomic<bool> has_been_stopped = false;
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace

void sandbox::stop_all() noexcept { has_been_stopped = true; }
bool sandbox::is_stopped() noexcept { return has_been_stopped; }

result<run_report> sandbox::run(const sandbox_request& request) const {
    CUSET_ASSIGN(pipe_ends out, pipe_ends::make());
    CUSET_ASSIGN(pipe_ends err, pipe_ends::make());
    // A program of the same user can open these pipes for reading, and take what poll has
    // announced.
    for (const auto* end : {&out.read, &err.read}) ::fcntl(end->get(), F_SETFL, O_NONBLOCK);
    pipe_ends in, info;
    socket_ends gate, channel;
    unique_fd filter;
    launched_files launched;
    child_files files{out.write.get(), err.write.get()};
    files.gpu = request.gpu;
    if (request.streams.input >= 0) {
        CUSET_ASSIGN(in, pipe_ends::make());
        ::fcntl(in.write.get(), F_SETFL, O_NONBLOCK);
        files.in = in.read.get();
    }
    std::vector<std::string> command;
    CUSET_TRY(prepare_mounts(request, kind_ == kind::none));
    if (request.channel && (request.launcher.empty() || kind_ == kind::none)) {
        CUSET_ASSIGN(channel, socket_ends::make());
        files.channel = channel.theirs.get();
    }
    if (kind_ == kind::none) {
        command = request.launcher;
        const auto bare = bare_command(request);
        command.insert(command.end(), bare.begin(), bare.end());
    } else {
        CUSET_ASSIGN(filter, system_call_filter(request));
        const std::string user = kind_ == kind::own_user ? next_user() : std::string();
        if (!user.empty()) CUSET_TRY(give(request.work, user));
        command = sandboxed_command(bubblewrap_, request, user);
        if (request.launcher.empty()) {
            CUSET_ASSIGN(info, pipe_ends::make());
            ::fcntl(info.read.get(), F_SETFL, O_NONBLOCK);
            CUSET_ASSIGN(gate, socket_ends::make());
            files.gate = gate.theirs.get();
            files.filter = filter.get();
            files.info = info.write.get();
        } else {
            CUSET_ASSIGN(launched, launched_files::make(request, filter));
            command = launched.command(request, command);
        }
    }
    std::vector<char*> arguments;
    for (auto& argument : command) arguments.push_back(argument.data());
    arguments.push_back(nullptr);
    // Process 1 of the sandbox shows bubblewrap's own environment.
    const bool with_environment = kind_ == kind::none || !request.launcher.empty();
    const std::string folder = request.work.string();
    CUSET_ASSIGN(const watchdog* const guard, watchdog::of_this_process());
    // A launcher that is killed at once would leave processes on other machines.
    const bool gentle = !request.launcher.empty();
    const pid_t pid = ::fork();
    if (pid < 0) return io_error("fork", errno);
    if (pid == 0) {
        ::setpgid(0, 0);
        guard->add_self(gentle);
        become(arguments.data(), with_environment, folder.c_str(), files, request.limits);
    }
    ::setpgid(pid, pid);
    for (unique_fd* theirs :
         {&out.write, &err.write, &in.read, &info.write, &gate.theirs, &channel.theirs})
        theirs->reset();
    auto report = supervised(pid, request,
                             {std::move(out.read), std::move(err.read), std::move(info.read),
                              std::move(gate.ours), std::move(channel.ours), std::move(in.write),
                              launched.status(), launched.channel()})
                      .to_its_end();
    guard->remove(pid);
    return report;
}

}  // namespace cuset
