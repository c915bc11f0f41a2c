#include "system_calls.h"

#include <signal.h>
#include <sys/syscall.h>

#include <cerrno>
#include <initializer_list>

// By the System V ABI: a number and six arguments, the last of them on the stack.
asm(R"(
    .text
    .globl cuset_host_system_call
    .type cuset_host_system_call, @function
cuset_host_system_call:
    movq %rdi, %rax
    movq %rsi, %rdi
    movq %rdx, %rsi
    movq %rcx, %rdx
    movq %r8, %r10
    movq %r9, %r8
    movq 8(%rsp), %r9
    syscall
    .globl cuset_host_system_call_end
cuset_host_system_call_end:
    ret
    .size cuset_host_system_call, . - cuset_host_system_call
    .globl cuset_host_leave_handler
    .type cuset_host_leave_handler, @function
cuset_host_leave_handler:
    movq $15, %rax
    syscall
    .size cuset_host_leave_handler, . - cuset_host_leave_handler
)");

extern "C" void cuset_host_leave_handler();

namespace cuset_host {

namespace {

template <class T>
long number_of(T* pointer) {
    return reinterpret_cast<long>(pointer);
}

/// The kernel's structure; the C library's is different.
struct kernel_action {
    void (*handler)(int, void*, void*);
    unsigned long flags;
    void (*restorer)();
    std::uint64_t mask;
};

}  // namespace

void write_plainly(int descriptor, const char* text, std::size_t bytes) {
    while (bytes != 0) {
        const long done =
            system_call(SYS_write, descriptor, number_of(text), static_cast<long>(bytes));
        if (done == -EINTR || done == -EAGAIN) continue;
        if (done <= 0) return;
        text += done;
        bytes -= static_cast<std::size_t>(done);
    }
}

void end_plainly(int code) {
    system_call(SYS_exit_group, code);
    for (;;) __builtin_trap();
}

void handle_signal_plainly(int number, void (*handler)(int, void*, void*)) {
    constexpr unsigned long with_restorer = 0x04000000;
    kernel_action act{};
    act.handler = handler;  // a null pointer is SIG_DFL
    act.flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | with_restorer;
    act.restorer = &cuset_host_leave_handler;
    act.mask = ~std::uint64_t{0};  // a program's handler could end the program before a fault does
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE})
        act.mask &= ~(std::uint64_t{1} << (fault - 1));
    system_call(SYS_rt_sigaction, number, number_of(&act), 0, sizeof act.mask);
}

void raise_plainly(int number) {
    system_call(SYS_tgkill, system_call(SYS_getpid), system_call(SYS_gettid), number);
}

bool protect_plainly(std::uintptr_t begin, std::size_t bytes, int protection, int key) {
    const auto at = static_cast<long>(begin), size = static_cast<long>(bytes);
    return (key < 0 ? system_call(SYS_mprotect, at, size, protection)
                    : system_call(SYS_pkey_mprotect, at, size, protection, key)) == 0;
}

}  // namespace cuset_host
