// Bounds how long OpenMP's threads spin at a barrier before they sleep. libgomp's own bound is some
// 16 ms on today's processors; beside another busy program, most of a training step is then spent
// waiting (tests/bench/RESULTS.md). libgomp reads its bound from the environment while it is
// loaded, so the program starts itself once more with the bound set. It does so before any library
// has initialised itself, so that this costs 2 ms.
#ifndef __SANITIZE_ADDRESS__  // a sanitizer is not ready so early

#include <linux/limits.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cstdlib>

namespace {

void start_again(int /*argc*/, char** argv, char** environment) {
    static char bound[] = "GOMP_SPINCOUNT=10000";  // half a millisecond: 98 % of the speed alone
    constexpr std::size_t most = 1024;
    static char* with_bound[most];
    static char program[PATH_MAX];
    // Where the loader was called by name, /proc/self/exe is the loader, and the arguments are not
    // its.
    if (::getauxval(AT_BASE) == 0) return;
    std::size_t count = 0;
    for (; environment[count] != nullptr; ++count) {
        const auto is = [&](const char* name) {
            const char* text = environment[count];
            while (*name != 0 && *text == *name) ++text, ++name;
            return *name == 0;
        };
        if (count + 2 >= most || is("GOMP_SPINCOUNT=") || is("OMP_WAIT_POLICY=")) return;
        with_bound[count] = environment[count];
    }
    with_bound[count] = bound;
    // The link's target, not the link: the system names the process after it.
    const ssize_t length = ::readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0) return;
    ::execve(program, argv, with_bound);
    // Without /proc, or with a program that was replaced, it goes on as it is.
}

// The loader calls this before the constructors of the shared libraries.
[[gnu::section(".preinit_array"), gnu::used]] void (*const before_libraries)(int, char**,
                                                                             char**) = start_again;

}  // namespace

#endif
