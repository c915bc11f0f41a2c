#include "launch_log.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>

namespace cuset_host {

void log_launch(const site& at) {
    static std::FILE* const file = [] {
        const char* path = std::getenv("CUSET_HOST_DIGESTS");
        return path != nullptr && *path != '\0' ? std::fopen(path, "a") : nullptr;
    }();
    static std::uint64_t number = 0;
    constexpr std::uint64_t most = 100'000;  // lines; a program may launch for as long as it runs
    if (file == nullptr || ++number > most) return;
    std::fprintf(file, "%" PRIu64 " %s %d %016" PRIx64 "\n", number, at.kernel, at.line,
                 memory_digest());
    std::fflush(file);
}

}  // namespace cuset_host
