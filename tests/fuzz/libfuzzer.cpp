// The same targets under libFuzzer; CUSET_FUZZ_TARGET names one.
#include <cstdlib>
#include <cstring>

#include "targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const auto targets = cuset::fuzz::all_targets();
    static const char* const name = std::getenv("CUSET_FUZZ_TARGET");
    for (const auto& target : targets)
        if (!name || target.name == name) target.run({reinterpret_cast<const char*>(data), size});
    return 0;
}
