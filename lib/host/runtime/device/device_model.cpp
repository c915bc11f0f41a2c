#include "device_model.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "core/settings.h"
#include "cuset_host/faults.h"
#include "cuset_host/threads/launch_bounds.h"
#include "cuset_host/threads/named_kernels.h"

namespace cuset_host {

std::atomic<bool> driver_is_initialised{false};
thread_local bool has_context = false;
std::atomic<bool> runtime_has_begun{false}, has_primary_context{false};

void reach_device() {
    driver_is_initialised = true;
    has_context = true;
    runtime_has_begun = has_primary_context = true;
}

namespace {

std::mutex allowed_mutex;
std::map<const void*, std::size_t>& allowed() {
    static auto& by_function = *new std::map<const void*, std::size_t>;  // outlives main
    return by_function;
}

std::map<const void*, int>& carveouts() {
    static auto& by_function = *new std::map<const void*, int>;
    return by_function;
}

std::set<const void*>& large_clusters() {
    static auto& functions = *new std::set<const void*>;
    return functions;
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

int preferred_carveout(const void* function) {
    const std::lock_guard lock(allowed_mutex);
    const auto found = carveouts().find(function);
    return found == carveouts().end() ? -1 : found->second;
}

void prefer_carveout(const void* function, int percent) {
    const std::lock_guard lock(allowed_mutex);
    carveouts()[function] = percent;
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

dim3 cluster_of(const site& at, const configuration& shape, const void* function) {
    if (shape.cluster.x != 0) return shape.cluster;
    const kernel_needs* needs = kernel_needs::find(function, at.kernel);
    const dim3 own = needs == nullptr ? dim3(0, 0, 0) : needs->cluster();
    return own.x == 0 ? dim3(1, 1, 1) : own;
}

unsigned largest_cluster(const void* function) {
    const std::lock_guard lock(allowed_mutex);
    constexpr unsigned portable = 8, most = 16;
    const bool allows =
        large_clusters().count(function) != 0 || (function == nullptr && !large_clusters().empty());
    return allows ? most : portable;
}

void allow_large_clusters(const void* function, bool allow) {
    const std::lock_guard lock(allowed_mutex);
    if (allow)
        large_clusters().insert(function);
    else
        large_clusters().erase(function);
}

cudaError_t refused_cluster(const site& at, const configuration& shape, const void* function) {
    const dim3 c = cluster_of(at, shape, function);
    const std::uint64_t blocks = std::uint64_t{c.x} * c.y * c.z;
    if (blocks == 1) return cudaSuccess;
    if (device().major < 9) return cudaErrorNotSupported;
    if (blocks == 0 || blocks > largest_cluster(function)) return cudaErrorInvalidClusterSize;
    const kernel_needs* needs = kernel_needs::find(function, at.kernel);
    const dim3 own = needs == nullptr ? dim3(0, 0, 0) : needs->cluster();
    if (own.x != 0 && (own.x != c.x || own.y != c.y || own.z != c.z))
        return cudaErrorInvalidClusterSize;
    const dim3& g = shape.grid;
    return g.x % c.x == 0 && g.y % c.y == 0 && g.z % c.z == 0 ? cudaSuccess
                                                              : cudaErrorInvalidClusterSize;
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
    const unsigned bounds = bounds_of(function, at.kernel);
    if (bounds != 0 && threads > bounds) return cudaErrorLaunchOutOfResources;
    if (own_bytes > shared_without_opting_in)
        fail("unsupported", std::string("kernel ") + at.kernel +
                                ": more than 48 KiB of static shared memory, which nvcc refuses");
    if (shape.shared_bytes > dynamic_shared_limit(function, own_bytes))
        return cudaErrorInvalidValue;
    if (const cudaError_t refused = refused_cluster(at, shape, function); refused != cudaSuccess)
        return refused;
    const std::size_t blocks = std::size_t{g.x} * g.y * g.z;
    if (cooperative && blocks > static_cast<std::size_t>(device().processors) *
                                    static_cast<std::size_t>(
                                        resident_blocks(threads, own_bytes + shape.shared_bytes)))
        return cudaErrorCooperativeLaunchTooLarge;
    return cudaSuccess;
}

}  // namespace cuset_host
