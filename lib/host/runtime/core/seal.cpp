#include "seal.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "system_calls.h"

namespace cuset_host {

namespace {

// The C library's headers may be older than some of these calls.
constexpr std::uint32_t pidfd_getfd = 438, io_uring_setup = 425;
constexpr std::uint32_t set_user_dispatch = 59;  // of prctl
constexpr std::uint32_t x32_calls = 0x40000000;

/// Where a call names the descriptor that it touches.
enum class where : unsigned char { first, second, third, first_or_second };

struct call {
    std::uint32_t number;
    where descriptor;
};

/// The calls that could write to a descriptor, change it, close it or duplicate it.
constexpr call calls_on_descriptors[] = {
    {SYS_write, where::first},           {SYS_writev, where::first},
    {SYS_pwrite64, where::first},        {SYS_pwritev, where::first},
    {SYS_pwritev2, where::first},        {SYS_sendto, where::first},
    {SYS_shutdown, where::first},        {SYS_setsockopt, where::first},
    {SYS_ioctl, where::first},           {SYS_fcntl, where::first},
    {SYS_close, where::first},           {SYS_dup, where::first},
    {SYS_dup2, where::first_or_second},  {SYS_dup3, where::first_or_second},
    {SYS_sendfile, where::first},        {SYS_tee, where::second},
    {SYS_vmsplice, where::first},        {SYS_splice, where::third},
    {SYS_copy_file_range, where::third},
};

/// Refused for any arguments: what they do is described in memory, where a filter cannot look, or
/// is done to another process, or would answer the runtime's calls instead of the kernel.
constexpr std::uint32_t refused_calls[] = {SYS_seccomp,  SYS_sendmsg,   SYS_sendmmsg,
                                           SYS_io_setup, SYS_io_submit, io_uring_setup,
                                           pidfd_getfd};

constexpr std::uint32_t refused(int error) {
    return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error);
}

/// A filter, written from its first instruction to its last.
class filter_program {
public:
    void load(std::size_t offset) {
        add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
    }
    void load_argument(unsigned i) { load(offsetof(seccomp_data, args) + 8 * i); }
    void answer(std::uint32_t action) { add(BPF_RET | BPF_K, action); }
    /// Skips this many instructions if the loaded value is `value`, or if it is not.
    void skip_if(std::uint32_t value, unsigned count) {
        add(BPF_JMP | BPF_JEQ | BPF_K, value, count, 0);
    }
    void skip_unless(std::uint32_t value, unsigned count) {
        add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count);
    }
    void skip_if_above(std::uint32_t value, unsigned count) {
        add(BPF_JMP | BPF_JGT | BPF_K, value, count, 0);
    }
    void skip_if_below(std::uint32_t value, unsigned count) {
        add(BPF_JMP | BPF_JGE | BPF_K, value, 0, count);
    }
    /// Allows a call from the runtime's own instruction, and answers any other.
    void answer_strangers(std::uint32_t action) {
        const auto at = reinterpret_cast<std::uint64_t>(&cuset_host_system_call_end);
        load(offsetof(seccomp_data, instruction_pointer));
        skip_unless(static_cast<std::uint32_t>(at), 3);
        load(offsetof(seccomp_data, instruction_pointer) + 4);
        skip_unless(static_cast<std::uint32_t>(at >> 32), 1);
        answer(SECCOMP_RET_ALLOW);
        answer(action);
    }
    static constexpr unsigned strangers = 6;  // instructions of it

    bool install() const {
        const sock_fprog all{static_cast<unsigned short>(count_),
                             const_cast<sock_filter*>(instructions_)};
        // A process that cannot gain rights may install a filter without privileges.
        system_call(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1);
        return count_ <= most && system_call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0,
                                             reinterpret_cast<long>(&all)) == 0;
    }

private:
    static constexpr std::size_t most = 512;
    void add(unsigned code, std::uint32_t value, unsigned yes = 0, unsigned no = 0) {
        if (count_ < most)
            instructions_[count_] = {static_cast<std::uint16_t>(code),
                                     static_cast<std::uint8_t>(yes), static_cast<std::uint8_t>(no),
                                     value};
        ++count_;
    }
    sock_filter instructions_[most];
    std::size_t count_ = 0;
};

}  // namespace

bool seal(int channel) {
    const auto descriptor = static_cast<std::uint32_t>(channel);
    filter_program filter;
    filter.load(offsetof(seccomp_data, arch));
    filter.skip_if(AUDIT_ARCH_X86_64, 1);
    filter.answer(refused(EPERM));
    const auto load_number = [&] { filter.load(offsetof(seccomp_data, nr)); };
    load_number();
    filter.skip_if_below(x32_calls, 1);
    filter.answer(refused(EPERM));
    for (const std::uint32_t number : refused_calls) {
        filter.skip_unless(number, 1);
        filter.answer(refused(EPERM));
    }
    for (const call& each : calls_on_descriptors) {
        const bool two = each.descriptor == where::first_or_second;
        const unsigned at = each.descriptor == where::second  ? 1
                            : each.descriptor == where::third ? 2
                                                              : 0;
        filter.skip_unless(each.number, (two ? 4 : 2) + filter_program::strangers + 1);
        filter.load_argument(at);
        if (two) {
            filter.skip_if(descriptor, 2);
            filter.load_argument(1);
        }
        filter.skip_unless(descriptor, filter_program::strangers);
        filter.answer_strangers(refused(sealed_error));
        filter.answer(SECCOMP_RET_ALLOW);
    }
    // Programs that close all unknown descriptors continue, and the channel stays open.
    filter.skip_unless(SYS_close_range, 6);
    filter.load_argument(0);
    filter.skip_if_above(descriptor, 3);
    filter.load_argument(1);
    filter.skip_if_below(descriptor, 1);
    filter.answer(refused(0));
    filter.answer(SECCOMP_RET_ALLOW);
    // The program's own handler is accepted and has no effect; asking for the handler works.
    filter.skip_unless(SYS_rt_sigaction, 10 + filter_program::strangers);
    filter.load_argument(0);
    filter.skip_if(SIGSEGV, 3);
    filter.skip_if(SIGBUS, 2);
    filter.skip_if(SIGFPE, 1);
    filter.answer(SECCOMP_RET_ALLOW);
    filter.load_argument(1);
    filter.skip_unless(0, 3);
    filter.load(offsetof(seccomp_data, args) + 8 + 4);
    filter.skip_unless(0, 1);
    filter.answer(SECCOMP_RET_ALLOW);
    filter.answer_strangers(refused(0));
    filter.skip_unless(SYS_prctl, 5);
    filter.load_argument(0);
    filter.skip_if(PR_SET_SECCOMP, 2);
    filter.skip_if(set_user_dispatch, 1);
    filter.answer(SECCOMP_RET_ALLOW);
    filter.answer(refused(EPERM));
    filter.answer(SECCOMP_RET_ALLOW);
    return filter.install();
}

bool is_sealed(int channel) { return system_call(SYS_fcntl, channel, F_GETFD) == -sealed_error; }

}  // namespace cuset_host
