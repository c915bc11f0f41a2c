#include "launch_log.h"

#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

#include "channel.h"
#include "settings.h"

namespace cuset_host {

void log_launch(const site& at) {
    if (!settings().digests) return;
    static std::mutex& in_use = *new std::mutex;  // threads of the host may launch
    const std::lock_guard lock(in_use);
    // Launches of several threads come in any order: no digest says anything then.
    static const std::thread::id first = std::this_thread::get_id();
    static bool alone = true;
    if (alone && std::this_thread::get_id() != first) {
        alone = false;
        report("digests void");
    }
    if (!alone) return;
    static std::uint64_t number = 0;
    constexpr std::uint64_t most = 30'000;  // a program may launch for as long as it runs
    if (++number > most) return;
    char rest[64];
    std::snprintf(rest, sizeof rest, " %d %016" PRIx64, at.line, memory_digest());
    report("digest " + std::to_string(number) + ' ' + std::string(at.kernel).substr(0, 100) + rest);
}

namespace {
/// Of any thread: a launch may be refused in the thread that does a stream's work.
std::atomic<bool> has_unasked_refusal{false};
constexpr int most_reports = 16;
}  // namespace

void log_refusal(const site& at, cudaError_t error, bool is_empty) {
    static std::atomic<int> reports{0};
    if (reports.fetch_add(1) >= most_reports) return;
    report(std::string("refused ") + at.kernel + ' ' + std::to_string(at.line) + ": " +
           cudaGetErrorString(error));
    if (is_empty)
        report("asked");
    else
        has_unasked_refusal = true;
}

void log_dropped() {
    static std::atomic<int> reports{0};
    if (reports.fetch_add(1) >= most_reports) return;
    has_unasked_refusal = true;
    report("dropped");
}

void log_asked() {
    if (has_unasked_refusal.load(std::memory_order_relaxed) && has_unasked_refusal.exchange(false))
        report("asked");
}

}  // namespace cuset_host
