// The driver API's copies and fills in two dimensions, pools, captured streams, packed arguments.
#include <cuda.h>

#include "check.h"

__global__ void mixed(char first, int* to, short by, double factor) {
    to[threadIdx.x] = static_cast<int>(first + by * factor) + static_cast<int>(threadIdx.x);
}
__global__ void add(int* to, int by) { to[threadIdx.x] += by; }

static void packed_arguments() {
    cudaFunction_t function = nullptr;
    OK(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(mixed)));
    const std::size_t offsets[] = {0, 8, 16, 24}, sizes[] = {1, 8, 2, 8};
    for (std::size_t i = 0; i < 4; ++i) {
        std::size_t offset = 99, bytes = 99;
        OK(cuFuncGetParamInfo(function, i, &offset, &bytes));
        MUST(offset == offsets[i] && bytes == sizes[i]);
        OK(cudaFuncGetParamInfo(reinterpret_cast<const void*>(mixed), i, &offset, &bytes));
        MUST(offset == offsets[i] && bytes == sizes[i]);
    }
    std::size_t none = 0;
    MUST(cuFuncGetParamInfo(function, 4, &none, &none) == CUDA_ERROR_INVALID_VALUE);
    CUdeviceptr p;
    OK(cuMemAlloc(&p, 4 * sizeof(int)));
    char buffer[32] = {5};
    const short by = 4;
    const double factor = 2.5;
    std::memcpy(buffer + 8, &p, sizeof p);
    std::memcpy(buffer + 16, &by, sizeof by);
    std::memcpy(buffer + 24, &factor, sizeof factor);
    std::size_t bytes = sizeof buffer;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    OK(cuLaunchKernel(function, 1, 1, 1, 4, 1, 1, 0, nullptr, nullptr, extra));
    int got[4] = {};
    OK(cuMemcpyDtoH(got, p, sizeof got));
    for (int i = 0; i < 4; ++i) MUST(got[i] == 15 + i);
    bytes = 16;  // too short
    MUST(cuLaunchKernel(function, 1, 1, 1, 4, 1, 1, 0, nullptr, nullptr, extra) ==
         CUDA_ERROR_INVALID_VALUE);
    cuMemFree(p);
}

static void two_dimensions() {
    constexpr std::size_t width = 6, height = 3, pitch = 16;
    std::vector<unsigned char> host(width * height), back(width * height);
    for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<unsigned char>(i + 1);
    CUdeviceptr p;
    OK(cuMemAlloc(&p, pitch * height));
    OK(cuMemsetD2D8(p, pitch, 0xab, pitch, height));
    CUDA_MEMCPY2D c{};
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = host.data();
    c.srcPitch = width;
    c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    c.dstDevice = p;
    c.dstPitch = pitch;
    c.dstXInBytes = 2;
    c.WidthInBytes = width;
    c.Height = height;
    OK(cuMemcpy2D(&c));
    unsigned char all[pitch * height];
    OK(cuMemcpyDtoH(all, p, sizeof all));
    for (std::size_t y = 0; y < height; ++y)
        for (std::size_t x = 0; x < pitch; ++x)
            MUST(all[y * pitch + x] == (x < 2 || x >= 2 + width ? 0xab : host[y * width + x - 2]));
    CUDA_MEMCPY2D r{};
    r.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    r.srcDevice = p;
    r.srcPitch = pitch;
    r.srcXInBytes = 2;
    r.srcY = 1;
    r.dstMemoryType = CU_MEMORYTYPE_HOST;
    r.dstHost = back.data();
    r.WidthInBytes = width;
    r.Height = 2;
    MUST(cuMemcpy2DAsync(&r, nullptr) == CUDA_SUCCESS && cuCtxSynchronize() == CUDA_SUCCESS);
    MUST(std::memcmp(back.data(), host.data() + width, 2 * width) == 0);
    r.srcPitch = width + 1;  // shorter than what is to be skipped and copied
    MUST(cuMemcpy2D(&r) == CUDA_ERROR_INVALID_VALUE);
    CUdeviceptr begin = 0;
    std::size_t bytes = 0;
    OK(cuMemGetAddressRange(&begin, &bytes, p + 20));
    MUST(begin == p && bytes == pitch * height);
    MUST(cuMemGetAddressRange(&begin, &bytes, 8) == CUDA_ERROR_NOT_FOUND);
    cuMemFree(p);
}

static void pools_and_captures() {
    CUmemPoolProps properties{};
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    CUmemoryPool pool;
    OK(cuMemPoolCreate(&pool, &properties));
    CUstream stream;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CUdeviceptr p;
    OK(cuMemAllocFromPoolAsync(&p, 4 * sizeof(int), pool, stream));
    OK(cuMemsetD32Async(p, 7, 4, stream));
    cudaFunction_t function = nullptr;
    OK(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(add)));
    int by = 10;
    void* arguments[] = {&p, &by};
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CUstreamCaptureStatus status;
    MUST(cuStreamIsCapturing(stream, &status) == CUDA_SUCCESS &&
         status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    OK(cuLaunchKernel(function, 1, 1, 1, 4, 1, 1, 0, stream, arguments, nullptr));
    CUgraph graph;
    OK(cuStreamEndCapture(stream, &graph));
    std::size_t nodes = 0;
    MUST(cuGraphGetNodes(graph, nullptr, &nodes) == CUDA_SUCCESS && nodes == 1);
    CUgraphExec exec;
    OK(cuGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; ++i) OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    int got[4] = {};
    OK(cuMemcpyDtoH(got, p, sizeof got));
    for (const int each : got) MUST(each == 37);
    MUST(cuGraphExecDestroy(exec) == CUDA_SUCCESS && cuGraphDestroy(graph) == CUDA_SUCCESS);
    OK(cuMemFreeAsync(p, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuMemPoolDestroy(pool));
}

static void entry_points() {
    void* call = nullptr;
    CUdriverProcAddressQueryResult found;
    OK(cuGetProcAddress("cuMemGetInfo", &call, 12000, 0, &found));
    MUST(found == CU_GET_PROC_ADDRESS_SUCCESS);
    std::size_t unused = 0, total = 0;
    MUST(reinterpret_cast<CUresult (*)(std::size_t*, std::size_t*)>(call)(&unused, &total) ==
         CUDA_SUCCESS);
    MUST(unused > 0 && unused <= total);
}

int main() {
    CUdevice device;
    CUcontext context;
    MUST(cuMemcpy2D(nullptr) == CUDA_ERROR_INVALID_VALUE);
    MUST(cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&device, 0) == CUDA_SUCCESS);
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    packed_arguments();
    two_dimensions();
    pools_and_captures();
    entry_points();
    return verdict();
}
