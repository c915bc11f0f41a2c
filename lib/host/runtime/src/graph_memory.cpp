#include "graph_memory.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>

#include "cuset_host/execution.h"

namespace cuset_host {
namespace {

struct node_memory {
    std::size_t bytes;
    bool is_taken = false;
    bool is_reserved = false;  ///< since its first launch, until a trim
};

/// Sums of bytes, and the largest that they have been.
struct sum {
    std::uint64_t now = 0, high = 0;
    void add(std::uint64_t bytes) {
        now += bytes;
        high = std::max(high, now);
    }
};

struct graph_memories {
    std::mutex mutex{};
    std::map<void*, node_memory> by_address{};
    sum used{}, reserved{};
};
graph_memories& all() {
    static auto& made = *new graph_memories;
    return made;
}

cudaError_t give_back(node_memory& memory) {
    if (!memory.is_taken) return cudaErrorInvalidValue;
    memory.is_taken = false;
    all().used.now -= memory.bytes;
    return cudaSuccess;
}

}  // namespace

cudaError_t allocate_for_graph(void** p, std::size_t bytes) {
    if (const cudaError_t error = cudaMalloc(p, bytes); error != cudaSuccess) return error;
    const std::lock_guard lock(all().mutex);
    all().by_address[*p] = {bytes};
    return cudaSuccess;
}

graph_work taking(void* p) {
    return [p] {
        const std::lock_guard lock(all().mutex);
        node_memory& memory = all().by_address.at(p);
        if (memory.is_taken) return cudaErrorInvalidValue;
        memory.is_taken = true;
        all().used.add(memory.bytes);
        if (!memory.is_reserved) all().reserved.add(memory.bytes);
        memory.is_reserved = true;
        return cudaSuccess;
    };
}

graph_work giving_back(void* p) {
    return [p] {
        cudaError_t error = cudaSuccess;
        is_given_back_to_graph(p, error);
        return error;
    };
}

bool is_given_back_to_graph(void* p, cudaError_t& error) {
    const std::lock_guard lock(all().mutex);
    const auto found = all().by_address.find(p);
    if (found == all().by_address.end()) return false;
    error = give_back(found->second);
    return true;
}

bool is_taken(void* p) {
    const std::lock_guard lock(all().mutex);
    const auto found = all().by_address.find(p);
    return found != all().by_address.end() && found->second.is_taken;
}

}  // namespace cuset_host

#if CUSET_HOST_TOOLKIT

using namespace cuset_host;

extern "C" {

cudaError_t cudaDeviceGraphMemTrim(int number) {
    if (number != 0) return set_error(cudaErrorInvalidDevice);
    const std::lock_guard lock(all().mutex);
    for (auto& [address, memory] : all().by_address) memory.is_reserved = memory.is_taken;
    all().reserved.now = all().used.now;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetGraphMemAttribute(int number, cudaGraphMemAttributeType attribute,
                                           void* to) {
    if (number != 0) return set_error(cudaErrorInvalidDevice);
    if (to == nullptr) return set_error(cudaErrorInvalidValue);
    const std::lock_guard lock(all().mutex);
    auto& bytes = *static_cast<std::uint64_t*>(to);
    switch (attribute) {
        case cudaGraphMemAttrUsedMemCurrent: bytes = all().used.now; break;
        case cudaGraphMemAttrUsedMemHigh: bytes = all().used.high; break;
        case cudaGraphMemAttrReservedMemCurrent: bytes = all().reserved.now; break;
        case cudaGraphMemAttrReservedMemHigh: bytes = all().reserved.high; break;
        default: return set_error(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

/// A high value may be set to zero, which makes it the present one.
cudaError_t cudaDeviceSetGraphMemAttribute(int number, cudaGraphMemAttributeType attribute,
                                           void* value) {
    if (number != 0) return set_error(cudaErrorInvalidDevice);
    const bool is_used = attribute == cudaGraphMemAttrUsedMemHigh;
    if (value == nullptr || *static_cast<std::uint64_t*>(value) != 0 ||
        (!is_used && attribute != cudaGraphMemAttrReservedMemHigh))
        return set_error(cudaErrorInvalidValue);
    const std::lock_guard lock(all().mutex);
    sum& reset = is_used ? all().used : all().reserved;
    reset.high = reset.now;
    return cudaSuccess;
}

}  // extern "C"

#endif
