// The runtime API: memory pools. Each operation is done at once, so a pool is a set of allocations
// and what it counts of them.
#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>

#include "cuset_host/cuda_types.h"
#include "cuset_host/device_memory.h"
#include "cuset_host/faults.h"
#include "cuset_host/threads/execution.h"
#include "freed_twice.h"
#include "pool_memory.h"
#include "races/races.h"
#include "streams/asynchronous_streams.h"
#include "streams/graph_memory.h"
#include "streams/graphs.h"

using namespace cuset_host;

struct CUmemPoolHandle_st {
    int handles = cudaMemHandleTypeNone;  ///< that it may be shared by
    std::map<int, int> switches{};        // the cudaMemPoolReuse… attributes
    std::uint64_t threshold = 0, used = 0, used_high = 0, reserved = 0, reserved_high = 0;
    std::uint64_t most = 0;  // 0: no limit
    std::map<void*, std::size_t> allocations{};

    /// Memory is taken from the system in such pieces.
    static constexpr std::uint64_t piece = std::uint64_t{32} << 20;

    bool has_room(std::size_t bytes) const { return most == 0 || used + bytes <= most; }
    void take(void* p, std::size_t bytes) {
        allocations[p] = bytes;
        used += bytes;
        used_high = std::max(used_high, used);
        if (used > reserved) reserved = (used + piece - 1) / piece * piece;
        reserved_high = std::max(reserved_high, reserved);
    }
    bool give_back(void* p) {
        const auto found = allocations.find(p);
        if (found == allocations.end()) return false;
        used -= found->second;
        allocations.erase(found);
        return true;
    }
    void trim(std::uint64_t kept) {
        const std::uint64_t needed = (used + piece - 1) / piece * piece;
        if (reserved > kept) reserved = std::max(needed, std::min(reserved, kept));
    }
};

namespace {

std::mutex& in_use() {
    static std::mutex& made = *new std::mutex;
    return made;
}

cudaMemPool_t default_pool() {
    static auto* const made = new CUmemPoolHandle_st;
    return made;
}

cudaMemPool_t current = nullptr;
std::map<void*, cudaMemPool_t>& owners() {
    static auto& made = *new std::map<void*, cudaMemPool_t>;
    return made;
}

bool is_switch(cudaMemPoolAttr attribute) {
    return attribute == cudaMemPoolReuseFollowEventDependencies ||
           attribute == cudaMemPoolReuseAllowOpportunistic ||
           attribute == cudaMemPoolReuseAllowInternalDependencies;
}

}  // namespace

namespace cuset_host {

void leave_pool(void* p) {
    const std::lock_guard lock(in_use());
    const auto owner = owners().find(p);
    if (owner == owners().end()) return;
    owner->second->give_back(p);
    // What is above the threshold goes back to the system at the next synchronisation.
    owner->second->trim(owner->second->threshold);
    owners().erase(owner);
}

}  // namespace cuset_host

extern "C" {

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int number) {
    if (number != 0) return set_error(cudaErrorInvalidDevice);
    *pool = default_pool();
    return cudaSuccess;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int number) {
    if (number != 0) return set_error(cudaErrorInvalidDevice);
    *pool = current == nullptr ? default_pool() : current;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetMemPool(int number, cudaMemPool_t pool) {
    if (number != 0) return set_error(cudaErrorInvalidDevice);
    if (pool == nullptr) return set_error(cudaErrorInvalidValue);
    current = pool;
    return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* wanted) {
    if (pool == nullptr || wanted == nullptr) return set_error(cudaErrorInvalidValue);
    if (wanted->location.type != cudaMemLocationTypeDevice &&
        wanted->location.type != cudaMemLocationTypeInvalid)
        fail("unsupported", "a memory pool on the host");
    if (wanted->allocType != cudaMemAllocationTypePinned ||
        wanted->location.type != cudaMemLocationTypeDevice || wanted->location.id != 0)
        return set_error(cudaErrorInvalidValue);
    *pool = new CUmemPoolHandle_st;
    (*pool)->handles = wanted->handleTypes;
#if CUDART_VERSION >= 12020
    (*pool)->most = wanted->maxSize;
#endif
    return cudaSuccess;
}

/// Of a pool that was not made for such handles, as the default one.
cudaError_t cudaMemPoolExportToShareableHandle(void* handle, cudaMemPool_t pool,
                                               cudaMemAllocationHandleType type, unsigned flags) {
    if (handle == nullptr || pool == nullptr || flags != 0 || type == cudaMemHandleTypeNone ||
        (pool->handles & type) == 0)
        return set_error(cudaErrorInvalidValue);
    fail("unsupported", "memory shared between processes: cudaMemPoolExportToShareableHandle");
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
    if (pool == nullptr || pool == default_pool()) return set_error(cudaErrorInvalidValue);
    const std::lock_guard lock(in_use());
    if (current == pool) current = nullptr;
    for (auto owner = owners().begin(); owner != owners().end();)
        owner = owner->second == pool ? owners().erase(owner) : std::next(owner);
    delete pool;
    return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t kept) {
    if (pool == nullptr) return set_error(cudaErrorInvalidValue);
    const std::lock_guard lock(in_use());
    pool->trim(kept);
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    if (pool == nullptr || value == nullptr) return set_error(cudaErrorInvalidValue);
    const std::lock_guard lock(in_use());
    if (is_switch(attribute)) {
        pool->switches[attribute] = *static_cast<int*>(value);
        return cudaSuccess;
    }
    const std::uint64_t number = *static_cast<std::uint64_t*>(value);
    if (attribute == cudaMemPoolAttrReleaseThreshold) {
        pool->threshold = number;
    } else if (attribute == cudaMemPoolAttrReservedMemHigh && number == 0) {
        pool->reserved_high = pool->reserved;
    } else if (attribute == cudaMemPoolAttrUsedMemHigh && number == 0) {
        pool->used_high = pool->used;
    } else {
        return set_error(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    if (pool == nullptr || value == nullptr) return set_error(cudaErrorInvalidValue);
    const std::lock_guard lock(in_use());
    if (is_switch(attribute)) {
        const auto found = pool->switches.find(attribute);
        *static_cast<int*>(value) = found == pool->switches.end() ? 1 : found->second;
        return cudaSuccess;
    }
    std::uint64_t number = 0;
    switch (attribute) {
        case cudaMemPoolAttrReleaseThreshold: number = pool->threshold; break;
        case cudaMemPoolAttrReservedMemCurrent: number = pool->reserved; break;
        case cudaMemPoolAttrReservedMemHigh: number = pool->reserved_high; break;
        case cudaMemPoolAttrUsedMemCurrent: number = pool->used; break;
        case cudaMemPoolAttrUsedMemHigh: number = pool->used_high; break;
        default: return set_error(cudaErrorInvalidValue);
    }
    *static_cast<std::uint64_t*>(value) = number;
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc*, std::size_t) {
    return set_error(pool == nullptr ? cudaErrorInvalidValue : cudaSuccess);
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool,
                                 cudaMemLocation* location) {
    if (flags == nullptr || pool == nullptr || location == nullptr)
        return set_error(cudaErrorInvalidValue);
    const bool is_device = location->type == cudaMemLocationTypeDevice && location->id == 0;
    *flags = is_device ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
}

cudaError_t cudaMallocFromPoolAsync(void** p, std::size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
    if (pool == nullptr || p == nullptr) return set_error(cudaErrorInvalidValue);
    if (const cudaError_t error = refused_by_stream(stream); error != cudaSuccess)
        return set_error(error);
    if (is_capturing(stream) && bytes != 0) {
        if (const cudaError_t error = allocate_for_graph(p, bytes); error != cudaSuccess)
            return error;
        captured(stream, memory_node, taking(*p));
        note_memory(stream, *p, bytes);
        return cudaSuccess;
    }
    const std::lock_guard lock(in_use());
    if (!pool->has_room(bytes)) return set_error(cudaErrorMemoryAllocation);
    const inside_call parts;
    if (const cudaError_t error = cudaMalloc(p, bytes); error != cudaSuccess) return error;
    if (*p == nullptr) return cudaSuccess;
    races::forget(*p, bytes);
    pool->take(*p, bytes);
    owners()[*p] = pool;
    return cudaSuccess;
}

cudaError_t cudaMallocAsync(void** p, std::size_t bytes, cudaStream_t stream) {
    return cudaMallocFromPoolAsync(p, bytes, current == nullptr ? default_pool() : current, stream);
}

cudaError_t cudaFreeAsync(void* p, cudaStream_t stream) {
    if (const cudaError_t error = refused_by_stream(stream); error != cudaSuccess)
        return set_error(error);
    if (is_capturing(stream) && !is_graph_memory(p)) return set_error(cudaErrorInvalidValue);
    if (is_capturing(stream)) {
        captured(stream, free_node, giving_back(p));
        note_memory(stream, p, 0);
        return cudaSuccess;
    }
    look_at_second_free("cudaFreeAsync", p, __builtin_return_address(0));
    leave_pool(p);
    if (!is_graph_memory(p) && do_behind(stream, [p] { return cudaFree(p); }))
        return set_error(error_that_was_met());
    const inside_call parts;
    const races::stream_work in_turn(stream);
    if (allocation found; races::are_on && find_allocation(p, found)) races::frees(p, found.bytes);
    return cudaFree(p);
}

}  // extern "C"
