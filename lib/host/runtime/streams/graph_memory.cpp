#include "graph_memory.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "checks/checks.h"
#include "cuset_host/device_memory.h"
#include "cuset_host/threads/execution.h"

namespace cuset_host {
namespace {

struct node_memory {
    std::size_t bytes;
    bool is_taken = false;
    bool is_reserved = false;  ///< since its first launch, until a trim
    bool is_orphan = false;    ///< no graph takes it again
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

std::uintptr_t number_of(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

using entry = std::map<void*, node_memory>::iterator;

/// Gives memory that nothing uses to the system. On a device it would stay reserved until a trim.
void drop(entry block) {
    void* const p = block->first;
    checks::allocated(number_of(p), block->second.bytes, true);  // it was freed for the program
    all().by_address.erase(block);
    release(p, memory_kind::device);
}

cudaError_t give_back(entry block) {
    node_memory& memory = block->second;
    if (!memory.is_taken) return cudaErrorInvalidValue;
    memory.is_taken = false;
    all().used.now -= memory.bytes;
    checks::freed(number_of(block->first), memory.bytes);
    if (memory.is_orphan) drop(block);
    return cudaSuccess;
}

/// Shared by the works that take the memory.
struct hold {
    void* p;
    explicit hold(void* block) : p(block) {}
    hold(const hold&) = delete;
    hold& operator=(const hold&) = delete;
    ~hold() {
        const std::lock_guard lock(all().mutex);
        const entry found = all().by_address.find(p);
        if (found->second.is_taken)
            found->second.is_orphan = true;
        else
            drop(found);
    }
};

}  // namespace

cudaError_t allocate_for_graph(void** p, std::size_t bytes) {
    const inside_call parts;
    if (const cudaError_t error = cudaMalloc(p, bytes); error != cudaSuccess) return error;
    const std::lock_guard lock(all().mutex);
    all().by_address[*p] = {bytes};
    return cudaSuccess;
}

graph_work taking(void* p) {
    return [held = std::make_shared<hold>(p)] {
        const std::lock_guard lock(all().mutex);
        node_memory& memory = all().by_address.at(held->p);
        if (memory.is_taken) return cudaErrorInvalidValue;
        memory.is_taken = true;
        checks::allocated(number_of(held->p), memory.bytes, false);
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
    error = give_back(found);
    return true;
}

bool is_graph_memory(void* p) {
    const std::lock_guard lock(all().mutex);
    return all().by_address.count(p) != 0;
}

bool is_taken(void* p) {
    const std::lock_guard lock(all().mutex);
    const auto found = all().by_address.find(p);
    return found != all().by_address.end() && found->second.is_taken;
}

}  // namespace cuset_host

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
