#include "running_kernels.h"

#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>

#include <cstddef>
#include <cstdint>

#include "channel.h"
#include "system_calls.h"

// The C library's own name of clone(), which a program may define.
extern "C" int __clone(int (*run)(void*), void* stack, int flags, void* argument, ...);

namespace cuset_host {

namespace {

constexpr std::size_t most_places = 16;
running_place places[most_places];

/// "running KERNEL LINE"
void tell(const char* kernel, int line) {
    char text[300] = "running ";
    std::size_t length = 8, count = 0;
    for (; *kernel != '\0' && length < 280; ++kernel) text[length++] = *kernel;
    text[length++] = ' ';
    char digits[12];
    do digits[count++] = static_cast<char>('0' + line % 10);
    while ((line /= 10) != 0);
    while (count != 0) text[length++] = digits[--count];
    report(text, length);
}

/// Each byte that ends a line is a question. Without one that asks, this waits to the end.
int answer(void* channel) {
    std::uint64_t all = ~std::uint64_t{0};  // signals are for the program's threads
    system_call(SYS_rt_sigprocmask, SIG_BLOCK, reinterpret_cast<long>(&all), 0, sizeof all);
    char asked = 0;
    const auto descriptor = reinterpret_cast<long>(channel);
    while (system_call(SYS_read, descriptor, reinterpret_cast<long>(&asked), 1) == 1) {
        if (asked != '\n') continue;
        for (const running_place& place : places)
            if (const char* kernel = place.kernel) tell(kernel, place.line);
        report("ending", 6);
    }
    return 0;
}

}  // namespace

running_kernel::running_kernel(const site& at) {
    if (!has_channel()) return;
    for (running_place& place : places) {
        const char* none = nullptr;
        if (place.kernel.load(std::memory_order_relaxed) != nullptr ||
            !place.kernel.compare_exchange_strong(none, at.kernel, std::memory_order_relaxed))
            continue;
        place.line.store(at.line, std::memory_order_relaxed);
        place_ = &place;
        return;
    }
}

running_kernel::~running_kernel() {
    if (place_ != nullptr) place_->kernel.store(nullptr, std::memory_order_relaxed);
}

void answer_questions(int channel) {
    // It is no thread of the C library's: where main() ends by pthread_exit(), the program ends
    // with its last thread, and this is none.
    constexpr int flags =
        CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
    alignas(16) static char stack[16384];
    __clone(answer, stack + sizeof stack, flags, reinterpret_cast<void*>(std::intptr_t{channel}));
}

}  // namespace cuset_host
