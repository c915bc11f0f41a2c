#include "cuset/sandbox/program_path.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace cuset {

std::string program_in_path(std::string_view name) {
    const char* path = std::getenv("PATH");
    std::string_view rest = path == nullptr ? "/usr/bin:/bin" : path;
    while (!rest.empty()) {
        const std::size_t colon = std::min(rest.find(':'), rest.size());
        std::string candidate = std::string(rest.substr(0, colon)) + '/' + std::string(name);
        if (::access(candidate.c_str(), X_OK) == 0) return candidate;
        rest.remove_prefix(std::min(colon + 1, rest.size()));
    }
    return {};
}

}  // namespace cuset
