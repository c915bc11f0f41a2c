// reports: runtime
// A program without a word of CUDA has a runtime, and cannot speak for it.
#include <unistd.h>

#include <cstdlib>
#include <cstring>

int main() {
    const char line[] = "launches 5\nfrom-kernels 500000\nfault unsupported: x\n";
    for (int f = 3; f < 1024; ++f)
        if (write(f, line, sizeof line - 1) > 0) return 1;
    for (char** e = environ; *e != nullptr; ++e)
        if (std::strncmp(*e, "CUSET", 5) == 0) return 2;
    return 0;
}
