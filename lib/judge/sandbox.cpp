#include "cuset/judge/sandbox.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string_view>

#include "cuset/base/fd.h"
#include "launched_files.h"
#include "program_path.h"
#include "sandbox_command.h"
#include "supervisor.h"
#include "system_call_filter.h"

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
    // bubblewrap enters it without root's right to enter any.
    if (::chmod(folder.c_str(), 0755) != 0) return io_error(folder.string(), errno);
    return {};
}

/// A user number for one run, so that the kernel counts its processes alone.
std::string next_user() {
    static std::atomic<std::uint32_t> runs = 0;
    const auto process = static_cast<std::uint32_t>(::getpid()) % 65536;
    return std::to_string(1'000'000'000U + process * 4096 + runs++ % 4096);
}

void limit(int resource, std::uint64_t value) {
    const rlimit both{value, value};
    ::setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

struct child_files {
    int out, err, filter = -1, info = -1;
};

/// Between fork and exec: system calls alone.
[[noreturn]] void become(char* const* arguments, const char* folder, const child_files& files,
                         const sandbox_limits& limits) {
    ::setpgid(0, 0);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
    const int nothing = ::open("/dev/null", O_RDONLY);
    ::dup2(nothing, 0);
    ::dup2(files.out, 1);
    ::dup2(files.err, 2);
    // What whoever started us has left open is not for programs.
    ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
    for (const int inherited : {files.filter, files.info})
        if (inherited >= 0) ::fcntl(inherited, F_SETFD, 0);
    // Where memory runs out, this is what the kernel shall end.
    const int score = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    static_cast<void>(!::write(score, "1000", 4));
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, limits.file_bytes);
    limit(RLIMIT_NOFILE, 1024);
    if (::chdir(folder) == 0) ::execvp(arguments[0], arguments);
    ::_exit(127);
}

/// Where a mount below /job lies in the work folder; empty for any other.
fs::path place_in_work(const sandbox_request& request, const sandbox_mount& mount) {
    const fs::path below = mount.inside.lexically_relative("/job");
    return below.empty() || *below.begin() == ".." ? fs::path() : request.work / below;
}

/// Makes the folders around mounts below /job, which else were bubblewrap's and not the program's.
/// Without a sandbox, links stand for those mounts.
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
    std::string folder = (fs::temp_directory_path() / "cuset-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) return io_error(folder, errno);
    sandbox_request request;
    request.command = {"touch", "probe"};
    request.work = folder;
    const auto report = run(request);
    std::error_code error;
    fs::remove_all(folder, error);
    if (report && report->end == run_end::exited && report->code == 0) return {};
    const std::string& said = report ? report->err : report.error().message();
    return unsupported("bwrap cannot make a sandbox here: " + said.substr(0, said.find('\n')));
}

result<run_report> sandbox::run(const sandbox_request& request) const {
    CUSET_ASSIGN(pipe_ends out, pipe_ends::make());
    CUSET_ASSIGN(pipe_ends err, pipe_ends::make());
    pipe_ends info;
    unique_fd filter;
    launched_files launched;
    child_files files{out.write.get(), err.write.get()};
    std::vector<std::string> command;
    CUSET_TRY(prepare_mounts(request, kind_ == kind::none));
    if (kind_ == kind::none) {
        command = request.launcher;
        const auto bare = bare_command(request);
        command.insert(command.end(), bare.begin(), bare.end());
    } else {
        CUSET_ASSIGN(filter, system_call_filter());
        const std::string user = kind_ == kind::own_user ? next_user() : std::string();
        if (!user.empty()) CUSET_TRY(give(request.work, user));
        if (request.launcher.empty()) {
            CUSET_ASSIGN(info, pipe_ends::make());
            ::fcntl(info.read.get(), F_SETFL, O_NONBLOCK);
            files.filter = filter.get();
            files.info = info.write.get();
            command = sandboxed_command(bubblewrap_, request, user, files.filter, files.info);
        } else {
            CUSET_ASSIGN(launched, launched_files::make(request, filter));
            command = launched.command(
                request, sandboxed_command(bubblewrap_, request, user, launched_files::filter,
                                           launched_files::info));
        }
    }
    std::vector<char*> arguments;
    for (auto& argument : command) arguments.push_back(argument.data());
    arguments.push_back(nullptr);
    const std::string folder = request.work.string();
    const pid_t pid = ::fork();
    if (pid < 0) return io_error("fork", errno);
    if (pid == 0) become(arguments.data(), folder.c_str(), files, request.limits);
    ::setpgid(pid, pid);
    for (unique_fd* ours : {&out.write, &err.write, &info.write}) ours->reset();
    return supervised(pid, request, std::move(out.read), std::move(err.read), std::move(info.read),
                      launched.told())
        .to_its_end();
}

}  // namespace cuset
