// A program that runs, held to its limits. Private to lib/judge.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "cuset/base/fd.h"
#include "cuset/base/status.h"
#include "cuset/judge/sandbox.h"

struct pollfd;

namespace cuset {

class supervised {
public:
    /// `pid`: a child of this process, the first of its process group. `out`, `err`: where it
    /// writes to. `info`, non-blocking: where bubblewrap tells its status, or `told`, the file that
    /// it tells it in; neither without a sandbox.
    supervised(pid_t pid, const sandbox_request& request, unique_fd out, unique_fd err,
               unique_fd info, std::filesystem::path told);

    /// Waits for its end or ends it, and reaps it. In a sandbox nothing that it started is left
    /// then. error_kind::io where the sandbox failed and the program did not run.
    result<run_report> to_its_end();

private:
    double elapsed() const;
    bool is_queued();
    bool read_output(int wait_ms, run_report& report);
    bool take(const pollfd& end, unique_fd& from, std::string& kept);
    std::optional<run_end> passed_limit();
    void read_info();
    bool has_ended() const;
    int kill_all();

    pid_t pid_;
    const sandbox_request& request_;
    unique_fd out_, err_, info_;
    unique_fd ended_;             // of `pid`
    unique_fd inside_;            // of the first process of the sandbox; all others end with it
    std::filesystem::path file_;  // that bubblewrap tells in; empty: a descriptor
    std::string told_;            // by bubblewrap
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point looked_{};
    std::uint64_t output_bytes_ = 0;
};

}  // namespace cuset
