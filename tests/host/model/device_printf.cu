// printf of device code: its conversions, and what it gives back.
#include <unistd.h>

#include <cstdio>
#include <string>

#include "check.h"

struct point {
    float x, y;
};
__device__ void tell(const char* who, int level) {
    printf("%s at %d\n", who, level);
    if (level > 0) tell(who, level - 1);
}
__global__ void say(int* returned, point p, const char* none) {
    returned[0] = printf("plain\n");
    returned[1] = printf("%d %u %x %c %%\n", -5, 7u, 255, 'c');
    returned[2] = printf("[%5d|%-5d|%05d|%+d]\n", 42, 42, 42, 42);
    returned[3] = printf("%.3f %e %g %8.2f\n", 1.0f / 3, 12345.678, 0.5, p.x + p.y);
    returned[4] = printf("%lld %llu %ld %lu\n", -(1LL << 40), 1ULL << 63, 123456789012L, 4ul);
    returned[5] = printf("%s and %s\n", "one", threadIdx.x == 0 ? "two" : "three");
    returned[6] = printf("%hd %i %o %X\n", (short)-3, 9, 8, 0xbeef);
    tell("recursion", 2);
}
__host__ __device__ int of_both(const char* format, int value) { return printf(format, value); }
__global__ void each(int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) printf("<%d %d %d>\n", blockIdx.x, threadIdx.x, i * i);
}

/// What `run` prints on standard output.
template <class F>
static std::string printed(F run) {
    std::fflush(stdout);
    std::FILE* file = std::tmpfile();
    const int kept = dup(1);
    if (!file || kept < 0 || dup2(fileno(file), 1) < 0) return "no temporary file";
    run();
    wait_for_device();
    std::fflush(stdout);
    dup2(kept, 1);
    close(kept);
    std::string text;
    std::rewind(file);
    for (int c; (c = std::fgetc(file)) != EOF;) text += static_cast<char>(c);
    std::fclose(file);
    return text;
}

int main() {
    int* returned = device<int>(7);
    const std::string text = printed([&] { say<<<1, 1>>>(returned, {0.25f, 1.5f}, nullptr); });
    const std::string want =
        "plain\n"
        "-5 7 ff c %\n"
        "[   42|42   |00042|+42]\n"
        "0.333 1.234568e+04 0.5     1.75\n"
        "-1099511627776 9223372036854775808 123456789012 4\n"
        "one and two\n"
        "-3 9 10 BEEF\n"
        "recursion at 2\nrecursion at 1\nrecursion at 0\n";
    if (fails(text == want))
        std::printf("printed:\n%s\nmust be:\n%s\n", text.c_str(), want.c_str());
    // On a device the number of arguments.
    const std::vector<int> counts = taken(returned, 7);
    const int want_counts[7] = {0, 4, 4, 4, 4, 2, 4};
    for (int i = 0; i < 7; ++i) expect("printf gives", i, counts[i], want_counts[i]);
    int characters = 0;
    printed([&] { characters = of_both("%d\n", 777); });
    expect("printf of host code gives", 0, characters, 4);

    // The lines of many threads come in any order, each of them once and whole.
    const std::string lines = printed([] { each<<<5, 40>>>(190); });
    std::size_t length = 0;
    for (int i = 0; i < 200; ++i) {
        const std::string line = "<" + std::to_string(i / 40) + " " + std::to_string(i % 40) + " " +
                                 std::to_string(i * i) + ">\n";
        const std::size_t at = lines.find(line);
        expect("line", i, at != std::string::npos, i < 190);
        if (i < 190) length += line.size();
    }
    expect("length of all lines", 0, lines.size(), length);
    return verdict();
}
