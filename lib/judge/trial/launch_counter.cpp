#include "trial/launch_counter.h"

#include <initializer_list>

namespace cuset {

std::vector<std::string> launch_counter_flags(const toolkit& kit) {
    const std::string extras = (kit.root / "extras/CUPTI").string();
    std::vector<std::string> flags{"-std=c++17",
                                   "-shared",
                                   "-Xcompiler",
                                   "-fPIC",
                                   "-DCUSET_CHANNEL=" + std::to_string(channel_descriptor),
                                   "-I" + extras + "/include"};
    for (const std::string& folder : {extras + "/lib64", (kit.root / "lib64").string()})
        for (const std::string& flag : {"-L" + folder, std::string("-Xlinker"), "-rpath=" + folder})
            flags.push_back(flag);
    flags.emplace_back("-lcupti");
    return flags;
}

void add_launch_counter(const std::filesystem::path& library, const toolkit& kit,
                        sandbox_request& request) {
    constexpr const char* place = "/opt/cuset/launch_counter.so";
    request.channel = true;
    request.mounts.push_back({library, place});
    if (!kit.root.native().starts_with("/usr/")) request.mounts.push_back({kit.root, kit.root});
    request.environment.emplace_back("CUDA_INJECTION64_PATH", place);
}

}  // namespace cuset
