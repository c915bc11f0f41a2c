// The runtime API's copies to CUDA arrays, from them and between them.
#include <cuset_host/device_memory.h>
#include <cuset_host/faults.h>
#include <cuset_host/threads/execution.h>

#include <algorithm>
#include <cstring>

#include "arrays.h"
#include "checks/checks.h"
#include "host_words.h"
#include "kernel_stores.h"
#include "streams/asynchronous_streams.h"
#include "streams/graphs.h"

namespace cuset_host {

namespace {

/// One side of a copy: memory in rows and slices; x counts bytes.
struct side {
    unsigned char* data;
    size_t row_bytes, slice_bytes;
    unsigned char* at(size_t x, size_t y, size_t z) const {
        return data + z * slice_bytes + y * row_bytes + x;
    }
};
struct box {
    size_t width, height, depth;  ///< bytes, rows, slices
};

side side_of(const cudaArray* array) {
    return {array->data, array->row_bytes, array->slice_bytes()};
}
side pitched(const void* p, size_t pitch, size_t rows) {
    return {static_cast<unsigned char*>(const_cast<void*>(p)), pitch, pitch * rows};
}

bool fits(const cudaArray* a, size_t x, size_t y, size_t z, const box& b) {
    return x % a->texel_bytes == 0 && b.width % a->texel_bytes == 0 && x <= a->row_bytes &&
           b.width <= a->row_bytes - x && y <= a->rows && b.height <= a->rows - y &&
           z <= a->slices && b.depth <= a->slices - z;
}

/// Whether ordinary memory on one side of a copy is on the side that the direction names, and
/// inside its allocation.
bool memory_is_right(const side& s, const box& b, bool is_source, cudaMemcpyKind kind) {
    const bool on_host = kind == (is_source ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);
    const memory_kind where = kind_of(s.data);
    if (kind != cudaMemcpyDefault && where != memory_kind::managed) {
        if (on_host && where != memory_kind::host && where != memory_kind::pinned) return false;
        if (!on_host && where == memory_kind::host) return false;
    }
    for (size_t z = 0; z < b.depth; ++z)
        for (size_t y = 0; y < b.height; ++y)
            if (!is_within(s.at(0, y, z), b.width)) return false;
    return true;
}

/// The memory of an array counts as device memory, though it is ordinary memory here.
void note_row(unsigned char* to, const unsigned char* from, size_t bytes, size_t whole) {
    const memory_kind target = kind_of(to), source = kind_of(from);
    const auto is_hosts = [](memory_kind kind) {
        return kind == memory_kind::host || kind == memory_kind::pinned;
    };
    if (!is_hosts(target) && !is_hosts(source)) {
        device_copies(to, from, bytes);
    } else if (target != memory_kind::host) {
        host_writes(to, bytes);
    }
    if (target != memory_kind::host) checks::copied(to, from, bytes);  // an array has no states
    std::memmove(to, from, bytes);
    look_at_copied_words(to, from, bytes, whole);
    if (is_hosts(target) && source != memory_kind::pinned) host_has_read(from, bytes);
}

void copy(const side& to, const side& from, const box& b, bool is_made) {
    if (!is_made) return;  // it was only looked at
    set_error(wait_for_stream(nullptr));
    const device_access guard;
    for (size_t z = 0; z < b.depth; ++z)
        for (size_t y = 0; y < b.height; ++y)
            note_row(to.at(0, y, z), from.at(0, y, z), b.width, b.width * b.height * b.depth);
}

bool reads_device(cudaMemcpyKind kind) {
    return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice ||
           kind == cudaMemcpyDefault;
}
bool writes_device(cudaMemcpyKind kind) {
    return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice ||
           kind == cudaMemcpyDefault;
}

/// What each copy between an array and memory asks first.
cudaError_t begin_copy(const cudaArray* array, bool to_array, cudaMemcpyKind kind) {
    if (!is_live(array)) return cudaErrorInvalidResourceHandle;
    const bool is_right = to_array ? writes_device(kind) : reads_device(kind);
    return is_right ? cudaSuccess : cudaErrorInvalidMemcpyDirection;
}

/// Copies a rectangle to the array, or from it; x and width count bytes.
cudaError_t copy_2d(const cudaArray* array, size_t x, size_t y, const void* memory, size_t pitch,
                    size_t width, size_t height, bool to_array, cudaMemcpyKind kind,
                    bool is_made = true) {
    if (const cudaError_t error = begin_copy(array, to_array, kind)) return error;
    if (width == 0 || height == 0) return cudaSuccess;
    if (memory == nullptr) return cudaErrorInvalidValue;
    if (width > pitch) return cudaErrorInvalidPitchValue;
    const box b{width, height, 1};
    const side outside = pitched(memory, pitch, height);
    if (!fits(array, x, y, 0, b) || !memory_is_right(outside, b, to_array, kind))
        return cudaErrorInvalidValue;
    side inside = side_of(array);
    inside.data = inside.at(x, y, 0);
    copy(to_array ? inside : outside, to_array ? outside : inside, b, is_made);
    return cudaSuccess;
}

/// The older copies count bytes from (x, y) on, row by row.
bool run_fits(const cudaArray* a, size_t x, size_t y, size_t bytes) {
    return x <= a->row_bytes && y <= a->rows && y * a->row_bytes + x + bytes <= a->slice_bytes() &&
           bytes <= a->slice_bytes();
}
cudaError_t copy_run(const cudaArray* array, size_t x, size_t y, const void* memory, size_t bytes,
                     bool to_array, cudaMemcpyKind kind, bool is_made = true) {
    if (const cudaError_t error = begin_copy(array, to_array, kind)) return error;
    const box b{bytes, 1, 1};
    const side outside = pitched(memory, bytes, 1);
    if (memory == nullptr || !run_fits(array, x, y, bytes) ||
        !memory_is_right(outside, b, to_array, kind))
        return cudaErrorInvalidValue;
    const side inside{side_of(array).at(x, y, 0), bytes, bytes};
    copy(to_array ? inside : outside, to_array ? outside : inside, b, is_made);
    return cudaSuccess;
}

cudaError_t copy_3d(const cudaMemcpy3DParms* p, bool is_made = true) {
    if (p == nullptr) return cudaErrorInvalidValue;
    const bool from_array = p->srcArray != nullptr, to_array = p->dstArray != nullptr;
    if (from_array == (p->srcPtr.ptr != nullptr)) return cudaErrorInvalidValue;
    if (to_array == (p->dstPtr.ptr != nullptr)) return cudaErrorInvalidValue;
    if ((from_array && !is_live(p->srcArray)) || (to_array && !is_live(p->dstArray)))
        return cudaErrorInvalidResourceHandle;
    if ((from_array && !reads_device(p->kind)) || (to_array && !writes_device(p->kind)))
        return cudaErrorInvalidMemcpyDirection;
    const size_t from_unit = from_array ? p->srcArray->texel_bytes : 1;
    const size_t to_unit = to_array ? p->dstArray->texel_bytes : 1;
    if (from_array && to_array && from_unit != to_unit) return cudaErrorInvalidValue;
    // The extent is in the array's texels, if there is an array.
    const box b{p->extent.width * std::max(from_unit, to_unit), p->extent.height, p->extent.depth};
    if (b.width == 0 || b.height == 0 || b.depth == 0) return cudaSuccess;

    const auto place = [&](cudaArray_t array, const cudaPitchedPtr& memory, const cudaPos& at,
                           size_t unit, side& s) {
        const size_t x = at.x * unit;
        if (array != nullptr) {
            if (!fits(array, x, at.y, at.z, b)) return cudaErrorInvalidValue;
            s = side_of(array);
        } else {
            if (x + b.width > memory.pitch) return cudaErrorInvalidPitchValue;
            if (b.depth > 1 && at.y + b.height > memory.ysize) return cudaErrorInvalidValue;
            s = pitched(memory.ptr, memory.pitch, memory.ysize);
        }
        s.data = s.at(x, at.y, at.z);
        return cudaSuccess;
    };
    side from{}, to{};
    if (const cudaError_t error = place(p->srcArray, p->srcPtr, p->srcPos, from_unit, from))
        return error;
    if (const cudaError_t error = place(p->dstArray, p->dstPtr, p->dstPos, to_unit, to))
        return error;
    if ((!from_array && !memory_is_right(from, b, true, p->kind)) ||
        (!to_array && !memory_is_right(to, b, false, p->kind)))
        return cudaErrorInvalidValue;
    copy(to, from, b, is_made);
    return cudaSuccess;
}

cudaError_t copy_2d_between(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                            size_t x, size_t y, size_t width, size_t height, cudaMemcpyKind kind) {
    if (!is_live(to) || !is_live(from)) return cudaErrorInvalidResourceHandle;
    if (!reads_device(kind) || !writes_device(kind)) return cudaErrorInvalidMemcpyDirection;
    const box b{width, height, 1};
    if (!fits(to, to_x, to_y, 0, b) || !fits(from, x, y, 0, b)) return cudaErrorInvalidValue;
    side target = side_of(to), source = side_of(from);
    target.data = target.at(to_x, to_y, 0);
    source.data = source.at(x, y, 0);
    copy(target, source, b, true);
    return cudaSuccess;
}

}  // namespace

}  // namespace cuset_host

using namespace cuset_host;

extern "C" {

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                size_t width, size_t height, cudaMemcpyKind kind) {
    if (const cudaError_t error = refused_copy(); error != cudaSuccess) return set_error(error);
    return set_error(copy_2d(to, x, y, from, pitch, width, height, true, kind));
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from,
                                     size_t pitch, size_t width, size_t height, cudaMemcpyKind kind,
                                     cudaStream_t stream) {
    return checked_copy_in_stream(stream, from, from, [=](bool is_made) {
        return copy_2d(to, x, y, from, pitch, width, height, true, kind, is_made);
    });
}

cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x,
                                  size_t y, size_t width, size_t height, cudaMemcpyKind kind) {
    if (const cudaError_t error = refused_copy(); error != cudaSuccess) return set_error(error);
    return set_error(copy_2d(from, x, y, to, pitch, width, height, false, kind));
}

cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, cudaArray_const_t from, size_t x,
                                       size_t y, size_t width, size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
    return checked_copy_in_stream(stream, to, to, [=](bool is_made) {
        return copy_2d(from, x, y, to, pitch, width, height, false, kind, is_made);
    });
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                     cudaArray_const_t from, size_t x, size_t y, size_t width,
                                     size_t height, cudaMemcpyKind kind) {
    if (const cudaError_t error = refused_copy(); error != cudaSuccess) return set_error(error);
    return set_error(copy_2d_between(to, to_x, to_y, from, x, y, width, height, kind));
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                              cudaMemcpyKind kind) {
    if (const cudaError_t error = refused_copy(); error != cudaSuccess) return set_error(error);
    return set_error(copy_run(to, x, y, from, bytes, true, kind));
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from,
                                   size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    return checked_copy_in_stream(stream, from, from, [=](bool is_made) {
        return copy_run(to, x, y, from, bytes, true, kind, is_made);
    });
}

cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                cudaMemcpyKind kind) {
    if (const cudaError_t error = refused_copy(); error != cudaSuccess) return set_error(error);
    return set_error(copy_run(from, x, y, to, bytes, false, kind));
}

cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, size_t x, size_t y,
                                     size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    return checked_copy_in_stream(stream, to, to, [=](bool is_made) {
        return copy_run(from, x, y, to, bytes, false, kind, is_made);
    });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
    if (const cudaError_t error = refused_copy(); error != cudaSuccess) return set_error(error);
    return set_error(copy_3d(parameters));
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
    if (parameters == nullptr) return set_error(cudaErrorInvalidValue);
    // An end that is an array is no pageable memory.
    const auto memory_of = [](const cudaPitchedPtr& given, const cudaPitchedPtr& other) {
        return given.ptr != nullptr ? given.ptr : other.ptr;
    };
    return checked_copy_in_stream(
        stream, memory_of(parameters->dstPtr, parameters->srcPtr),
        memory_of(parameters->srcPtr, parameters->dstPtr),
        [given = *parameters](bool is_made) { return copy_3d(&given, is_made); });
}

}  // extern "C"
