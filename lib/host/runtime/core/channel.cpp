#include "channel.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cuset_host/faults.h"
#include "running_kernels.h"
#include "seal.h"
#include "settings.h"
#include "system_calls.h"

namespace cuset_host {

namespace {

/// Below the evaluator's limit of 1024 descriptors, and above those that programs open.
constexpr int descriptor = 1000;
constexpr std::size_t longest = 4000;

bool is_open = false;

template <std::size_t n>
[[noreturn]] void give_up(const char (&line)[n]) {
    write_plainly(STDERR_FILENO, line, n - 1);
    end_plainly(fault_exit_code);
}

}  // namespace

void open_channel() {
    // A program that starts itself again has no channel, and has lost its settings.
    if (is_sealed(descriptor)) give_up("cuset-host: a program may not start itself\n");
    const int given = settings().channel;
    if (given < 0) return;
    if (system_call(SYS_dup3, given, descriptor, O_CLOEXEC) != descriptor)
        give_up("cuset-host: no descriptor 1000 for the channel\n");
    system_call(SYS_close, given);
    if (!seal(descriptor)) give_up("cuset-host: the kernel takes no seccomp filter\n");
    is_open = true;
    report("runtime", 7);
    answer_questions(descriptor);
}

bool has_channel() { return is_open; }

void report(const char* line, std::size_t bytes) {
    if (!is_open) return;
    // One write, or the lines of two threads could mix.
    char text[longest + 1];
    std::size_t length = 0;
    for (; length < bytes && length < longest; ++length)
        text[length] = line[length] == '\n' ? ' ' : line[length];
    text[length++] = '\n';
    write_plainly(descriptor, text, length);
}

void report_count(const char* word, std::uint64_t number) {
    char text[64], digits[20];
    std::size_t length = 0, count = 0;
    for (; *word != '\0'; ++word) text[length++] = *word;
    text[length++] = ' ';
    do digits[count++] = static_cast<char>('0' + number % 10);
    while ((number /= 10) != 0);
    while (count != 0) text[length++] = digits[--count];
    report(text, length);
}

}  // namespace cuset_host
