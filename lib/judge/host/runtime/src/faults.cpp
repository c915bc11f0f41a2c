#include "cuset_host/faults.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>

#include "block_runner.h"
#include "cuset_host/memory_access.h"
#include "signal_stack.h"

namespace cuset_host {

namespace {

std::string text_of(const uint3& at) {
    return '(' + std::to_string(at.x) + ',' + std::to_string(at.y) + ',' + std::to_string(at.z) +
           ')';
}

void write_line(const std::string& line) {
    // What the program has printed comes first, and one write is one line even where others print.
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

void on_bad_address(int number, siginfo_t* about, void*) {
    const auto address = reinterpret_cast<std::uintptr_t>(about->si_addr);
    char hex[32];
    std::snprintf(hex, sizeof hex, "0x%llx", static_cast<unsigned long long>(address));
    if (block_runner::current() != nullptr) {
        block_runner& runner = *block_runner::current();
        if (is_trap(about->si_addr))
            fail(
                "illegal_address",
                running_thread() + ": uses a pointer to host memory that was passed to the kernel");
        if (number == SIGSEGV && runner.on_stack(address))
            fail("unsupported", running_thread() + ": more than 512 KiB of local memory a thread");
        if (number == SIGFPE)  // a GPU goes on, with a number of its own
            fail("unsupported", running_thread() + ": divides integers by zero");
        fail("illegal_address", running_thread() + ": touches address " + hex);
    }
    const memory_kind kind = kind_of(about->si_addr);
    if (kind == memory_kind::device)
        write_line("cuset-host: crash: host code touches device memory\n");
    ::signal(number, SIG_DFL);
    ::raise(number);
}

}  // namespace

void fail(const char* kind, const std::string& message) {
    static std::atomic_flag failing;
    if (failing.test_and_set()) {
        for (;;) ::pause();  // another thread was first, and ends all
    }
    std::fflush(stdout);
    write_line("cuset-host: " + std::string(kind) + ": " + message + '\n');
    ::_exit(fault_exit_code);
}

void trap() { fail("illegal_address", running_thread() + ": calls __trap"); }

void note(const std::string& message) { write_line("cuset-host: note: " + message + '\n'); }

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
    constexpr std::size_t bytes = 64 << 10;
    void* stack = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED) return;
    stack_t use{};
    use.ss_sp = stack;
    use.ss_size = bytes;
    ::sigaltstack(&use, nullptr);
}

void watch_addresses() {
    watch_stack_of_this_thread();
    struct sigaction act {};
    act.sa_sigaction = on_bad_address;
    act.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE}) ::sigaction(number, &act, nullptr);
}

}  // namespace cuset_host
