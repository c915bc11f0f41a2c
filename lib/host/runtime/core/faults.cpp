#include "cuset_host/faults.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "channel.h"
#include "checks/finding_words.h"
#include "cuset_host/device_memory.h"
#include "cuset_host/library_work.h"
#include "cuset_host/threads/memory_access.h"
#include "cuset_host/threads/thread_rows.h"
#include "launch/block_runner.h"
#include "lost_device.h"
#include "memory/kernel_stores.h"
#include "memory/traps.h"
#include "settings.h"
#include "signal_stack.h"
#include "system_calls.h"
#ifdef CUSET_HOST_RACES
#include "races/race_words.h"
#endif

namespace cuset_host {

namespace {

std::string text_of(const uint3& at) {
    return '(' + std::to_string(at.x) + ',' + std::to_string(at.y) + ',' + std::to_string(at.z) +
           ')';
}

void write_line(const std::string& line) {
    // One write is one line even where others print.
    write_plainly(STDERR_FILENO, line.data(), line.size());
}

/// The thread that ends the program, by the kernel's number; the first that fails.
std::atomic<long> failing{0};
bool has_begun = false, has_reported = false;  // that thread's

/// A program has one end: that of the first thread that fails, for which the others wait.
void be_the_one_that_fails() {
    const long self = system_call(SYS_gettid);
    long nobody = 0;
    if (failing.compare_exchange_strong(nobody, self) || nobody == self) return;
    for (;;) system_call(SYS_pause);
}

/// The threads of a row run in step: runs them again one by one, up to the one that fails.
void find_row_thread() {
    const row_scan row = running_row;
    if (row.run == nullptr) return;
    running_row.run = nullptr;
    be_the_one_that_fails();
    const device_access open;  // a handler begins without the rights of the thread
    row.run(row.body);
}

/// The line of the program where that happened, which programs know that are checked or searched
/// for races; else 0. A call has left its instruction's address on the stack. g++ moves
/// instructions, but not the look at an access that is searched for races.
int line_of_use([[maybe_unused]] std::uintptr_t address, [[maybe_unused]] const void* context,
                [[maybe_unused]] bool is_call) {
#if defined(CUSET_HOST_CHECK) || defined(CUSET_HOST_RACES)
    const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
    const auto next =
        is_call ? *reinterpret_cast<const greg_t*>(registers[REG_RSP]) : registers[REG_RIP] + 1;
#ifdef CUSET_HOST_CHECK
    return checks::line_of(reinterpret_cast<const void*>(next));
#else
    const int looked_at = races::line_of_access_outside(address);
    return looked_at != 0 ? looked_at : races::line_of_code(static_cast<std::uintptr_t>(next));
#endif
#else
    return 0;
#endif
}

/// Host code has an address that stands for one of its own: where it works on device memory as a
/// library does, that is a device's error. Elsewhere it came in a way that is not followed.
[[noreturn]] void fail_on_host(std::uintptr_t address) {
    if (is_in_library()) {
        begin_fault("illegal_address");
        fail("illegal_address",
             std::string("an algorithm of a library ") + use_of_trap(address).sentence);
    }
    begin_fault("unsupported");
    fail("unsupported",
         "host code uses an address of the host that it got from a device without a copy");
}

void on_bad_address(int number, void* siginfo, void* context) {
    auto* const about = static_cast<siginfo_t*>(siginfo);
    const auto address = reinterpret_cast<std::uintptr_t>(about->si_addr);
    const bool in_kernel = block_runner::current() != nullptr;
    if (number == SIGSEGV && about->si_code == SEGV_ACCERR && stored_first(address)) return;
    if (in_kernel) {
        block_runner& runner = *block_runner::current();
        const bool on_stack = number == SIGSEGV && runner.on_stack(address);
        const bool divides = number == SIGFPE;  // a GPU goes on, with a number of its own
        if (!on_stack && !divides) {
            char what[80];
            if (is_trap(about->si_addr))
                std::snprintf(what, sizeof what, "%s", use_of_trap(address).sentence);
            else
                std::snprintf(what, sizeof what, "touches address 0x%llx",
                              static_cast<unsigned long long>(address));
            lose_device(cudaErrorIllegalAddress, "illegal_address", what);
        }
        if (!on_stack) find_row_thread();
        begin_fault(on_stack || divides ? "unsupported" : "illegal_address");
        if (is_trap(about->si_addr)) {
            const wrong_use use = use_of_trap(address);
            fail("illegal_address",
                 running_thread(line_of_use(address, context, use.is_call)) + ": " + use.sentence);
        }
        if (on_stack)
            fail("unsupported",
                 running_thread() + ": more than " +
                     std::to_string(std::min<std::size_t>(512, runner.stack_bytes() >> 10)) +
                     " KiB of local memory a thread");
        if (divides) fail("unsupported", running_thread() + ": divides integers by zero");
        char hex[32];
        std::snprintf(hex, sizeof hex, "0x%llx", static_cast<unsigned long long>(address));
        fail("illegal_address",
             running_thread(line_of_use(address, context, false)) + ": touches address " + hex);
    }
    if (is_trap(about->si_addr)) fail_on_host(address);
    if (kind_of(about->si_addr) == memory_kind::device)
        write_line("cuset-host: crash: host code touches device memory\n");
    handle_signal_plainly(number, nullptr);
    raise_plainly(number);
}

}  // namespace

void begin_fault(const char* kind) {
    be_the_one_that_fails();
    if (has_begun) end_plainly(fault_exit_code);  // it failed once more while it reported why
    has_begun = true;
    char line[64] = "fault ";
    std::size_t length = 6;
    for (; *kind != '\0' && length < sizeof line; ++kind) line[length++] = *kind;
    report(line, length);
}

void fail(const char* kind, const std::string& message) {
    be_the_one_that_fails();
    if (has_reported) end_plainly(fault_exit_code);
    if (!has_begun) begin_fault(kind);
    has_reported = true;
    const std::string line = std::string(kind) + ": " + message;
    report("fault " + line);
    std::fflush(stdout);  // what the program has printed comes first
    if (!settings().is_shown) write_line("cuset-host: " + line + '\n');
    end_plainly(fault_exit_code);
}

void fail_access(cudaError_t error, const char* what, int line) {
    lose_device(error, "illegal_address", what);
    find_row_thread();
    begin_fault("illegal_address");
    fail("illegal_address", running_thread(line) + ": " + what);
}

void trap() {
    lose_device(cudaErrorLaunchFailure, "launch_error", "calls __trap");
    fail("launch_error", running_thread() + ": calls __trap");
}

extern "C" {
/// What assert() calls. A device ends the kernel's launch with error 710.
[[noreturn]] void __assert_fail(const char* expression, const char* file, unsigned line,
                                const char* function) noexcept {
    const std::string message = std::string("Assertion `") + expression + "' failed";
    if (block_runner::current() != nullptr) {
        const std::string in_kernel = message + " (710, device-side assert triggered)";
        lose_device(cudaErrorAssert, "launch_error", in_kernel.c_str());
        fail("launch_error", running_thread(static_cast<int>(line)) + ": " + in_kernel);
    }
    std::fflush(stdout);
    write_line(std::string(file) + ':' + std::to_string(line) + ": " + function + ": " + message +
               ".\n");
    std::abort();
}
}

void note(const std::string& message) {
    report("note: " + message);
    if (!settings().is_shown) write_line("cuset-host: note: " + message + '\n');
}

std::string running_thread(int line) {
    std::string text;
    if (block_runner::current() != nullptr)
        text = std::string("kernel ") + block_runner::current()->running().at.kernel + ", block " +
               text_of(blockIdx) + ", thread " + text_of(threadIdx);
    else
        text = "host code";
    if (line != 0) text += ", line " + std::to_string(line);
    return text;
}

void watch_stack_of_this_thread() {
    constexpr std::size_t bytes = 1 << 20;  // find_row_thread runs a kernel here
    const long stack = system_call(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    if (stack < 0 && stack > -4096) return;
    stack_t use{};
    use.ss_sp = reinterpret_cast<void*>(stack);
    use.ss_size = bytes;
    system_call(SYS_sigaltstack, reinterpret_cast<long>(&use));
}

void watch_addresses() {
    watch_stack_of_this_thread();
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE})
        handle_signal_plainly(number, on_bad_address);
}

}  // namespace cuset_host
