// Watches a running program and keeps it to its limits. Private to lib/sandbox.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "cuset/base/fd.h"
#include "cuset/base/status.h"
#include "cuset/sandbox/sandbox.h"
#include "input_feed.h"

struct pollfd;

namespace cuset {

/// The descriptors and files by which a supervisor observes a program and its sandbox; empty if
/// absent.
struct program_pipes {
    unique_fd out, err;  ///< where the program writes to
    unique_fd info;      ///< where bubblewrap reports its status; non-blocking
    unique_fd gate;      ///< see gate_descriptor; non-blocking
    unique_fd channel;   ///< see channel_descriptor; non-blocking
    unique_fd in;        ///< what the program reads is written here; non-blocking
    std::filesystem::path status_file, channel_file;  ///< with a launcher, for info and channel
};

class supervised {
public:
    /// `pid`: a child of this process, the first of its process group.
    supervised(pid_t pid, const sandbox_request& request, program_pipes pipes);

    /// Waits for the program's end, or ends it, and reaps it. In a sandbox, none of its processes
    /// is left then. error_kind::data if the sandbox failed and the program did not run.
    result<run_report> to_its_end();

private:
    double elapsed() const;
    bool is_queued();
    void open_gate();
    bool read_output(int wait_ms, run_report& report);
    bool take(const pollfd& end, unique_fd& from, output_stream which, std::string& kept);
    void ask_at_end(run_report& report);
    bool take_channel(const pollfd& end, std::string& kept);
    std::optional<run_end> passed_limit();
    bool has_too_much(std::uint64_t memory);
    bool has_too_large_files(std::uint64_t nameless_bytes) const;
    void read_info();
    bool has_ended() const;
    int kill_all();

    pid_t pid_;
    const sandbox_request& request_;
    program_pipes pipes_;
    input_feed input_;
    status failed_;                  // of passing something on
    unique_fd ended_;                // of `pid`
    unique_fd inside_;               // of the first process of the sandbox; all others end with it
    pid_t first_ = 0;                // its number here
    std::string bubblewrap_status_;  // its lines of JSON
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point looked_{};
    bool is_made_ = false;  // the sandbox, as the gate has reported
    // looks since there was too much memory; starts at the number that is remembered
    int looks_since_excess_ = 10;
    std::uint64_t output_bytes_ = 0;
    std::uint64_t free_before_;  // on the disk of the work folder
};

}  // namespace cuset
