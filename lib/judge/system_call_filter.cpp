#include "system_call_filter.h"

#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

namespace cuset {

namespace {

constexpr const char* refused_calls[] = {
    // What the kernel holds for others.
    "acct",
    "add_key",
    "bpf",
    "delete_module",
    "finit_module",
    "init_module",
    "kexec_file_load",
    "kexec_load",
    "keyctl",
    "lookup_dcookie",
    "nfsservctl",
    "open_by_handle_at",
    "perf_event_open",
    "quotactl",
    "quotactl_fd",
    "reboot",
    "request_key",
    "swapoff",
    "swapon",
    "syslog",
    "uselib",
    // Other namespaces and file systems.
    "chroot",
    "fsconfig",
    "fsmount",
    "fsopen",
    "fspick",
    "mount",
    "mount_setattr",
    "move_mount",
    "open_tree",
    "pivot_root",
    "setns",
    "umount",
    "umount2",
    "unshare",
    // Memory that belongs to no process.
    "msgget",
    "semget",
    "shmget",
    // Other processes, and interfaces with a history of holes.
    "io_uring_enter",
    "io_uring_register",
    "io_uring_setup",
    "memfd_create",
    "process_vm_readv",
    "process_vm_writev",
    "ptrace",
    "userfaultfd",
    "vmsplice",
    // The machine's clocks and names.
    "adjtimex",
    "clock_adjtime",
    "clock_settime",
    "setdomainname",
    "sethostname",
    "settimeofday",
};

}  // namespace

result<unique_fd> system_call_filter() {
    const std::unique_ptr<void, void (*)(void*)> filter(seccomp_init(SCMP_ACT_ALLOW),
                                                        [](void* f) { seccomp_release(f); });
    if (!filter) return io_error("seccomp filter", ENOMEM);
    int error = 0;
    const auto add = [&](int done) { error = error == 0 ? done : error; };
    for (const char* name : refused_calls) {
        const int call = seccomp_syscall_resolve_name(name);
        if (call == __NR_SCMP_ERROR) continue;  // of another architecture or an older kernel
        add(seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), call, 0));
    }
    // clone3 passes its flags by memory, where a filter cannot look; with ENOSYS libc uses clone.
    add(seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0));
    add(seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                         SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_NEWUSER, CLONE_NEWUSER)));
    add(seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EAFNOSUPPORT), SCMP_SYS(socket), 1,
                         SCMP_A0(SCMP_CMP_NE, AF_UNIX)));
    unique_fd file(::memfd_create("cuset-seccomp", MFD_CLOEXEC));
    if (!file) return io_error("seccomp filter", errno);
    add(seccomp_export_bpf(filter.get(), file.get()));
    if (error != 0) return io_error("seccomp filter", -error);
    if (::lseek(file.get(), 0, SEEK_SET) < 0) return io_error("seccomp filter", errno);
    return file;
}

}  // namespace cuset
