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

std::mutex allowed_mutex;
std::map<const void*, std::size_t>& allowed() {
    static std::map<const void*, std::size_t> by_function;
    return by_function;
}

}  // namespace

const device_model& device() {
    static const device_model& chosen = [&]() -> const device_model& {
        for (const auto& m : device_models)
            if (std::strcmp(m.architecture, settings().architecture) == 0) return m;
        return default_device_model;
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
