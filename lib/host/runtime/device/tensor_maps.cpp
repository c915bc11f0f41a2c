// What the copies by tensor maps refuse, and the maps of the driver API, which CUDA 12 brought.
#include "cuset_host/tensor_maps.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "cuset_host/faults.h"
#include "driver/calls.h"

namespace cuset_host {

tensor_map opened_map(const void* map, int rank) {
    tensor_map m;
    std::memcpy(static_cast<void*>(&m), map, sizeof m);
    if (m.made != tensor_map_made)
        fail("launch_error", "a copy of a tensor by what is no tensor map (700)");
    if (m.rank != rank)
        fail("launch_error", "a copy of " + std::to_string(rank) +
                                 " dimensions by a tensor map of " + std::to_string(m.rank));
    return m;
}

void refuse_reduction() { fail("unsupported", "a reduction of a tensor of this type"); }

}  // namespace cuset_host

#if CUDA_VERSION >= 12000

using namespace cuset_host;

namespace {

/// The bytes of a type's element; 0 if it is not modelled.
unsigned bytes_of(CUtensorMapDataType type) {
    switch (type) {
        case CU_TENSOR_MAP_DATA_TYPE_UINT8: return 1;
        case CU_TENSOR_MAP_DATA_TYPE_UINT16:
        case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
        case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16: return 2;
        case CU_TENSOR_MAP_DATA_TYPE_UINT32:
        case CU_TENSOR_MAP_DATA_TYPE_INT32:
        case CU_TENSOR_MAP_DATA_TYPE_FLOAT32:
        case CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ:
        case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32:
        case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ: return 4;
        case CU_TENSOR_MAP_DATA_TYPE_UINT64:
        case CU_TENSOR_MAP_DATA_TYPE_INT64:
        case CU_TENSOR_MAP_DATA_TYPE_FLOAT64: return 8;
        default: return 0;
    }
}

tensor_element element_of(CUtensorMapDataType type) {
    switch (type) {
        case CU_TENSOR_MAP_DATA_TYPE_UINT32: return tensor_element::u32;
        case CU_TENSOR_MAP_DATA_TYPE_INT32: return tensor_element::s32;
        case CU_TENSOR_MAP_DATA_TYPE_UINT64: return tensor_element::u64;
        case CU_TENSOR_MAP_DATA_TYPE_INT64: return tensor_element::s64;
        case CU_TENSOR_MAP_DATA_TYPE_FLOAT32: return tensor_element::f32;
        default: return tensor_element::other;
    }
}

/// Bits of the address that a swizzle changes; 4 if it is not modelled.
unsigned bits_of(CUtensorMapSwizzle swizzle) {
    return static_cast<unsigned>(swizzle) <= CU_TENSOR_MAP_SWIZZLE_128B
               ? static_cast<unsigned>(swizzle)
               : 4;
}

}  // namespace

extern "C" {

CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank,
                                void* address, const cuuint64_t* sizes, const cuuint64_t* strides,
                                const cuuint32_t* box, const cuuint32_t* steps,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion, CUtensorMapFloatOOBfill fill) {
    if (map == nullptr || rank == 0 || rank > 5 || sizes == nullptr || box == nullptr ||
        steps == nullptr || (rank > 1 && strides == nullptr))
        return CUDA_ERROR_INVALID_VALUE;
    const unsigned unit = bytes_of(type), swizzle_bits = bits_of(swizzle);
    if (unit == 0) fail("unsupported", "a tensor map of this type");
    if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE)
        fail("unsupported", "a tensor map with interleaved data");
    if (swizzle_bits > 3) fail("unsupported", "a tensor map with this swizzle");
    tensor_map m{};
    m.address = reinterpret_cast<std::uintptr_t>(address);
    bool is_valid = m.address != 0 && m.address % 16 == 0;
    for (unsigned d = 0; d < rank; ++d) {
        is_valid &= sizes[d] > 0 && sizes[d] <= (cuuint64_t{1} << 32) && box[d] > 0 &&
                    box[d] <= 256 && steps[d] > 0 && steps[d] <= 8;
        if (d + 1 < rank) {
            is_valid &= strides[d] % 16 == 0 && strides[d] < (cuuint64_t{1} << 40);
            m.strides[d] = strides[d];
        }
        m.sizes[d] = static_cast<std::uint32_t>(std::min<cuuint64_t>(sizes[d], 0xffffffffU));
        m.box[d] = static_cast<std::uint16_t>(box[d]);
        // Without interleaving the innermost dimension has no steps.
        m.steps[d] = static_cast<std::uint8_t>(d == 0 ? 1 : steps[d]);
    }
    const unsigned row = box[0] * unit;
    is_valid &= row % 16 == 0 && (swizzle_bits == 0 || row <= 16U << swizzle_bits);
    if (!is_valid) return CUDA_ERROR_INVALID_VALUE;
    m.rank = static_cast<std::uint8_t>(rank);
    m.type = element_of(type);
    m.unit = static_cast<std::uint8_t>(unit);
    m.swizzle = static_cast<std::uint8_t>(swizzle_bits);
    m.fills_nan = fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
    m.made = tensor_map_made;
    std::memset(static_cast<void*>(map), 0, sizeof *map);
    std::memcpy(static_cast<void*>(map), &m, sizeof m);
    return CUDA_SUCCESS;
}

CUresult cuTensorMapReplaceAddress(CUtensorMap* map, void* address) {
    const auto to = reinterpret_cast<std::uintptr_t>(address);
    if (map == nullptr || to == 0 || to % 16 != 0) return CUDA_ERROR_INVALID_VALUE;
    tensor_map m;
    std::memcpy(static_cast<void*>(&m), map, sizeof m);
    if (m.made != tensor_map_made) return CUDA_ERROR_INVALID_VALUE;
    m.address = to;
    std::memcpy(static_cast<void*>(map), &m, sizeof m);
    return CUDA_SUCCESS;
}

}  // extern "C"

#endif
