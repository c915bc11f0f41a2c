// Memory in both APIs: copies and fills of rows, boxes and arrays, host memory, advice, handles of
// memory, tensor maps at other addresses, and what textures and surfaces tell of themselves.
#include <cuda.h>

#include <cstdint>

#include "check.h"

using bytes = std::vector<unsigned char>;
static CUstream stream;

__global__ void add(int* to, int by) {
    extern __shared__ int room[];
    __shared__ int more[256];
    room[threadIdx.x] = by, more[threadIdx.x] = 100;
    __syncthreads();
    to[threadIdx.x] += room[threadIdx.x ^ 1] + more[threadIdx.x ^ 1];
}
static CUfunction function() {
    cudaFunction_t found = nullptr;
    OK(cudaGetFuncBySymbol(&found, reinterpret_cast<const void*>(add)));
    return found;
}

static CUdeviceptr memory(std::size_t size) {
    CUdeviceptr p = 0;
    OK(cuMemAlloc(&p, size));
    return p;
}

static bytes contents(CUdeviceptr p, std::size_t size) {
    bytes got(size);
    OK(cuMemcpyDtoH(got.data(), p, size));
    return got;
}

static void copies_and_fills() {
    constexpr std::size_t pitch = 24, rows = 4;
    const CUdeviceptr p = memory(pitch * rows);
    OK(cuMemsetD8(p, 0xee, pitch * rows));
    OK(cuMemsetD2D16(p + 2, pitch, 0x1234, 3, 2));
    OK(cuMemsetD2D32(p + 12, pitch, 0x89abcdef, 2, 3));
    bytes want(pitch * rows, 0xee);
    for (std::size_t y = 0; y < 3; ++y)
        for (std::size_t x = 0; x < 8; ++x) {
            if (y < 2 && x < 6) want[y * pitch + 2 + x] = x % 2 == 0 ? 0x34 : 0x12;
            want[y * pitch + 12 + x] = (0x89abcdefu >> (x % 4 * 8)) & 255;
        }
    MUST(contents(p, pitch * rows) == want);

    bytes host(60), other(50, 0x77);
    for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<unsigned char>(i);
    CUDA_MEMCPY2D c{};
    c.srcMemoryType = CU_MEMORYTYPE_HOST, c.srcHost = host.data(), c.srcPitch = 15;
    c.srcXInBytes = 3, c.srcY = 1;
    c.dstMemoryType = CU_MEMORYTYPE_UNIFIED, c.dstDevice = p, c.dstPitch = pitch;
    c.dstXInBytes = 7, c.dstY = 2;
    c.WidthInBytes = 5, c.Height = 2;
    OK(cuMemcpy2DUnaligned(&c));
    for (std::size_t y = 0; y < 2; ++y)
        for (std::size_t x = 0; x < 5; ++x)
            want[(2 + y) * pitch + 7 + x] = static_cast<unsigned char>((1 + y) * 15 + 3 + x);
    MUST(contents(p, pitch * rows) == want);
    c.srcPitch = 7;  // shorter than what is skipped and copied
    MUST(cuMemcpy2DUnaligned(&c) == CUDA_ERROR_INVALID_VALUE);
    MUST(cuMemcpy2DUnaligned(nullptr) == CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(p));
}

/// Bytes that the host and the device reach, set to 0, 1, 2, ... behind `first`.
static unsigned char* pinned(int size, int first) {
    void* p = nullptr;
    OK(cudaMallocHost(&p, size));
    auto* const made = static_cast<unsigned char*>(p);
    for (int i = 0; i < size; ++i) made[i] = static_cast<unsigned char>(first + i);
    return made;
}

static void copies_in_streams() {
    // Rows of 5 bytes between pitches of 9 and 7, behind a fill in the same stream.
    const CUdeviceptr p = memory(64), q = memory(64);
    const auto at = [](CUdeviceptr base, int offset) {
        return reinterpret_cast<void*>(base + offset);
    };
    unsigned char *const given = pinned(64, 100), *const got = pinned(64, 0);
    OK(cudaMemcpyAsync(at(p, 0), given, 64, cudaMemcpyHostToDevice, stream));
    OK(cudaMemsetAsync(at(q, 0), 0xaa, 64, stream));
    OK(cudaMemcpy2DAsync(at(q, 2), 7, at(p, 1), 9, 5, 3, cudaMemcpyDeviceToDevice, stream));
    OK(cudaMemcpyAsync(got, at(q, 0), 64, cudaMemcpyDeviceToHost, stream));
    OK(cudaStreamSynchronize(stream));
    bytes want(64, 0xaa);
    for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 5; ++x) want[y * 7 + 2 + x] = given[y * 9 + 1 + x];
    MUST(bytes(got, got + 64) == want);
    REFUSED(cudaMemcpy2DAsync(at(q, 0), 4, at(p, 0), 9, 5, 3, cudaMemcpyDeviceToDevice, stream),
            cudaErrorInvalidPitchValue);

    // Three bytes of each of two slices of 4 x 3 bytes, to slices of 5 x 2.
    cudaMemcpy3DPeerParms between{};
    between.srcPtr = make_cudaPitchedPtr(at(p, 0), 4, 4, 3);
    between.dstPtr = make_cudaPitchedPtr(at(q, 0), 5, 5, 2);
    between.srcPos = make_cudaPos(1, 0, 1), between.dstPos = make_cudaPos(0, 1, 2);
    between.extent = make_cudaExtent(3, 1, 2);
    OK(cudaMemcpy3DPeerAsync(&between, stream));
    OK(cudaStreamSynchronize(stream));
    for (int z = 0; z < 2; ++z)
        for (int x = 0; x < 3; ++x)
            want[((2 + z) * 2 + 1) * 5 + x] = given[(1 + z) * 3 * 4 + 1 + x];
    MUST(contents(q, 64) == want);
    between.srcDevice = 99;
    REFUSED(cudaMemcpy3DPeerAsync(&between, stream), cudaErrorInvalidDevice);

    // Arrays of 6 x 4 ints.
    const auto format = cudaCreateChannelDesc<int>();
    cudaArray_t array;
    OK(cudaMallocArray(&array, &format, 6, 4));
    int* const ints = reinterpret_cast<int*>(pinned(96, 0));
    int* const back = reinterpret_cast<int*>(pinned(96, 0));
    for (int i = 0; i < 24; ++i) ints[i] = 100 + i, back[i] = -1;
    int in_array[24];
    for (int i = 0; i < 24; ++i) in_array[i] = 100 + i;
    OK(cudaMemcpyToArrayAsync(array, 0, 0, ints, 96, cudaMemcpyHostToDevice, stream));
    OK(cudaMemcpyToArrayAsync(array, 2 * sizeof(int), 1, ints, 3 * sizeof(int),
                              cudaMemcpyHostToDevice, stream));
    for (int i = 0; i < 3; ++i) in_array[6 + 2 + i] = 100 + i;
    OK(cudaMemcpyFromArrayAsync(back + 1, array, 0, 1, 12 * sizeof(int), cudaMemcpyDeviceToHost,
                                stream));
    OK(cudaStreamSynchronize(stream));
    MUST(back[0] == -1 && back[13] == -1);
    for (int i = 0; i < 12; ++i) MUST(back[1 + i] == in_array[6 + i]);
    REFUSED(cudaMemcpyToArrayAsync(array, 0, 0, ints, 100, cudaMemcpyHostToDevice, stream),
            cudaErrorInvalidValue);

    // In one batch: 3 x 2 ints of rows of 5 into the array, and bytes by slices.
    cudaMemcpy3DBatchOp list[2] = {};
    list[0].src.type = cudaMemcpyOperandTypePointer;
    list[0].src.op.ptr.ptr = ints + 4, list[0].src.op.ptr.rowLength = 5;
    list[0].dst.type = cudaMemcpyOperandTypeArray;
    list[0].dst.op.array.array = array, list[0].dst.op.array.offset = {2, 2, 0};
    list[0].extent = make_cudaExtent(3, 2, 1);
    list[1].src.type = list[1].dst.type = cudaMemcpyOperandTypePointer;
    list[1].src.op.ptr.ptr = at(p, 3), list[1].src.op.ptr.rowLength = 4;
    list[1].src.op.ptr.layerHeight = 3;
    list[1].dst.op.ptr.ptr = at(q, 40);  // without gaps
    list[1].extent = make_cudaExtent(2, 2, 2);
    for (auto& each : list) each.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    OK(cudaMemcpy3DBatchAsync(2, list, 0, stream));
    OK(cudaStreamSynchronize(stream));
    for (int y = 0; y < 2; ++y)
        for (int x = 0; x < 3; ++x) in_array[(2 + y) * 6 + 2 + x] = 100 + 4 + 5 * y + x;
    OK(cudaMemcpyFromArray(back, array, 0, 0, 96, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 24; ++i) MUST(back[i] == in_array[i]);
    for (int i = 0; i < 8; ++i) want[40 + i] = given[3 + i / 4 * 12 + i / 2 % 2 * 4 + i % 2];
    MUST(contents(q, 64) == want);
    REFUSED(cudaMemcpy3DBatchAsync(2, list, 0, nullptr), cudaErrorInvalidValue);
    list[1].srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
    REFUSED(cudaMemcpy3DBatchAsync(2, list, 0, stream), cudaErrorInvalidValue);
}

static void host_memory() {
    alignas(4096) static int room[2048];
    for (int i = 0; i < 4; ++i) room[8 + i] = 10 * i;
    OK(cuMemHostRegister(room, sizeof room, CU_MEMHOSTREGISTER_DEVICEMAP));
    CUdeviceptr p = 0;
    OK(cuMemHostGetDevicePointer(&p, room + 8, 0));
    int by = 5;
    void* arguments[] = {&p, &by};
    OK(cuLaunchKernel(function(), 1, 1, 1, 4, 1, 1, 64, stream, arguments, nullptr));
    OK(cuStreamSynchronize(stream));
    for (int i = 0; i < 4; ++i) MUST(room[8 + i] == 10 * i + 105);
    MUST(room[12] == 0);
    MUST(cuMemHostRegister(room, sizeof room, 0) == CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    OK(cuMemHostUnregister(room));
    MUST(cuMemHostUnregister(room) == CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    MUST(cuMemHostGetDevicePointer(&p, room, 0) == CUDA_ERROR_INVALID_VALUE);

    void *portable, *combined;
    int pageable = 0;
    unsigned flags = 77;
    OK(cudaHostAlloc(&portable, 64, cudaHostAllocPortable | cudaHostAllocMapped));
    OK(cudaHostAlloc(&combined, 64, cudaHostAllocWriteCombined));
    OK(cudaHostGetFlags(&flags, static_cast<char*>(portable) + 8));
    MUST((flags & cudaHostAllocPortable) != 0 && (flags & cudaHostAllocWriteCombined) == 0);
    OK(cudaHostGetFlags(&flags, combined));
    MUST((flags & cudaHostAllocWriteCombined) != 0);
    REFUSED(cudaHostGetFlags(&flags, &pageable), cudaErrorInvalidValue);
}

static void prefetches() {
    constexpr std::size_t part = 1 << 16;
    char* p;
    OK(cudaMallocManaged(&p, 3 * part));
    void* ranges[] = {p, p + part, p + 2 * part};
    std::size_t sizes[] = {part, part, part}, first[] = {0, 2};  // each place's first range
    cudaMemLocation places[] = {{cudaMemLocationTypeHost, 0}, {cudaMemLocationTypeDevice, 0}};
    OK(cudaMemPrefetchBatchAsync(ranges, sizes, 3, places, first, 2, 0, stream));
    const auto q = reinterpret_cast<CUdeviceptr>(p);
    CUmemLocation here{};
    here.type = CU_MEM_LOCATION_TYPE_DEVICE;
    OK(cuMemPrefetchAsync(q, part, here, 0, stream));
    OK(cuMemAdvise(q, 3 * part, CU_MEM_ADVISE_SET_ACCESSED_BY, here));
    OK(cuMemAdvise(q + part, 2 * part, CU_MEM_ADVISE_SET_READ_MOSTLY, here));
    OK(cuMemAdvise(q + 2 * part, part, CU_MEM_ADVISE_UNSET_READ_MOSTLY, here));
    OK(cudaStreamSynchronize(stream));
    const int prefetched[] = {0, cudaCpuDeviceId, 0}, mostly_read[] = {0, 1, 0};
    for (int i = 0; i < 3; ++i) {
        int read_mostly = -9, last = -9, by[2] = {-9, -9};
        void* to[] = {by, &last, &read_mostly};
        std::size_t bytes_of[] = {sizeof by, sizeof last, sizeof read_mostly};
        cudaMemRangeAttribute which[] = {cudaMemRangeAttributeAccessedBy,
                                         cudaMemRangeAttributeLastPrefetchLocation,
                                         cudaMemRangeAttributeReadMostly};
        OK(cudaMemRangeGetAttributes(to, bytes_of, which, 3, ranges[i], part));
        MUST(last == prefetched[i] && read_mostly == mostly_read[i]);
        MUST(by[0] == 0 && by[1] == cudaInvalidDeviceId);
        bytes_of[1] = 3;  // no int
        REFUSED(cudaMemRangeGetAttributes(to, bytes_of, which, 3, ranges[i], part),
                cudaErrorInvalidValue);
    }
    REFUSED(cudaMemPrefetchBatchAsync(ranges, sizes, 3, places, first, 2, 1, stream),
            cudaErrorInvalidValue);
    const CUdeviceptr own = memory(part);  // not managed
    MUST(cuMemAdvise(own, part, CU_MEM_ADVISE_SET_READ_MOSTLY, here) == CUDA_ERROR_INVALID_VALUE);
    MUST(cuMemPrefetchAsync(own, part, here, 0, stream) == CUDA_ERROR_INVALID_VALUE);
}

static void handles() {
    CUmemAllocationProp about{}, found{};
    about.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    about.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    std::size_t size = 0;
    OK(cuMemGetAllocationGranularity(&size, &about, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    CUmemGenericAllocationHandle handle, retained = 0;
    CUdeviceptr p;
    OK(cuMemAddressReserve(&p, 2 * size, 0, 0, 0));
    OK(cuMemCreate(&handle, size, &about, 0));
    OK(cuMemGetAllocationPropertiesFromHandle(&found, handle));
    MUST(found.type == about.type && found.location.type == about.location.type);
    MUST(found.location.id == 0 && found.requestedHandleTypes == CU_MEM_HANDLE_TYPE_NONE);
    CUmemAccessDesc access{};
    access.location = about.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    OK(cuMemMap(p, size, 0, handle, 0));
    OK(cuMemSetAccess(p, size, &access, 1));
    OK(cuMemsetD8(p + 100, 0x3c, 4));
    OK(cuMemRetainAllocationHandle(&retained, reinterpret_cast<void*>(p + 4321)));
    MUST(retained == handle);
    MUST(cuMemRetainAllocationHandle(&retained, reinterpret_cast<void*>(p + size)) ==
         CUDA_ERROR_INVALID_VALUE);
    // What was retained is still there where it is mapped again.
    OK(cuMemRelease(handle));
    OK(cuMemUnmap(p, size));
    OK(cuMemMap(p + size, size, 0, handle, 0));
    OK(cuMemSetAccess(p + size, size, &access, 1));
    MUST(contents(p + size + 100, 4) == bytes(4, 0x3c));
    OK(cuMemRelease(handle));
    OK(cuMemUnmap(p + size, size));
    OK(cuMemAddressFree(p, 2 * size));
}

// A row of a tensor of 4 x 16 ints.
__global__ void load(const __grid_constant__ CUtensorMap map, int y, int* out) {
    __shared__ alignas(128) int row[16];
    __shared__ alignas(8) std::uint64_t barrier;
    const auto window = [](const void* p) {
        return static_cast<unsigned>(__cvta_generic_to_shared(p));
    };
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(window(&barrier)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile(
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(window(&barrier)),
            "r"(64)
            : "memory");
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
            " [%0], [%1, {%2, %3}], [%4];" ::"r"(window(row)),
            "l"(&map), "r"(0), "r"(y), "r"(window(&barrier))
            : "memory");
    }
    __syncthreads();
    unsigned is_there = 0;
    while (is_there == 0)
        asm volatile(
            "{\n\t.reg .pred p;\n\t"
            "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n\tselp.u32 %0, 1, 0, p;\n\t}"
            : "=r"(is_there)
            : "r"(window(&barrier))
            : "memory");
    out[threadIdx.x] = row[threadIdx.x];
}
static void tensor_map() {
    int* p = managed<int>((64 + 64 + 16));
    for (int i = 0; i < 128; ++i) p[i] = i;
    const cuuint64_t sizes[] = {16, 4}, strides[] = {64};
    const cuuint32_t tile[] = {16, 1}, steps[] = {1, 1};
    CUtensorMap map;
    OK(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, p, sizes, strides, tile,
                              steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                              CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    for (const int first : {0, 64, 32}) {  // from 32 on the last two rows are of the second tensor
        OK(cuTensorMapReplaceAddress(&map, p + first));
        load<<<1, 16>>>(map, 2, p + 128);
        OK(cudaDeviceSynchronize());
        for (int i = 0; i < 16; ++i) MUST(p[128 + i] == first + 32 + i);
    }
    MUST(cuTensorMapReplaceAddress(&map, p + 1) == CUDA_ERROR_INVALID_VALUE);
    MUST(cuTensorMapReplaceAddress(nullptr, p) == CUDA_ERROR_INVALID_VALUE);
}

static void descriptions() {
    float* p;
    OK(cudaMalloc(&p, 4096));
    cudaResourceDesc resource{}, told{};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = p, resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = 12, resource.res.pitch2D.height = 5;
    resource.res.pitch2D.pitchInBytes = 512;
    cudaTextureDesc how{}, told_how{};
    how.addressMode[0] = cudaAddressModeMirror, how.addressMode[1] = cudaAddressModeWrap;
    how.filterMode = cudaFilterModeLinear, how.normalizedCoords = 1;
    cudaTextureObject_t texture;
    OK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    OK(cudaGetTextureObjectResourceDesc(&told, texture));
    MUST(told.resType == cudaResourceTypePitch2D && told.res.pitch2D.devPtr == p);
    MUST(told.res.pitch2D.width == 12 && told.res.pitch2D.height == 5);
    MUST(told.res.pitch2D.pitchInBytes == 512 && told.res.pitch2D.desc.x == 32);
    MUST(told.res.pitch2D.desc.f == cudaChannelFormatKindFloat);
    OK(cudaGetTextureObjectTextureDesc(&told_how, texture));
    MUST(told_how.addressMode[0] == cudaAddressModeMirror);
    MUST(told_how.addressMode[1] == cudaAddressModeWrap && told_how.normalizedCoords == 1);
    MUST(told_how.filterMode == cudaFilterModeLinear);
    MUST(told_how.readMode == cudaReadModeElementType);
    OK(cudaDestroyTextureObject(texture));
    REFUSED(cudaGetTextureObjectResourceDesc(nullptr, texture), cudaErrorInvalidValue);

    cudaArray_t array;
    OK(cudaMallocArray(&array, &resource.res.pitch2D.desc, 8, 4, cudaArraySurfaceLoadStore));
    resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface;
    OK(cudaCreateSurfaceObject(&surface, &resource));
    told = {};
    OK(cudaGetSurfaceObjectResourceDesc(&told, surface));
    MUST(told.resType == cudaResourceTypeArray && told.res.array.array == array);
    REFUSED(cudaGetSurfaceObjectResourceDesc(nullptr, surface), cudaErrorInvalidValue);
    OK(cudaDestroySurfaceObject(surface));
}

int main() {
    CUcontext context;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    copies_and_fills();
    copies_in_streams();
    host_memory();
    prefetches();
    handles();
    tensor_map();
    descriptions();
    return verdict();
}
