// Runs a program that nobody has looked at (man/cuset-sandbox.7 has the promises). bubblewrap hides
// the network and all but the given folders, seccomp refuses rare system calls, and a supervisor
// bounds time, memory, processes, output and files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cuset/base/status.h"

namespace cuset {

/// A folder or file of this machine that the program sees.
struct sandbox_mount {
    std::filesystem::path host, inside;
    bool writable = false;
};

/// Limits for all processes of a program together, checked every 20 ms.
struct sandbox_limits {
    double seconds = 60;                                  ///< wall clock
    std::uint64_t memory_bytes = std::uint64_t{8} << 30;  ///< resident
    std::uint64_t processes = 256;  ///< threads not counted; the kernel refuses beyond four times
                                    ///< as many
    std::uint64_t output_bytes = std::uint64_t{64} << 20;  ///< stdout and stderr
    std::uint64_t file_bytes = std::uint64_t{4} << 30;  ///< in `work`, of no more than 10,000 files
};

/// The descriptor of a program's channel to its evaluator, if it has one.
inline constexpr int channel_descriptor = 7;

/// PATH in the sandbox.
inline constexpr const char* search_path = "/usr/local/cuda/bin:/usr/local/bin:/usr/bin:/bin";

/// The prefix of messages of the shell that starts the program.
inline constexpr const char* starter_name = "cuset-sandbox";

/// The variables that assign NVIDIA devices to a program. A launcher's shell passes them on.
inline constexpr const char* device_variables[] = {"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"};

enum class output_stream : unsigned char { out, err };

/// What a program exchanges with this process while it runs.
struct live_streams {
    /// What can be read here is passed on to the program's standard input, whether it asks for it
    /// or not; -1: its input is empty. The caller ignores SIGPIPE.
    int input = -1;
    int input_copy = -1;  ///< where that is written too; -1: nowhere
    /// Is given what the program prints, as it comes. An error ends the program, and is that of the
    /// run. The time that it takes is not the program's.
    std::function<status(output_stream, std::string_view)> on_output = {};
};

struct sandbox_request {
    std::vector<std::string> command;  ///< looked up in the sandbox's PATH
    std::filesystem::path work;  ///< its current folder, /job, which it may write to: one that no
                                 ///< other program has written to
    std::vector<sandbox_mount> mounts;
    std::vector<std::pair<std::string, std::string>> environment;
    sandbox_limits limits;
    bool gpu = false;  ///< sees the NVIDIA devices
    /// Whether it may make UNIX sockets among its own processes, as Python's multiprocessing does.
    bool sockets = false;
    /// Whether its processes may talk to each other over TCP too, on addresses of its own: as a
    /// profiler does with what it profiles. There is no way out.
    bool loopback = false;
    /// Whether it has channel_descriptor, which writes to run_report::channel_output. It is one end
    /// of a pair of stream sockets or, with a launcher, a file that is open for appending. When its
    /// time has ended, it reads the line "ending" there and has a quarter of a second to answer; a
    /// line "ending" is the answer's last.
    bool channel = false;
    /// Words before the command that makes the sandbox, such as {"srun", "-n1"}. The sandbox may
    /// then be on another machine that sees the same files. Limits of time, output and files hold
    /// there; those of memory and processes hold only as far as that machine's kernel enforces
    /// them. The program's time begins when the sandbox does.
    std::vector<std::string> launcher;
    live_streams streams = {};
};

enum class run_end : unsigned char {
    exited,
    signalled,
    too_long,
    too_much_memory,
    too_many_processes,
    too_much_output,
    too_large_files,
};

struct run_report {
    run_end end = run_end::exited;
    int code = 0;        ///< exit code, or the signal's number if `end` is signalled
    double seconds = 0;  ///< wall clock, without the time in a launcher's queue
    /// The text; if it is long, parts of its beginning and its end, at most 256 KiB.
    std::string out, err;
    std::string channel_output;  ///< what came over the channel: the first 8 MiB of it

    bool succeeded() const { return end == run_end::exited && code == 0; }
};

class sandbox {
public:
    /// error_kind::unsupported if bubblewrap is missing or cannot make a sandbox here. With
    /// `unsafe`, programs run without one, and their limits hold as far as the programs do not
    /// hide.
    static result<sandbox> open(bool unsafe);

    /// Runs a command to its end. If it passes a limit, it is killed with all that it has started.
    /// Whatever the program does is a report. An error means that it could not be started:
    /// error_kind::data if bubblewrap failed, which the mounted files may have caused, any other
    /// kind if this machine failed. The program ends with this process, however that ends. Any
    /// number of threads may run programs at once.
    result<run_report> run(const sandbox_request& request) const;

    /// Ends all programs of this process, and lets none start any more: each run() returns an
    /// error. A signal's handler may call it.
    static void stop_all() noexcept;
    static bool is_stopped() noexcept;

private:
    /// How the program is separated from this user.
    enum class kind : unsigned char {
        none,            ///< not at all
        own_user,        ///< started by root: a user number that nobody else has
        user_namespace,  ///< this user's number, without a right outside
    };
    sandbox(kind k, std::string bubblewrap) : kind_(k), bubblewrap_(std::move(bubblewrap)) {}
    status probe() const;

    kind kind_;
    std::string bubblewrap_;  // its path
};

}  // namespace cuset
