// The driver API's virtual memory: addresses are reserved as a piece of device memory, and a handle
// is what is kept of a mapping: its contents while it is mapped nowhere.
#include <cuda.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "checks/checks.h"
#include "core/system_calls.h"
#include "cuset_host/cuda_types.h"
#include "cuset_host/device_memory.h"
#include "cuset_host/faults.h"
#include "cuset_host/threads/execution.h"
#include "device/device_model.h"
#include "memory/kernel_stores.h"
#include "streams/asynchronous_streams.h"

using namespace cuset_host;

namespace {

constexpr std::size_t granularity = std::size_t{2} << 20;

struct physical {
    std::size_t bytes = 0;
    CUmemAllocationProp about{};
    std::vector<std::uintptr_t> mapped_at;
    bool is_shared = false;            // its pages are those of several places
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
    physical* pages = nullptr;
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
    const auto& [begin, range] = *std::prev(next);
    return p - begin <= range.bytes && bytes <= range.bytes - (p - begin);
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
    const auto& [begin, range] = *std::prev(next);
    return begin + range.bytes > p;
}

void drop_unused(physical* pages) {
    if (pages->references == 0 && pages->mapped_at.empty()) delete pages;
}

[[noreturn]] void no_pages() { fail("unsupported", "no memory for another mapping of a handle"); }

bool has_failed(long result) { return result < 0 && result > -4096; }

/// Replaces what is mapped at p by pages of zeros: the file's, or where it is -1, by pages of its
/// own.
void map_fresh(std::uintptr_t p, std::size_t bytes, int file) {
    const int flags = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
    if (has_failed(system_call(SYS_mmap, static_cast<long>(p), static_cast<long>(bytes),
                               PROT_READ | PROT_WRITE, MAP_FIXED | flags, file)))
        no_pages();
    protect_plainly(p, bytes, PROT_READ | PROT_WRITE, device_key());
}

/// A file without a name: a sandbox may refuse pages that several places share and no file has.
int file_of(std::size_t bytes) {
    const char* const name = ".cuset-host-pages";
    const long file = system_call(SYS_open, reinterpret_cast<long>(name),
                                  O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (has_failed(file)) no_pages();
    system_call(SYS_unlink, reinterpret_cast<long>(name));
    if (has_failed(system_call(SYS_ftruncate, file, static_cast<long>(bytes)))) no_pages();
    return static_cast<int>(file);
}

/// Makes the pages of a handle that is mapped those of a second place too. All of it counts as
/// set: what one place writes is not known at the other.
void map_again(physical& pages, std::uintptr_t p) {
    const device_access open;
    const std::uintptr_t first = pages.mapped_at.front();
    auto* const at = reinterpret_cast<unsigned char*>(first);
    device_copies(at, at, pages.bytes);  // may be closed to stores
    if (!pages.is_shared) {
        const std::vector<unsigned char> kept(at, at + pages.bytes);
        const int file = file_of(pages.bytes);
        map_fresh(first, pages.bytes, file);
        system_call(SYS_close, file);
        std::memcpy(at, kept.data(), pages.bytes);
        pages.is_shared = true;
    }
    auto* const to = reinterpret_cast<void*>(p);
    device_copies(to, at, pages.bytes);
    // Of length 0 an old mapping stays, and the new one is of the same pages.
    if (has_failed(system_call(SYS_mremap, static_cast<long>(first), 0,
                               static_cast<long>(pages.bytes), MREMAP_MAYMOVE | MREMAP_FIXED,
                               static_cast<long>(p))))
        no_pages();
    protect_plainly(p, pages.bytes, PROT_READ | PROT_WRITE, device_key());
    checks::allocated(first, pages.bytes, true);
    checks::allocated(p, pages.bytes, true);
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
    physical* pages = of_handle(handle);
    if (pages == nullptr || pages->references == 0) return CUDA_ERROR_INVALID_VALUE;
    --pages->references;
    drop_unused(pages);
    return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr p, std::size_t bytes, std::size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags) {
    const std::lock_guard lock(guard());
    physical* pages = of_handle(handle);
    if (pages == nullptr || flags != 0 || p % granularity != 0 || offset != 0 ||
        bytes != pages->bytes || !is_reserved(p, bytes) || is_anything_mapped(p, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    mappings()[p] = {bytes, pages, 0};
    if (!pages->mapped_at.empty()) {
        map_again(*pages, p);
        pages->mapped_at.push_back(p);
        return CUDA_SUCCESS;
    }
    pages->mapped_at.push_back(p);
    checks::allocated(p, bytes, pages->has_contents);
    if (pages->has_contents) {
        const device_access open;
        std::memcpy(reinterpret_cast<void*>(p), pages->saved.data(), bytes);
    }
    pages->saved = {};
    return CUDA_SUCCESS;
}

CUresult cuMemUnmap(CUdeviceptr p, std::size_t bytes) {
    set_error(wait_for_all_streams());
    const std::lock_guard lock(guard());
    if (!are_mapped(p, bytes)) return CUDA_ERROR_INVALID_VALUE;
    for (std::size_t done = 0; done < bytes;) {
        const auto found = mappings().find(p + done);
        physical* pages = found->second.pages;
        const bool is_last = pages->mapped_at.size() == 1;
        if (pages->references != 0 && is_last) {
            const device_access open;
            const auto* from = reinterpret_cast<const unsigned char*>(p + done);
            pages->saved.assign(from, from + pages->bytes);
            pages->has_contents = true;
        }
        auto& places = pages->mapped_at;
        places.erase(std::find(places.begin(), places.end(), p + done));
        if (pages->is_shared) {
            const device_access open;
            map_fresh(p + done, pages->bytes, -1);
            pages->is_shared = !is_last;
        }
        drop_unused(pages);
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
            mapping& entry = mappings().at(p + done);
            entry.access = static_cast<unsigned long long>(about[i].flags);
            done += entry.bytes;
        }
    }
    return CUDA_SUCCESS;
}

CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation* location, CUdeviceptr p) {
    const std::lock_guard lock(guard());
    if (flags == nullptr || location == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto next = mappings().upper_bound(p);
    if (next == mappings().begin()) return CUDA_ERROR_INVALID_VALUE;
    const auto& [begin, entry] = *std::prev(next);
    if (p - begin >= entry.bytes) return CUDA_ERROR_INVALID_VALUE;
    *flags = entry.access;
    return CUDA_SUCCESS;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* p) {
    const std::lock_guard lock(guard());
    const auto next = mappings().upper_bound(reinterpret_cast<std::uintptr_t>(p));
    if (handle == nullptr || next == mappings().begin()) return CUDA_ERROR_INVALID_VALUE;
    const auto& [begin, entry] = *std::prev(next);
    if (reinterpret_cast<std::uintptr_t>(p) - begin >= entry.bytes) return CUDA_ERROR_INVALID_VALUE;
    ++entry.pages->references;
    *handle =
        static_cast<CUmemGenericAllocationHandle>(reinterpret_cast<std::uintptr_t>(entry.pages));
    return CUDA_SUCCESS;
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* about,
                                                CUmemGenericAllocationHandle handle) {
    if (about == nullptr || of_handle(handle) == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *about = of_handle(handle)->about;
    return CUDA_SUCCESS;
}

}  // extern "C"
