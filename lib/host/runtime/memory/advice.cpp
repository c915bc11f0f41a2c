// The runtime API: where managed memory should be. Its place makes no difference here, so advice is
// only kept, and given back when asked for.
#include <iterator>
#include <map>
#include <mutex>

#include "cuset_host/cuda_types.h"
#include "cuset_host/device_memory.h"
#include "cuset_host/faults.h"
#include "cuset_host/threads/execution.h"

using namespace cuset_host;

namespace {

/// The advice for a part of an allocation.
struct advice {
    bool read_mostly = false, accessed_by_host = false, accessed_by_device = false;
    int preferred = cudaInvalidDeviceId, prefetched_to = cudaInvalidDeviceId;
    cudaMemLocation preferred_place{cudaMemLocationTypeInvalid, 0};
    cudaMemLocation prefetched_place{cudaMemLocationTypeInvalid, 0};
};

bool operator==(const cudaMemLocation& a, const cudaMemLocation& b) {
    return a.type == b.type && a.id == b.id;
}

bool is_no_device(const cudaMemLocation& place) {
    return place.type == cudaMemLocationTypeDevice && place.id != 0;
}
int place_of(const cudaMemLocation& place) {
    return place.type == cudaMemLocationTypeDevice ? place.id : cudaCpuDeviceId;
}

/// The parts of an allocation, each from its address to the next one's.
using parts = std::map<std::uintptr_t, advice>;

/// By the allocation's number.
std::map<std::uint64_t, parts>& all_parts() {
    static auto& made = *new std::map<std::uint64_t, parts>;
    return made;
}

std::mutex& parts_in_use() {
    static auto& made = *new std::mutex;
    return made;
}

/// Calls look(advice) for each part of the pages that hold the range, which begin and end parts of
/// their own. False where it is no managed memory.
template <class F>
bool for_each_part(const void* p, std::size_t bytes, const F& look) {
    constexpr std::uintptr_t page = 4096;
    const std::lock_guard lock(parts_in_use());
    if (bytes == 0 || kind_of(p) != memory_kind::managed || !is_within(p, bytes)) return false;
    allocation owner;
    find_allocation(p, owner);  // none for variables, which share an entry
    parts& its = all_parts()[owner.number];
    if (its.empty()) its[0] = {};
    const auto from = reinterpret_cast<std::uintptr_t>(p);
    const auto begin_part = [&](std::uintptr_t at) {
        const advice before = std::prev(its.upper_bound(at))->second;
        return its.try_emplace(at, before).first;
    };
    const std::uintptr_t offset = from - owner.begin;  // allocations begin pages on a device
    const auto last = begin_part(owner.begin + (offset + bytes + page - 1) / page * page),
               first = begin_part(owner.begin + offset / page * page);
    for (auto part = first; part != last; ++part) look(part->second);
    return true;
}

/// The value that all parts of the range have, or `other`.
template <class T>
bool common_value(const void* p, std::size_t bytes, T advice::*which, T other, T& found) {
    bool is_first = true;
    return for_each_part(p, bytes, [&](const advice& part) {
        found = is_first || found == part.*which ? part.*which : other;
        is_first = false;
    });
}

}  // namespace

extern "C" {

cudaError_t cudaMemPrefetchAsync(const void* p, std::size_t bytes, cudaMemLocation to,
                                 unsigned flags, cudaStream_t) {
    if (flags != 0) return set_error(cudaErrorInvalidValue);
    if (is_no_device(to)) return set_error(cudaErrorInvalidDevice);
    const bool is_managed = for_each_part(p, bytes, [&](advice& part) {
        part.prefetched_to = place_of(to);
        part.prefetched_place = to;
    });
    return set_error(is_managed ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemAdvise(const void* p, std::size_t bytes, cudaMemoryAdvise advised,
                          cudaMemLocation place) {
    const bool has_place = advised == cudaMemAdviseSetPreferredLocation ||
                           advised == cudaMemAdviseSetAccessedBy ||
                           advised == cudaMemAdviseUnsetAccessedBy;
    if (has_place && is_no_device(place)) return set_error(cudaErrorInvalidDevice);
    const bool is_host = place_of(place) == cudaCpuDeviceId;
    bool is_known = true;
    const bool is_managed = for_each_part(p, bytes, [&](advice& part) {
        bool& accessed = is_host ? part.accessed_by_host : part.accessed_by_device;
        switch (advised) {
            case cudaMemAdviseSetReadMostly: part.read_mostly = true; break;
            case cudaMemAdviseUnsetReadMostly: part.read_mostly = false; break;
            case cudaMemAdviseSetPreferredLocation:
                part.preferred = place_of(place);
                part.preferred_place = place;
                break;
            case cudaMemAdviseUnsetPreferredLocation:
                part.preferred = cudaInvalidDeviceId;
                part.preferred_place = advice().preferred_place;
                break;
            case cudaMemAdviseSetAccessedBy: accessed = true; break;
            case cudaMemAdviseUnsetAccessedBy: accessed = false; break;
            default: is_known = false;
        }
    });
    return set_error(is_managed && is_known ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemRangeGetAttribute(void* to, std::size_t size, cudaMemRangeAttribute attribute,
                                     const void* p, std::size_t bytes) {
    if (to == nullptr || size < sizeof(int) || size % sizeof(int) != 0)
        return set_error(cudaErrorInvalidValue);
    auto* const numbers = static_cast<int*>(to);
    bool is_managed = false, is_set = false;
    int found = 0;
    switch (attribute) {
        case cudaMemRangeAttributeReadMostly:
            is_managed = common_value(p, bytes, &advice::read_mostly, false, is_set);
            *numbers = is_set ? 1 : 0;
            break;
        case cudaMemRangeAttributePreferredLocation:
        case cudaMemRangeAttributeLastPrefetchLocation:
            is_managed = common_value(p, bytes,
                                      attribute == cudaMemRangeAttributePreferredLocation
                                          ? &advice::preferred
                                          : &advice::prefetched_to,
                                      int{cudaInvalidDeviceId}, found);
            *numbers = found;
            break;
        case cudaMemRangeAttributeAccessedBy: {
            std::size_t next = 0;
            const std::size_t most = size / sizeof(int);
            for (std::size_t i = 0; i < most; ++i) numbers[i] = cudaInvalidDeviceId;
            is_managed = common_value(p, bytes, &advice::accessed_by_device, false, is_set);
            if (is_set && next < most) numbers[next++] = 0;
            common_value(p, bytes, &advice::accessed_by_host, false, is_set);
            if (is_set && next < most) numbers[next] = cudaCpuDeviceId;
            break;
        }
#if CUDART_VERSION >= 12000
        case cudaMemRangeAttributePreferredLocationType:
        case cudaMemRangeAttributePreferredLocationId:
        case cudaMemRangeAttributeLastPrefetchLocationType:
        case cudaMemRangeAttributeLastPrefetchLocationId: {
            const bool is_preferred = attribute == cudaMemRangeAttributePreferredLocationType ||
                                      attribute == cudaMemRangeAttributePreferredLocationId;
            cudaMemLocation place{};
            is_managed = common_value(
                p, bytes, is_preferred ? &advice::preferred_place : &advice::prefetched_place,
                advice().preferred_place, place);
            *numbers = attribute == cudaMemRangeAttributePreferredLocationType ||
                               attribute == cudaMemRangeAttributeLastPrefetchLocationType
                           ? static_cast<int>(place.type)
                           : place.id;
            break;
        }
#endif
        default: fail("unsupported", "cudaMemRangeGetAttribute of this attribute");
    }
    return set_error(is_managed ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemRangeGetAttributes(void** to, std::size_t* sizes,
                                      cudaMemRangeAttribute* attributes, std::size_t count,
                                      const void* p, std::size_t bytes) {
    for (std::size_t i = 0; i < count; ++i)
        if (const cudaError_t error =
                cudaMemRangeGetAttribute(to[i], sizes[i], attributes[i], p, bytes))
            return error;
    return cudaSuccess;
}

}  // extern "C"
