#ifdef CUSET_HOST_CHECK

#include "finding_words.h"

#include <sanitizer/common_interface_defs.h>

#include <cstdlib>
#include <cstring>

namespace cuset_host::checks {

int line_of(const void* pc) {
    if (pc == nullptr) return 0;
    char text[4096] = "";
    __sanitizer_symbolize_pc(reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(pc) - 1),
                             "%l %s", text, sizeof text);
    // Of functions within each other, each of which is a text, the innermost that is the program's.
    for (const char* frame = text; *frame != '\0'; frame += std::strlen(frame) + 1)
        if (std::strstr(frame, "program.cu") != nullptr) return std::atoi(frame);
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
