#include "cuset/train/memory_estimate.h"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "cuset/base/format.h"

namespace cuset {

namespace {

double bytes_of(const at::Tensor& tensor) { return static_cast<double>(tensor.nbytes()); }

/// The floats that a layer keeps for each token: both norms' inputs and outputs; queries, repeated
/// keys and values, and the output of attention; gate, up and their product.
double kept_values(const model_config& c) {
    const auto width = static_cast<double>(c.hidden);
    const auto heads = static_cast<double>(c.heads * c.head_dim);
    const double norms = c.qk_norm ? static_cast<double>((c.heads + c.kv_heads) * c.head_dim) : 0;
    return 4 * width + 4 * heads + norms + 3 * static_cast<double>(c.intermediate);
}

/// The number after `name` in a file of lines "name   number …"; -1: none.
double number_in(const char* path, const std::string& name) {
    std::ifstream file(path);
    std::string word;
    while (file >> word) {
        double value = 0;
        if (word == name && file >> value) return value;
    }
    return -1;
}

/// The only number of a file; -1: there is none ("max").
double number_in(const char* path) {
    std::ifstream file(path);
    double value = 0;
    return file >> value ? value : -1;
}

std::string gibibytes(double bytes) { return format("%.1f GiB", bytes / 0x1p30); }

}  // namespace

double estimated_bytes(const training_memory& memory, std::size_t tokens, bool recompute) {
    const model_config& c = memory.config;
    const double value_bytes = memory.half ? 2 : 4;
    // Gradient and two moments, beside the values themselves.
    const double states = (memory.has_adapter ? 4 : 3) * memory.trained;
    const auto layers = static_cast<double>(c.layers), count = static_cast<double>(tokens);
    const double inside = kept_values(c) * count * value_bytes;
    const double kept =
        recompute ? layers * static_cast<double>(c.hidden) * count * value_bytes + 2 * inside
                  : (layers + 1) * inside;
    constexpr double libraries = 600e6;  // LibTorch's code and pools, logits of a chunk
    return memory.weights + states + kept + libraries;
}

double estimated_bytes(const trainable_decoder& decoder, std::size_t tokens, bool recompute) {
    training_memory memory{.config = decoder.config(),
                           .weights = decoder.weight_bytes() + decoder.dequantised_bytes(),
                           .has_adapter = decoder.lora().has_value(),
                           .half = decoder.activations_are_half()};
    for (const auto& parameter : decoder.parameters()) memory.trained += bytes_of(parameter.value);
    return estimated_bytes(memory, tokens, recompute);
}

double available_bytes() {
    const double free_kib = number_in("/proc/meminfo", "MemAvailable:");
    double available = free_kib < 0 ? 0 : free_kib * 1024;
    const double limit = number_in("/sys/fs/cgroup/memory.max");
    const double used = number_in("/sys/fs/cgroup/memory.current");
    // Page cache counts as used, but is freed when memory is needed.
    const double cache = std::max(0.0, number_in("/sys/fs/cgroup/memory.stat", "inactive_file"));
    if (limit > 0 && used >= 0) {
        const double left = std::max(0.0, limit - used + cache);
        available = available == 0 ? left : std::min(available, left);
    }
    return available;
}

status check_memory(const trainable_decoder& decoder, std::size_t tokens) {
    if (!decoder.device().is_cpu()) return {};
    // Loaded weights are no longer part of the free memory.
    const double loaded = decoder.weight_bytes();
    const double available = available_bytes() + loaded;
    const double needed = estimated_bytes(decoder, tokens, decoder.recomputes());
    if (available == loaded || needed <= available) return {};
    std::string message = "a pass of " + std::to_string(tokens) + " tokens takes about " +
                          gibibytes(needed) + ", and " + gibibytes(available) + " are free";
    const double recomputed = estimated_bytes(decoder, tokens, true);
    if (!decoder.recomputes() && recomputed <= available)
        message += "; --recompute takes about " + gibibytes(recomputed);
    const double base = estimated_bytes(decoder, 0, decoder.recomputes());
    const double fitting = (available - base) / (needed - base) * static_cast<double>(tokens);
    if (fitting >= 64)
        message += "; --max-tokens and --pass-tokens " +
                   std::to_string(static_cast<std::size_t>(fitting) / 64 * 64) + " would fit";
    return unsupported(std::move(message));
}

}  // namespace cuset
