// The runtime API: allocating and copying.
#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "checks/checks.h"
#include "cuset_host/cuda_types.h"
#include "cuset_host/device_memory.h"
#include "cuset_host/faults.h"
#include "cuset_host/threads/execution.h"
#include "device/device_model.h"
#include "freed_twice.h"
#include "host_words.h"
#include "kernel_stores.h"
#include "pool_memory.h"
#include "races/races.h"
#include "streams/asynchronous_streams.h"
#include "streams/graph_memory.h"
#include "streams/graphs.h"

using namespace cuset_host;

namespace {

bool is_on_device(memory_kind kind) {
    return kind == memory_kind::device || kind == memory_kind::managed ||
           kind == memory_kind::symbol;
}

bool is_on_host(memory_kind kind) {
    return kind == memory_kind::host || kind == memory_kind::pinned || kind == memory_kind::managed;
}

/// Whether a copy of this kind may have these ends: a device looks at the addresses.
bool direction_is_right(const void* to, const void* from, cudaMemcpyKind kind) {
    const memory_kind t = kind_of(to), f = kind_of(from);
    switch (kind) {
        case cudaMemcpyHostToHost: return is_on_host(t) && is_on_host(f);
        case cudaMemcpyHostToDevice:
            return !is_on_host(t) || t == memory_kind::managed
                       ? is_on_host(f) || f == memory_kind::managed
                       : false;
        case cudaMemcpyDeviceToHost: return is_on_host(t) && is_on_device(f);
        case cudaMemcpyDeviceToDevice: return is_on_device(t) && is_on_device(f);
        case cudaMemcpyDefault: return true;
    }
    return false;
}

/// What a device says of the copy before it makes it.
cudaError_t error_of_copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    if (bytes == 0) return cudaSuccess;
    if (to == nullptr || from == nullptr || !is_within(to, bytes) || !is_within(from, bytes))
        return cudaErrorInvalidValue;
    if (static_cast<int>(kind) < 0 || static_cast<int>(kind) > static_cast<int>(cudaMemcpyDefault))
        return cudaErrorInvalidMemcpyDirection;
    return direction_is_right(to, from, kind) ? cudaSuccess : cudaErrorInvalidValue;
}

/// With is_made false it is only looked at. `whole`: the bytes of the call, if these are a part.
cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                 bool is_made = true, std::size_t whole = 0) {
    if (const cudaError_t error = error_of_copy(to, from, bytes, kind);
        error != cudaSuccess || bytes == 0 || !is_made)
        return error;
    if (const cudaError_t error = wait_for_stream(nullptr); error != cudaSuccess) return error;
    const device_access open;
    races::copies(to, from, bytes);
    note_copy(to, from, bytes, [&] { std::memmove(to, from, bytes); });
    checks::copied(to, from, bytes);
    look_at_copied_words(to, from, bytes, std::max(bytes, whole));
    return cudaSuccess;
}

cudaError_t copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                      std::size_t width, std::size_t height, cudaMemcpyKind kind,
                      bool is_made = true) {
    if (width == 0 || height == 0) return cudaSuccess;
    if (width > to_pitch || width > from_pitch) return cudaErrorInvalidPitchValue;
    for (std::size_t y = 0; y < height; ++y) {
        const cudaError_t error = copy(static_cast<char*>(to) + y * to_pitch,
                                       static_cast<const char*>(from) + y * from_pitch, width, kind,
                                       is_made, width * height);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}

cudaError_t make(void** p, std::size_t bytes, memory_kind kind) {
    reach_device();
    if (p == nullptr) return cudaErrorInvalidValue;
    if (const cudaError_t error = lost_device_error(); error != cudaSuccess) return error;
    if (const cudaError_t error = unsafe_in_capture(); error != cudaSuccess) return error;
    if (bytes == 0) {
        *p = nullptr;
        return cudaSuccess;
    }
    void* made = allocate(bytes, kind);
    if (made == nullptr) return cudaErrorMemoryAllocation;
    *p = made;
    return cudaSuccess;
}

/// What a device says of the fill before it makes it.
cudaError_t error_of_fill(void* p, std::size_t bytes) {
    if (bytes == 0) return cudaSuccess;
    return p == nullptr || !is_within(p, bytes) || kind_of(p) == memory_kind::host
               ? cudaErrorInvalidValue
               : cudaSuccess;
}

cudaError_t fill(void* p, int value, std::size_t bytes) {
    if (const cudaError_t error = error_of_fill(p, bytes); error != cudaSuccess || bytes == 0)
        return error;
    // The call does not wait for the default stream if only the device sees the memory.
    std::optional<races::stream_work> in_turn;
    if (kind_of(p) == memory_kind::device) {
        if (do_behind(nullptr, [=] { return fill(p, value, bytes); })) return error_that_was_met();
        in_turn.emplace(nullptr);
    }
    if (const cudaError_t error = wait_for_stream(nullptr); error != cudaSuccess) return error;
    const device_access open;
    races::copies(p, nullptr, bytes);
    host_writes(p, bytes);
    std::memset(p, value, bytes);
    checks::written(p, bytes);
    return cudaSuccess;
}

constexpr std::size_t row_alignment = 512;

}  // namespace

namespace {

/// The flags that cudaHostAlloc and cudaHostRegister were given, by address.
struct registered_flags {
    std::mutex mutex{};
    std::map<std::uintptr_t, unsigned> by_address{};
};
registered_flags& host_flags() {
    static registered_flags& made = *new registered_flags;
    return made;
}
void keep_host_flags(const void* p, unsigned flags) {
    const std::lock_guard lock(host_flags().mutex);
    host_flags().by_address[reinterpret_cast<std::uintptr_t>(p)] = flags;
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** p, std::size_t bytes) {
    return set_error(make(p, bytes, memory_kind::device));
}

cudaError_t cudaMallocManaged(void** p, std::size_t bytes, unsigned) {
    return set_error(bytes == 0 ? cudaErrorInvalidValue : make(p, bytes, memory_kind::managed));
}

cudaError_t cudaMallocHost(void** p, std::size_t bytes) {
    return set_error(make(p, bytes, memory_kind::pinned));
}

cudaError_t cudaHostAlloc(void** p, std::size_t bytes, unsigned flags) {
    const cudaError_t error = make(p, bytes, memory_kind::pinned);
    if ((flags & cudaHostAllocMapped) != 0) asks_for_asynchronous_streams();
    if (error == cudaSuccess) keep_host_flags(*p, flags);
    return set_error(error);
}

cudaError_t cudaMallocPitch(void** p, std::size_t* pitch, std::size_t width, std::size_t height) {
    if (pitch == nullptr) return set_error(cudaErrorInvalidValue);
    *pitch = (width + row_alignment - 1) / row_alignment * row_alignment;
    return set_error(make(p, *pitch * height, memory_kind::device));
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* p, cudaExtent extent) {
    if (p == nullptr) return set_error(cudaErrorInvalidValue);
    p->xsize = extent.width;
    p->ysize = extent.height;
    p->pitch = (extent.width + row_alignment - 1) / row_alignment * row_alignment;
    return set_error(make(&p->ptr, p->pitch * extent.height * extent.depth, memory_kind::device));
}

cudaError_t cudaFree(void* p) {
    reach_device();
    if (p == nullptr) return cudaSuccess;
    if (const cudaError_t error = unsafe_in_capture(); error != cudaSuccess)
        return set_error(error);
    if (const cudaError_t error = wait_for_all_streams(); error != cudaSuccess)
        return set_error(error);
    if (cudaError_t error{}; is_given_back_to_graph(p, error)) return set_error(error);
    leave_pool(p);
    const bool done = release(p, memory_kind::device) || release(p, memory_kind::managed);
    if (!done) look_at_second_free("cudaFree", p, __builtin_return_address(0));
    return set_error(done ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaFreeHost(void* p) {
    if (p == nullptr) return cudaSuccess;
    if (const cudaError_t error = unsafe_in_capture(); error != cudaSuccess)
        return set_error(error);
    if (const cudaError_t error = wait_for_all_streams(); error != cudaSuccess)
        return set_error(error);
    const bool done = release(p, memory_kind::pinned);
    if (!done) look_at_second_free("cudaFreeHost", p, __builtin_return_address(0));
    return set_error(done ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* p, unsigned flags) {
    if (flags != 0 || kind_of(p) != memory_kind::pinned) return set_error(cudaErrorInvalidValue);
    asks_for_asynchronous_streams();
    *device_pointer = p;
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    if (const cudaError_t error = refused_copy(); error != cudaSuccess) return set_error(error);
    if (kind_of(to) == memory_kind::device && kind_of(from) == memory_kind::device)
        return cudaMemcpyAsync(to, from, bytes, kind, nullptr);  // CUDA does not wait for it
    return set_error(copy(to, from, bytes, kind));
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
    if (const cudaError_t error = refused_by_stream(stream); error != cudaSuccess)
        return set_error(error);
    if (streams_are_asynchronous() && !is_capturing(stream)) {
        if (const cudaError_t error = error_of_copy(to, from, bytes, kind); error != cudaSuccess)
            return set_error(error);
        if (kind_of(from) == memory_kind::host && kind_of(to) == memory_kind::device) {
            // CUDA has read pageable memory when the call returns.
            const auto* const begin = static_cast<const char*>(from);
            do_behind(stream, [=, kept = std::vector<char>(begin, begin + bytes)] {
                return copy(to, kept.data(), bytes, kind);
            });
            return set_error(error_that_was_met());
        }
    }
    return copy_in_stream(stream, to, from, [=] { return copy(to, from, bytes, kind); });
}

cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    if (const cudaError_t error = refused_copy(); error != cudaSuccess) return set_error(error);
    return set_error(copy_rows(to, to_pitch, from, from_pitch, width, height, kind));
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
    return checked_copy_in_stream(stream, to, from, [=](bool is_made) {
        return copy_rows(to, to_pitch, from, from_pitch, width, height, kind, is_made);
    });
}

cudaError_t cudaMemset(void* p, int value, std::size_t bytes) {
    if (const cudaError_t error = refused_copy(); error != cudaSuccess) return set_error(error);
    return set_error(fill(p, value, bytes));
}

cudaError_t cudaMemsetAsync(void* p, int value, std::size_t bytes, cudaStream_t stream) {
    if (streams_are_asynchronous() && !is_capturing(stream))
        if (const cudaError_t error = error_of_fill(p, bytes); error != cudaSuccess)
            return set_error(error);
    return captured_or_done(stream, cudaGraphNodeTypeMemset, [=] { return fill(p, value, bytes); });
}

cudaError_t cudaMemset2D(void* p, std::size_t pitch, int value, std::size_t width,
                         std::size_t height) {
    if (const cudaError_t error = refused_copy(); error != cudaSuccess) return set_error(error);
    if (width > pitch) return set_error(cudaErrorInvalidValue);
    for (std::size_t y = 0; y < height; ++y)
        if (const cudaError_t error = fill(static_cast<char*>(p) + y * pitch, value, width);
            error != cudaSuccess)
            return set_error(error);
    return cudaSuccess;
}

cudaError_t cudaMemset2DAsync(void* p, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream) {
    if (streams_are_asynchronous() && !is_capturing(stream)) {
        if (width > pitch) return set_error(cudaErrorInvalidValue);
        for (std::size_t y = 0; y < height; ++y)
            if (const cudaError_t error = error_of_fill(static_cast<char*>(p) + y * pitch, width);
                error != cudaSuccess)
                return set_error(error);
    }
    return captured_or_done(stream, cudaGraphNodeTypeMemset,
                            [=] { return cudaMemset2D(p, pitch, value, width, height); });
}

cudaError_t cudaMemset3D(cudaPitchedPtr p, int value, cudaExtent extent) {
    if (const cudaError_t error = refused_copy(); error != cudaSuccess) return set_error(error);
    for (std::size_t z = 0; z < extent.depth; ++z)
        if (const cudaError_t error =
                cudaMemset2D(static_cast<char*>(p.ptr) + z * p.pitch * p.ysize, p.pitch, value,
                             extent.width, extent.height);
            error != cudaSuccess)
            return error;
    return cudaSuccess;
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr p, int value, cudaExtent extent, cudaStream_t stream) {
    return captured_or_done(stream, cudaGraphNodeTypeMemset,
                            [=] { return cudaMemset3D(p, value, extent); });
}

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                           std::size_t bytes) {
    if (const cudaError_t error = refused_copy(); error != cudaSuccess) return set_error(error);
    if (to_device != 0 || from_device != 0) return set_error(cudaErrorInvalidDevice);
    return set_error(copy(to, from, bytes, cudaMemcpyDeviceToDevice));
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                std::size_t bytes, cudaStream_t stream) {
    if (to_device != 0 || from_device != 0) return set_error(cudaErrorInvalidDevice);
    return captured_or_done(stream, cudaGraphNodeTypeMemcpy, [=] {
        return cudaMemcpyPeer(to, to_device, from, from_device, bytes);
    });
}

cudaError_t cudaHostRegister(void* p, std::size_t bytes, unsigned flags) {
    if (const cudaError_t error = unsafe_in_capture(); error != cudaSuccess)
        return set_error(error);
    if (p == nullptr || bytes == 0) return set_error(cudaErrorInvalidValue);
    if (!pin(p, bytes)) return set_error(cudaErrorHostMemoryAlreadyRegistered);
    if ((flags & cudaHostRegisterMapped) != 0) asks_for_asynchronous_streams();
    keep_host_flags(p, flags);
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* p) {
    if (flags == nullptr || kind_of(p) != memory_kind::pinned)
        return set_error(cudaErrorInvalidValue);
    allocation holder;
    const bool is_made = find_allocation(p, holder);
    const std::lock_guard lock(host_flags().mutex);
    const auto& all = host_flags().by_address;
    const auto found = all.find(is_made ? holder.begin : reinterpret_cast<std::uintptr_t>(p));
    *flags = found == all.end() ? 0U : found->second;
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void* p) {
    if (const cudaError_t error = unsafe_in_capture(); error != cudaSuccess)
        return set_error(error);
    set_error(wait_for_all_streams());
    return set_error(unpin(p) ? cudaSuccess : cudaErrorHostMemoryNotRegistered);
}

// The place of managed memory makes no difference here: advice is only kept, for each allocation.
// A variable of the device is known by its address.
static cudaError_t symbol_error(const void* symbol, std::size_t bytes, std::size_t offset,
                                cudaMemcpyKind kind, cudaMemcpyKind natural) {
    const std::size_t whole = symbol == nullptr ? 0 : symbol_bytes(symbol);
    if (whole == 0) return cudaErrorInvalidSymbol;
    if (kind != natural && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    return offset > whole || bytes > whole - offset ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes,
                               std::size_t offset, cudaMemcpyKind kind) {
    symbol = real_symbol(symbol);
    if (const cudaError_t error = refused_copy(); error != cudaSuccess) return set_error(error);
    const cudaError_t error = symbol_error(symbol, bytes, offset, kind, cudaMemcpyHostToDevice);
    if (error != cudaSuccess) return set_error(error);
    return set_error(
        copy(const_cast<char*>(static_cast<const char*>(symbol)) + offset, from, bytes, kind));
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes,
                                    std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
    if (const cudaError_t error = refused_by_stream(stream); error != cudaSuccess)
        return set_error(error);
    const auto work = [=] { return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind); };
    if (!captured(stream, cudaGraphNodeTypeMemcpy, work)) {
        const inside_call parts;
        return work();
    }
    return set_error(wait_for_pageable(stream, symbol, from));
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes,
                                 std::size_t offset, cudaMemcpyKind kind) {
    symbol = real_symbol(symbol);
    if (const cudaError_t error = refused_copy(); error != cudaSuccess) return set_error(error);
    const cudaError_t error = symbol_error(symbol, bytes, offset, kind, cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) return set_error(error);
    return set_error(copy(to, static_cast<const char*>(symbol) + offset, bytes, kind));
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes,
                                      std::size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
    if (const cudaError_t error = refused_by_stream(stream); error != cudaSuccess)
        return set_error(error);
    const auto work = [=] { return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind); };
    if (!captured(stream, cudaGraphNodeTypeMemcpy, work)) {
        const inside_call parts;
        return work();
    }
    return set_error(wait_for_pageable(stream, to, symbol));
}

cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
    symbol = real_symbol(symbol);
    if (symbol_bytes(symbol) == 0) return set_error(cudaErrorInvalidSymbol);
    *address = const_cast<void*>(symbol);
    return cudaSuccess;
}

cudaError_t cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
    symbol = real_symbol(symbol);
    *bytes = symbol_bytes(symbol);
    return set_error(*bytes == 0 ? cudaErrorInvalidSymbol : cudaSuccess);
}

cudaError_t cudaMemGetInfo(std::size_t* unused, std::size_t* total) {
    *unused = free_bytes();
    *total = device().memory;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* p) {
    *attributes = {};
    attributes->device = 0;
    switch (kind_of(p)) {
        case memory_kind::host: attributes->type = cudaMemoryTypeUnregistered; break;
        case memory_kind::device:
        case memory_kind::heap:
        case memory_kind::reserved:
        case memory_kind::symbol: attributes->type = cudaMemoryTypeDevice; break;
        case memory_kind::managed: attributes->type = cudaMemoryTypeManaged; break;
        case memory_kind::pinned: attributes->type = cudaMemoryTypeHost; break;
    }
    void* same = const_cast<void*>(p);
    const bool is_host = attributes->type == cudaMemoryTypeUnregistered;
    attributes->devicePointer = is_host ? nullptr : same;
    attributes->hostPointer = attributes->type == cudaMemoryTypeDevice || is_host ? nullptr : same;
    return cudaSuccess;
}

}  // extern "C"
