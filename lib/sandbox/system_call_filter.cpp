#include "system_call_filter.h"

#include <linux/close_range.h>
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
    // Interfaces to what the kernel keeps for others.
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
    // Memory that belongs to no process, and descriptors in transit between processes.
    "inotify_init",
    "inotify_init1",
    "io_setup",
    "memfd_create",
    "memfd_secret",
    "msgget",
    "semget",
    "sendmmsg",
    "sendmsg",
    "shmget",
    // Other processes, and interfaces with a history of holes.
    "fanotify_init",
    "fanotify_mark",
    "io_uring_enter",
    "io_uring_register",
    "io_uring_setup",
    "kcmp",
    "pidfd_getfd",
    "process_madvise",
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

result<unique_fd> system_call_filter(const sandbox_request& request) {
    const std::unique_ptr<void, void (*)(void*)> filter(seccomp_init(SCMP_ACT_ALLOW),
                                                        [](void* f) { seccomp_release(f); });
    if (!filter) return io_error("seccomp filter", ENOMEM);
    // Makes libseccomp emit a binary search instead of a linear one; an old library keeps the
    // linear one.
    static_cast<void>(seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2));
    int error = 0;
    const auto add = [&](int done) { error = error == 0 ? done : error; };
    for (const char* name : refused_calls) {
        const int call = seccomp_syscall_resolve_name(name);
        if (call == __NR_SCMP_ERROR) continue;  // not on this architecture or kernel
        add(seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), call, 0));
    }
    // clone3 passes its flags in memory, where a filter cannot look; after ENOSYS libc uses clone.
    add(seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0));
    add(seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                         SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_NEWUSER, CLONE_NEWUSER)));
    // A thread with its own descriptor table would keep files that nobody sees.
    add(seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                         SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD | CLONE_FILES, CLONE_THREAD)));
    add(seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), SCMP_SYS(close_range), 1,
                         SCMP_A2(SCMP_CMP_MASKED_EQ, CLOSE_RANGE_UNSHARE, CLOSE_RANGE_UNSHARE)));
    // A filter's listener can put descriptors into other processes.
    constexpr int set_filter = 1, new_listener = 8;
    add(seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), SCMP_SYS(seccomp), 2,
                         SCMP_A0(SCMP_CMP_EQ, set_filter),
                         SCMP_A1(SCMP_CMP_MASKED_EQ, new_listener, new_listener)));
    // Another's limits: in a user namespace process 1 is the program's own user's.
    add(seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), SCMP_SYS(prlimit64), 1,
                         SCMP_A0(SCMP_CMP_NE, 0)));
    // fallocate takes a whole disk in an instant, between two looks; libc then writes instead.
    add(seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EOPNOTSUPP), SCMP_SYS(fallocate), 0));
    // A GPU's driver may use sockets, and memory without a file.
    if (request.sockets || request.gpu || request.loopback) {
        // A rule has one condition on an argument.
        const scmp_datum_t first = AF_UNIX, last = request.loopback ? AF_INET : AF_UNIX;
        add(seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EAFNOSUPPORT), SCMP_SYS(socket), 1,
                             SCMP_A0(SCMP_CMP_LT, first)));
        add(seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EAFNOSUPPORT), SCMP_SYS(socket), 1,
                             SCMP_A0(SCMP_CMP_GT, last)));
        // A datagram stays with its receiver after its sender has gone, so that ten and more lie in
        // one socket. (A raw socket is one of datagrams.)
        constexpr int kinds = 0xf;
        for (const int call : {SCMP_SYS(socket), SCMP_SYS(socketpair)})
            for (const int kind : {SOCK_DGRAM, SOCK_RAW})
                if (!request.gpu)
                    add(seccomp_rule_add(
                        filter.get(), SCMP_ACT_ERRNO(EAFNOSUPPORT), call, 1,
                        SCMP_A1(SCMP_CMP_MASKED_EQ, kinds, static_cast<scmp_datum_t>(kind))));
    } else {
        for (const int call : {SCMP_SYS(socket), SCMP_SYS(socketpair)})
            add(seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EAFNOSUPPORT), call, 0));
    }
    constexpr std::uint64_t shared = MAP_SHARED | MAP_ANONYMOUS;
    if (!request.gpu)
        add(seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), SCMP_SYS(mmap), 1,
                             SCMP_A3(SCMP_CMP_MASKED_EQ, shared, shared)));
    unique_fd file(::memfd_create("cuset-seccomp", MFD_CLOEXEC));
    if (!file) return io_error("seccomp filter", errno);
    add(seccomp_export_bpf(filter.get(), file.get()));
    if (error != 0) return io_error("seccomp filter", -error);
    if (::lseek(file.get(), 0, SEEK_SET) < 0) return io_error("seccomp filter", errno);
    return file;
}

}  // namespace cuset
