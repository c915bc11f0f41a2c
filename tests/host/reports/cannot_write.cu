// reports: fault illegal_address: kernel bad,
// must not report: race
// Every way to the channel that a program has, its own functions by the C library's names included;
// then a fault, with a handler of the program's own.
#include <aio.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

constexpr int channel = 1000;
const char line[] = "fault race: mine\n";
constexpr size_t length = sizeof line - 1;

static void quit(int) { syscall(SYS_exit_group, 0); }

extern "C" {
// The runtime is linked behind these.
ssize_t write(int f, const void* p, size_t n) {
    return f == channel ? 0 : syscall(SYS_write, f, p, n);
}
void _exit(int) {
    syscall(SYS_exit_group, 0);
    __builtin_trap();
}
int raise(int) {
    syscall(SYS_exit_group, 0);
    return 0;
}
}

__global__ void bad(int* p) { *p = 1; }

static bool reaches(const char* what, long done) {
    if (done > 0) std::fprintf(stderr, "%s: %ld\n", what, done);
    return done > 0;
}

int main() {
    iovec part{const_cast<char*>(line), length};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    int file = open("line", O_RDWR | O_CREAT | O_TRUNC, 0600), ends[2];
    if (syscall(SYS_write, file, line, length) != length || pipe(ends) != 0) return 1;
    if (syscall(SYS_write, ends[1], line, length) != length) return 2;
    loff_t from = 0;
    bool reached = false;
    reached |= reaches("write", syscall(SYS_write, channel, line, length));
    reached |= reaches("writev", writev(channel, &part, 1));
    reached |= reaches("pwrite", pwrite(channel, line, length, 0));
    reached |= reaches("pwritev2", pwritev2(channel, &part, 1, -1, 0));
    reached |= reaches("send", send(channel, line, length, 0));
    reached |= reaches("sendmsg", sendmsg(channel, &message, 0));
    reached |= reaches("sendfile", sendfile(channel, file, nullptr, length));
    reached |=
        reaches("copy_file_range", copy_file_range(file, &from, channel, nullptr, length, 0));
    reached |= reaches("splice", splice(ends[0], nullptr, channel, nullptr, length, 0));
    reached |= reaches("tee", tee(ends[0], channel, length, 0));
    reached |= reaches("dup", dup(channel));
    reached |= reaches("fcntl", fcntl(channel, F_DUPFD, 3));
    reached |= reaches("dup2", dup2(file, channel));
    reached |= reaches("dup3", dup3(file, channel, 0));
    reached |= reaches("close", close(channel) == 0);
    reached |=
        reaches("pidfd_getfd", syscall(438, syscall(SYS_pidfd_open, getpid(), 0), channel, 0));
    reached |= reaches("open", open("/proc/self/fd/1000", O_WRONLY));
    reached |= reaches("seccomp", syscall(SYS_seccomp, 1, 0, &part) == 0);
    reached |= reaches("prctl", prctl(PR_SET_SECCOMP, 1) == 0);
    reached |= reaches("io_setup", syscall(SYS_io_setup, 1, &from) == 0);
    close_range(3, ~0U, 0);
    // A child has the same channel, behind the same seal; one that is started again has none.
    if (fork() == 0) {
        if (syscall(SYS_write, channel, line, length) > 0) quit(0);
        char* const again[] = {const_cast<char*>("program"), nullptr};
        execv("/proc/self/exe", again);
        syscall(SYS_exit_group, 3);
    }
    int status = 0;
    wait(&status);
    reached |= reaches("again", !WIFEXITED(status) || WEXITSTATUS(status) != 97);
    struct sigaction mine {};
    mine.sa_handler = quit;
    for (int number : {SIGSEGV, SIGBUS, SIGFPE}) {
        std::signal(number, quit);
        sigaction(number, &mine, nullptr);
    }
    if (reached) return 3;
    bad<<<1, 1>>>(reinterpret_cast<int*>(8));
    return 4;
}
