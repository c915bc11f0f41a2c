// The driver API's virtual memory: addresses are reserved as a piece of device memory, and a handle
// is what is kept of a mapping: its contents while it is mapped nowhere.
#include <cuda.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "asynchronous_streams.h"
#include "checks.h"
#include "cuset_host/cuda_types.h"
#include "cuset_host/device_memory.h"
#include "cuset_host/execution.h"
#include "cuset_host/faults.h"
#include "device_model.h"

using namespace cuset_host;

namespace {

constexpr std::size_t granularity = std::size_t{2} << 20;

struct physical {
    std::size_t bytes = 0;
    CUmemAllocationProp about{};
    std::uintptr_t mapped_at = 0;      // 0: nowhere
    std::vector<unsigned char> saved;  // while it is mapped nowhere
    bool has_contents = false;
    int references = 1;  // a mapping is not one
};

struct range {
    void* allocation = nullptr;
    std::size_t bytes = 0;
};

struct mapping {
    std::size_t bytes = 0;
    physical* of = nullptr;
    unsigned long long access = 0;
};

std::mutex& guard() {
    static std::mutex& made = *new std::mutex;
    return made;
}
std::map<std::uintptr_t, range>& ranges() {
    static auto& made = *new std::map<std::uintptr_t, range>;
    return made;
}
std::map<std::uintptr_t, mapping>& mappings() {
    static auto& made = *new std::map<std::uintptr_t, mapping>;
    return made;
}

bool is_whole(std::size_t bytes) { return bytes != 0 && bytes % granularity == 0; }

/// The reserved range that holds [p, p + bytes).
bool is_reserved(std::uintptr_t p, std::size_t bytes) {
    const auto next = ranges().upper_bound(p);
    if (next == ranges().begin()) return false;
    const auto& [begin, of] = *std::prev(next);
    return p - begin <= of.bytes && bytes <= of.bytes - (p - begin);
}

/// Whether the mappings from p on fill [p, p + bytes), and end there.
bool are_mapped(std::uintptr_t p, std::size_t bytes) {
    std::size_t done = 0;
    while (done < bytes) {
        const auto found = mappings().find(p + done);
        if (found == mappings().end()) return false;
        done += found->second.bytes;
    }
    return done == bytes;
}

bool is_anything_mapped(std::uintptr_t p, std::size_t bytes) {
    const auto next = mappings().lower_bound(p);
    if (next != mappings().end() && next->first < p + bytes) return true;
    if (next == mappings().begin()) return false;
    const auto& [begin, of] = *std::prev(next);
    return begin + of.bytes > p;
}

void drop_unused(physical* of) {
    if (of->references == 0 && of->mapped_at == 0) delete of;
}

physical* of_handle(CUmemGenericAllocationHandle handle) {
    return reinterpret_cast<physical*>(static_cast<std::uintptr_t>(handle));
}

}  // namespace

extern "C" {

CUresult cuMemGetAllocationGranularity(std::size_t* bytes, const CUmemAllocationProp* about,
                                       CUmemAllocationGranularity_flags) {
    if (bytes == nullptr || about == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *bytes = granularity;
    return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr* p, std::size_t bytes, std::size_t alignment, CUdeviceptr,
                             unsigned long long flags) {
    if (p == nullptr || !is_whole(bytes) || flags != 0 || (alignment & (alignment - 1)) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    const std::size_t to = alignment < granularity ? granularity : alignment;
    void* made = allocate(bytes + to, memory_kind::reserved);
    if (made == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(made) + to - 1) / to * to;
    const std::lock_guard lock(guard());
    ranges()[begin] = {made, bytes};
    *p = begin;
    return CUDA_SUCCESS;
}

CUresult cuMemAddressFree(CUdeviceptr p, std::size_t bytes) {
    const std::lock_guard lock(guard());
    const auto found = ranges().find(p);
    if (found == ranges().end() || found->second.bytes != bytes || is_anything_mapped(p, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    release(found->second.allocation, memory_kind::reserved);
    ranges().erase(found);
    return CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, std::size_t bytes,
                     const CUmemAllocationProp* about, unsigned long long flags) {
    if (handle == nullptr || about == nullptr || !is_whole(bytes) || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (about->type != CU_MEM_ALLOCATION_TYPE_PINNED) return CUDA_ERROR_INVALID_VALUE;
    if (about->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
        fail("unsupported", "cuMemCreate of the host's memory");
    if (about->location.id != 0) return CUDA_ERROR_INVALID_DEVICE;
    if (bytes > device().memory) return CUDA_ERROR_OUT_OF_MEMORY;
    auto* made = new physical;
    made->bytes = bytes;
    made->about = *about;
    *handle = static_cast<CUmemGenericAllocationHandle>(reinterpret_cast<std::uintptr_t>(made));
    return CUDA_SUCCESS;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
    const std::lock_guard lock(guard());
    physical* of = of_handle(handle);
    if (of == nullptr || of->references == 0) return CUDA_ERROR_INVALID_VALUE;
    --of->references;
    drop_unused(of);
    return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr p, std::size_t bytes, std::size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags) {
    const std::lock_guard lock(guard());
    physical* of = of_handle(handle);
    if (of == nullptr || flags != 0 || p % granularity != 0 || offset != 0 || bytes != of->bytes ||
        !is_reserved(p, bytes) || is_anything_mapped(p, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    if (of->mapped_at != 0) fail("unsupported", "cuMemMap of one handle in two places");
    of->mapped_at = p;
    mappings()[p] = {bytes, of, 0};
    checks::allocated(p, bytes, of->has_contents);
    if (of->has_contents) {
        const device_access open;
        std::memcpy(reinterpret_cast<void*>(p), of->saved.data(), bytes);
    }
    of->saved = {};
    return CUDA_SUCCESS;
}

CUresult cuMemUnmap(CUdeviceptr p, std::size_t bytes) {
    set_error(wait_for_all_streams());
    const std::lock_guard lock(guard());
    if (!are_mapped(p, bytes)) return CUDA_ERROR_INVALID_VALUE;
    for (std::size_t done = 0; done < bytes;) {
        const auto found = mappings().find(p + done);
        physical* of = found->second.of;
        if (of->references != 0) {
            const device_access open;
            const auto* from = reinterpret_cast<const unsigned char*>(p + done);
            of->saved.assign(from, from + of->bytes);
            of->has_contents = true;
        }
        of->mapped_at = 0;
        drop_unused(of);
        done += found->second.bytes;
        mappings().erase(found);
    }
    return CUDA_SUCCESS;
}

CUresult cuMemSetAccess(CUdeviceptr p, std::size_t bytes, const CUmemAccessDesc* about,
                        std::size_t count) {
    const std::lock_guard lock(guard());
    if (about == nullptr || count == 0 || !are_mapped(p, bytes)) return CUDA_ERROR_INVALID_VALUE;
    for (std::size_t i = 0; i < count; ++i) {
        if (about[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || about[i].location.id != 0)
            fail("unsupported", "cuMemSetAccess for another place than the device");
        for (std::size_t done = 0; done < bytes;) {
            mapping& of = mappings().at(p + done);
            of.access = static_cast<unsigned long long>(about[i].flags);
            done += of.bytes;
        }
    }
    return CUDA_SUCCESS;
}

CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation* location, CUdeviceptr p) {
    const std::lock_guard lock(guard());
    if (flags == nullptr || location == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto next = mappings().upper_bound(p);
    if (next == mappings().begin()) return CUDA_ERROR_INVALID_VALUE;
    const auto& [begin, of] = *std::prev(next);
    if (p - begin >= of.bytes) return CUDA_ERROR_INVALID_VALUE;
    *flags = of.access;
    return CUDA_SUCCESS;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* p) {
    const std::lock_guard lock(guard());
    const auto next = mappings().upper_bound(reinterpret_cast<std::uintptr_t>(p));
    if (handle == nullptr || next == mappings().begin()) return CUDA_ERROR_INVALID_VALUE;
    const auto& [begin, of] = *std::prev(next);
    if (reinterpret_cast<std::uintptr_t>(p) - begin >= of.bytes) return CUDA_ERROR_INVALID_VALUE;
    ++of.of->references;
    *handle = static_cast<CUmemGenericAllocationHandle>(reinterpret_cast<std::uintptr_t>(of.of));
    return CUDA_SUCCESS;
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* about,
                                                CUmemGenericAllocationHandle handle) {
    if (about == nullptr || of_handle(handle) == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *about = of_handle(handle)->about;
    return CUDA_SUCCESS;
}

}  // extern "C"
