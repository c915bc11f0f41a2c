#ifdef CUSET_HOST_CHECK

#include "finding_words.h"

#include <sanitizer/common_interface_defs.h>

#include <cstdlib>

namespace cuset_host::checks {

int line_of(const void* pc) {
    char text[32] = "";
    if (pc != nullptr)
        __sanitizer_symbolize_pc(reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(pc) - 1),
                                 "%l", text, sizeof text);
    return std::atoi(text);
}

std::string bytes_text(std::size_t bytes) {
    return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

std::string place_near(std::uintptr_t address, std::uintptr_t begin, std::size_t bytes,
                       const std::string& what) {
    if (address < begin) return bytes_text(begin - address) + " before " + what;
    const std::size_t past = address - begin - bytes;
    return (past == 0 ? "just" : bytes_text(past)) + " past the end of " + what;
}

}  // namespace cuset_host::checks

#endif
