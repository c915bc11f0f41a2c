#include "trial/driver_folder.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace cuset {

void add_driver_folder(sandbox_request& request) {
    const char* const given = std::getenv("LD_LIBRARY_PATH");
    std::string_view rest = given == nullptr ? std::string_view() : given;
    while (!rest.empty()) {
        const std::size_t colon = std::min(rest.find(':'), rest.size());
        const std::filesystem::path folder = rest.substr(0, colon);
        rest.remove_prefix(std::min(colon + 1, rest.size()));
        std::error_code ignored;
        if (!folder.is_absolute() || !std::filesystem::exists(folder / "libcuda.so.1", ignored))
            continue;
        if (!folder.native().starts_with("/usr/")) request.mounts.push_back({folder, folder});
        request.environment.emplace_back("LD_LIBRARY_PATH", folder.string());
        return;
    }
}

}  // namespace cuset
