// The runtime API: copies in batches and between devices, of which there is one. With the toolkit's
// declarations alone.
#include <algorithm>

#include "arrays.h"
#include "cuset_host/cuda_types.h"
#include "cuset_host/faults.h"
#include "cuset_host/threads/execution.h"
#include "streams/graphs.h"

using namespace cuset_host;

namespace {

#if CUDART_VERSION >= 13000
bool is_order(cudaMemcpySrcAccessOrder order) {
    return order >= cudaMemcpySrcAccessOrderStream && order <= cudaMemcpySrcAccessOrderAny;
}
#endif

}  // namespace

extern "C" {

#if CUDART_VERSION >= 13000
cudaError_t cudaMemcpyBatchAsync(void* const* to, const void* const* from, const std::size_t* bytes,
                                 std::size_t count, cudaMemcpyAttributes* attributes,
                                 std::size_t* indices, std::size_t attribute_count,
                                 cudaStream_t stream) {
    const bool has_attributes = attributes != nullptr && indices != nullptr;
    if (to == nullptr || from == nullptr || bytes == nullptr || count == 0 || stream == nullptr ||
        attribute_count == 0 || attribute_count > count || !has_attributes || indices[0] != 0)
        return set_error(cudaErrorInvalidValue);
    for (std::size_t i = 0; i < attribute_count; ++i)
        if (!is_order(attributes[i].srcAccessOrder)) return set_error(cudaErrorInvalidValue);
    for (std::size_t i = 0; i < count; ++i)
        if (const cudaError_t error =
                cudaMemcpyAsync(to[i], from[i], bytes[i], cudaMemcpyDefault, stream))
            return error;
    return cudaSuccess;
}
cudaError_t cudaMemcpy3DBatchAsync(std::size_t count, cudaMemcpy3DBatchOp* list,
                                   unsigned long long flags, cudaStream_t stream) {
    if (list == nullptr || count == 0 || flags != 0 || stream == nullptr)
        return set_error(cudaErrorInvalidValue);
    for (std::size_t i = 0; i < count; ++i) {
        const cudaMemcpy3DBatchOp& op = list[i];
        cudaMemcpy3DParms copy{};
        copy.extent = op.extent;
        copy.kind = cudaMemcpyDefault;
        // Lengths count elements: the array's, or bytes where there is none.
        const auto unit_of = [](const cudaMemcpy3DOperand& side) {
            const bool has_one = side.type == cudaMemcpyOperandTypeArray && side.op.array.array;
            return has_one ? std::size_t{side.op.array.array->texel_bytes} : std::size_t{1};
        };
        const std::size_t unit = std::max(unit_of(op.src), unit_of(op.dst));
        const auto take = [&](const cudaMemcpy3DOperand& side, cudaArray_t& array, cudaPos& at,
                              cudaPitchedPtr& memory) {
            if (side.type == cudaMemcpyOperandTypeArray) {
                array = side.op.array.array;
                at = {side.op.array.offset.x, side.op.array.offset.y, side.op.array.offset.z};
            } else {
                const auto& p = side.op.ptr;
                const std::size_t length = p.rowLength == 0 ? op.extent.width : p.rowLength;
                const std::size_t height = p.layerHeight == 0 ? op.extent.height : p.layerHeight;
                memory = {p.ptr, length * unit, length * unit, height};
            }
        };
        take(op.src, copy.srcArray, copy.srcPos, copy.srcPtr);
        take(op.dst, copy.dstArray, copy.dstPos, copy.dstPtr);
        const bool is_empty = op.extent.width == 0 || op.extent.height == 0 || op.extent.depth == 0;
        if (is_empty || !is_order(op.srcAccessOrder)) return set_error(cudaErrorInvalidValue);
        if (const cudaError_t error = cudaMemcpy3DAsync(&copy, stream)) return error;
    }
    return cudaSuccess;
}
cudaError_t cudaMemPrefetchBatchAsync(void** p, std::size_t* bytes, std::size_t count,
                                      cudaMemLocation* locations, std::size_t* indices,
                                      std::size_t location_count, unsigned long long flags,
                                      cudaStream_t stream) {
    if (p == nullptr || bytes == nullptr || locations == nullptr || indices == nullptr ||
        count == 0 || location_count == 0 || location_count > count || indices[0] != 0 ||
        flags != 0 || stream == nullptr)
        return set_error(cudaErrorInvalidValue);
    std::size_t at = 0;
    for (std::size_t i = 0; i < count; ++i) {
        while (at + 1 < location_count && indices[at + 1] <= i) ++at;
        if (const cudaError_t error =
                cudaMemPrefetchAsync(p[i], bytes[i], locations[at], 0, stream))
            return error;
    }
    return cudaSuccess;
}
#endif

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* p) {
    if (p == nullptr) return set_error(cudaErrorInvalidValue);
    if (p->srcDevice != 0 || p->dstDevice != 0) return set_error(cudaErrorInvalidDevice);
    cudaMemcpy3DParms plain{};
    plain.srcArray = p->srcArray;
    plain.srcPos = p->srcPos;
    plain.srcPtr = p->srcPtr;
    plain.dstArray = p->dstArray;
    plain.dstPos = p->dstPos;
    plain.dstPtr = p->dstPtr;
    plain.extent = p->extent;
    plain.kind = cudaMemcpyDeviceToDevice;
    return cudaMemcpy3D(&plain);
}
cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* p, cudaStream_t stream) {
    if (p == nullptr) return set_error(cudaErrorInvalidValue);
    if (p->srcDevice != 0 || p->dstDevice != 0) return set_error(cudaErrorInvalidDevice);
    return captured_or_done(stream, cudaGraphNodeTypeMemcpy,
                            [given = *p] { return cudaMemcpy3DPeer(&given); });
}

}  // extern "C"
