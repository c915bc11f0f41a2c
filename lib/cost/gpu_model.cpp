#include "cuset/cost/gpu_model.h"

#include <algorithm>
#include <cctype>

namespace cuset {

namespace {

constexpr double giga = 1e9, mebi = 1 << 20;
constexpr std::uint64_t kibi = 1 << 10;

constexpr gpu_model gpus[] = {
    {"V100", 80, 1.53 * giga, 64, 32, 128, 64, 16, 900 * giga, 6 * mebi, 2048, 32, 96 * kibi},
    {"T4", 40, 1.59 * giga, 64, 2, 128, 64, 16, 320 * giga, 4 * mebi, 1024, 16, 64 * kibi},
    {"A100", 108, 1.41 * giga, 64, 32, 256, 64, 16, 1555 * giga, 40 * mebi, 2048, 32, 164 * kibi},
    {"RTX 3080", 68, 1.71 * giga, 128, 2, 128, 64, 16, 760 * giga, 5 * mebi, 1536, 16, 100 * kibi},
    {"RTX 3090", 82, 1.695 * giga, 128, 2, 128, 64, 16, 936 * giga, 6 * mebi, 1536, 16, 100 * kibi},
    {"RTX 4090", 128, 2.52 * giga, 128, 2, 128, 64, 16, 1008 * giga, 72 * mebi, 1536, 24,
     100 * kibi},
    {"L4", 58, 2.04 * giga, 128, 2, 128, 64, 16, 300 * giga, 48 * mebi, 1536, 24, 100 * kibi},
    {"H100", 132, 1.83 * giga, 128, 64, 256, 64, 16, 3350 * giga, 50 * mebi, 2048, 32, 228 * kibi},
    {"H200", 132, 1.83 * giga, 128, 64, 256, 64, 16, 4800 * giga, 50 * mebi, 2048, 32, 228 * kibi},
};

std::string plain(std::string_view name) {
    std::string text;
    for (const char c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) != 0)
            text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

}  // namespace

const gpu_model* gpu_model_named(std::string_view name) {
    const auto* const found = std::ranges::find_if(
        gpus, [&](const gpu_model& g) { return plain(g.name) == plain(name); });
    return found == std::end(gpus) ? nullptr : found;
}

std::string gpu_model_names() {
    std::string all;
    for (const gpu_model& g : gpus) all.append(all.empty() ? "" : ", ").append(g.name);
    return all;
}

}  // namespace cuset
