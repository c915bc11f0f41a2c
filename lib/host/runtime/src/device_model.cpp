#include "device_model.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "cuset_host/faults.h"
#include "settings.h"

namespace cuset_host {

namespace {

constexpr std::size_t kib = 1024, mib = 1024 * kib, gib = 1024 * mib;

constexpr device_model models[] = {
    {"sm_90", "NVIDIA H200 (host model)", 9, 0, 132, 227 * kib, 228 * kib, 2048, 32, 141 * gib,
     50 * mib, 1980000, 3201000, 6144},
    {"sm_75", "Tesla T4 (host model)", 7, 5, 40, 64 * kib, 64 * kib, 1024, 16, 15 * gib, 4 * mib,
     1590000, 5001000, 256},
    {"sm_80", "NVIDIA A100-SXM4-80GB (host model)", 8, 0, 108, 163 * kib, 164 * kib, 2048, 32,
     80 * gib, 40 * mib, 1410000, 1593000, 5120},
    {"sm_86", "NVIDIA A10 (host model)", 8, 6, 72, 99 * kib, 100 * kib, 1536, 16, 23 * gib, 6 * mib,
     1695000, 6251000, 384},
    {"sm_89", "NVIDIA L4 (host model)", 8, 9, 58, 99 * kib, 100 * kib, 1536, 24, 23 * gib, 48 * mib,
     2040000, 6251000, 192},
    {"sm_100", "NVIDIA B200 (host model)", 10, 0, 148, 227 * kib, 228 * kib, 2048, 32, 180 * gib,
     126 * mib, 1965000, 3996000, 8192},
};

std::mutex allowed_mutex;
std::map<const void*, std::size_t>& allowed() {
    static std::map<const void*, std::size_t> by_function;
    return by_function;
}

}  // namespace

const device_model& device() {
    static const device_model& chosen = [&]() -> const device_model& {
        for (const auto& m : models)
            if (std::strcmp(m.architecture, settings().architecture) == 0) return m;
        return models[0];
    }();
    return chosen;
}

std::size_t dynamic_shared_limit(const void* function, std::size_t static_bytes) {
    const std::lock_guard lock(allowed_mutex);
    std::size_t limit = shared_without_opting_in - std::min(shared_without_opting_in, static_bytes);
    if (function != nullptr) {
        const auto found = allowed().find(function);
        return found == allowed().end() ? limit : std::max(limit, found->second);
    }
    for (const auto& [f, bytes] : allowed()) limit = std::max(limit, bytes);
    return limit;
}

void allow_shared(const void* function, std::size_t bytes) {
    const std::lock_guard lock(allowed_mutex);
    allowed()[function] = bytes;
}

int resident_blocks(unsigned threads, std::size_t shared_bytes) {
    const device_model& d = device();
    if (threads == 0 || threads > 1024 || shared_bytes > d.shared_per_block) return 0;
    constexpr std::size_t reserved = 1 * kib;  // of each block's shared memory, for the system
    const int warps = static_cast<int>((threads + 31) / 32);
    const int by_threads = d.threads_per_processor / 32 / warps;
    const int by_shared = static_cast<int>(d.shared_per_processor / (shared_bytes + reserved));
    return std::min({by_threads, by_shared, d.blocks_per_processor});
}

cudaError_t refusal(const site& at, const configuration& shape, const void* function,
                    bool cooperative) {
    const dim3 &b = shape.block, &g = shape.grid;
    if (b.x == 0 || b.y == 0 || b.z == 0 || g.x == 0 || g.y == 0 || g.z == 0)
        return cudaErrorInvalidConfiguration;
    if (b.x > 1024 || b.y > 1024 || b.z > 64 || std::size_t{b.x} * b.y * b.z > 1024 ||
        g.x > 0x7fffffff || g.y > 65535 || g.z > 65535)
        return cudaErrorInvalidConfiguration;
    const unsigned threads = b.x * b.y * b.z;
    const kernel_needs* needs = kernel_needs::find(function, at.kernel);
    const std::size_t own_bytes = needs == nullptr ? 0 : needs->shared_bytes();
    if (needs != nullptr && needs->max_threads() != 0 && threads > needs->max_threads())
        return cudaErrorLaunchOutOfResources;
    if (own_bytes > shared_without_opting_in)
        fail("unsupported", std::string("kernel ") + at.kernel +
                                ": more than 48 KiB of static shared memory, which nvcc refuses");
    if (shape.shared_bytes > dynamic_shared_limit(function, own_bytes))
        return cudaErrorInvalidValue;
    const std::size_t blocks = std::size_t{g.x} * g.y * g.z;
    if (cooperative && blocks > static_cast<std::size_t>(device().processors) *
                                    static_cast<std::size_t>(
                                        resident_blocks(threads, own_bytes + shape.shared_bytes)))
        return cudaErrorCooperativeLaunchTooLarge;
    return cudaSuccess;
}

}  // namespace cuset_host
