// Calls of the runtime and driver APIs that no other program makes: graphs by nodes and their
// update, launches from kernels into named streams, programmatic launches, copies of every kind,
// queries.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
static int failures = 0;
#define M(c)                                                                               \
    do {                                                                                   \
        auto e_ = (c);                                                                     \
        if ((int)e_ != 0) ++failures, printf("line %d: %s = %d\n", __LINE__, #c, (int)e_); \
    } while (0)
#define T(c)                                                             \
    do {                                                                 \
        if (!(c)) ++failures, printf("line %d: not %s\n", __LINE__, #c); \
    } while (0)
__global__ void add(int* x, int v) { x[threadIdx.x] += v; }
__device__ int sym[4];
__global__ void tail(int* x) {
    add<<<1, 4, 0, cudaStreamTailLaunch>>>(x, 100);
    add<<<1, 4, 0, cudaStreamFireAndForget>>>(x, 10);
    x[0] *= 2;
}
__global__ void pdl(int* x) {
    cudaGridDependencySynchronize();
    x[threadIdx.x] += 1;
    cudaTriggerProgrammaticLaunchCompletion();
}
int main() {
    int *x, *y, h[4] = {1, 2, 3, 4}, o[4];
    M(cudaMalloc(&x, 16));
    M(cudaMalloc(&y, 16));
    M(cudaMemcpyAsync(x, h, 16, cudaMemcpyHostToDevice, cudaStreamPerThread));
    add<<<1, 4, 0, cudaStreamPerThread>>>(x, 1);
    M(cudaStreamSynchronize(cudaStreamPerThread));
    M(cudaMemcpyPeer(y, 0, x, 0, 16));
    M(cudaMemcpy(o, y, 16, cudaMemcpyDefault));
    T(o[3] == 5);
    M(cudaMemcpyToSymbolAsync(sym, h, 16));
    M(cudaMemcpyFromSymbolAsync(o, sym, 4, 8));
    T(o[0] == 3);
    // graphs by nodes, exec update
    cudaGraph_t g, g2;
    cudaGraphNode_t a, b, c, r[4];
    size_t n = 4;
    M(cudaGraphCreate(&g, 0));
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(h, 16, 16, 1);
    p.dstPtr = make_cudaPitchedPtr(x, 16, 16, 1);
    p.extent = make_cudaExtent(16, 1, 1);
    p.kind = cudaMemcpyHostToDevice;
    M(cudaGraphAddMemcpyNode(&a, g, nullptr, 0, &p));
    int v = 5;
    void* args[] = {&x, &v};
    cudaKernelNodeParams kp = {};
    kp.func = (void*)add;
    kp.gridDim = 1;
    kp.blockDim = 4;
    kp.kernelParams = args;
    M(cudaGraphAddKernelNode(&b, g, &a, 1, &kp));
    M(cudaGraphAddEmptyNode(&c, g, &b, 1));
    cudaEvent_t ev;
    M(cudaEventCreate(&ev));
    cudaGraphNode_t e1, e2;
    M(cudaGraphAddEventRecordNode(&e1, g, &c, 1, ev));
    M(cudaGraphAddEventWaitNode(&e2, g, &e1, 1, ev));
    M(cudaGraphGetRootNodes(g, r, &n));
    T(n == 1 && r[0] == a);
    cudaGraphExec_t x1;
    M(cudaGraphInstantiate(&x1, g, 0));
    M(cudaGraphLaunch(x1, 0));
    M(cudaDeviceSynchronize());
    M(cudaMemcpy(o, x, 16, cudaMemcpyDefault));
    T(o[0] == 6);
    M(cudaGraphClone(&g2, g));
    cudaGraphNode_t b2;
    M(cudaGraphNodeFindInClone(&b2, b, g2));
    v = 7;
    M(cudaGraphKernelNodeSetParams(b2, &kp));
    cudaGraphExecUpdateResultInfo info;
    M(cudaGraphExecUpdate(x1, g2, &info));
    M(cudaGraphLaunch(x1, 0));
    M(cudaDeviceSynchronize());
    M(cudaMemcpy(o, x, 16, cudaMemcpyDefault));
    T(o[0] == 8);
    M(cudaGraphDestroyNode(e2));
    tail<<<1, 1>>>(x);
    M(cudaDeviceSynchronize());
    M(cudaMemcpy(o, x, 16, cudaMemcpyDefault));
    T(o[0] == 8 * 2 + 110);
    T(o[1] == 9 + 110);
    cudaLaunchConfig_t cfg = {};
    cfg.gridDim = 1;
    cfg.blockDim = 4;
    cudaLaunchAttribute at;
    at.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    at.val.programmaticStreamSerializationAllowed = 1;
    cfg.attrs = &at;
    cfg.numAttrs = 1;
    M(cudaLaunchKernelEx(&cfg, pdl, x));
    M(cudaDeviceSynchronize());
    // driver
    CUdevice d;
    CUcontext ctx;
    M(cuInit(0));
    M(cuDeviceGet(&d, 0));
    M(cuCtxCreate(&ctx, nullptr, 0, d));
    CUdevice d2;
    M(cuCtxGetDevice(&d2));
    M(cuCtxPushCurrent(ctx));
    M(cuCtxPopCurrent(&ctx));
    CUdeviceptr q;
    M(cuMemAlloc(&q, 64));
    M(cuMemsetD16(q, 0x0102, 8));
    M(cuMemsetD8(q, 7, 4));
    M(cuMemcpyHtoDAsync(q, h, 16, 0));
    M(cuMemcpyDtoHAsync(o, q, 16, 0));
    M(cuStreamSynchronize(0));
    T(o[2] == 3);
    M(cuMemcpyDtoD(q + 16, q, 16));
    M(cuMemcpy(q + 32, q, 16));
    size_t pitch;
    CUdeviceptr w;
    M(cuMemAllocPitch(&w, &pitch, 100, 4, 4));
    M(cuMemFree(w));
    M(cuMemAllocManaged(&w, 16, CU_MEM_ATTACH_GLOBAL));
    M(cuMemFree(w));
    void* hp;
    M(cuMemAllocHost(&hp, 16));
    M(cuMemFreeHost(hp));
    int ver;
    M(cuDriverGetVersion(&ver));
    M(cuStreamQuery(0));
    char id[32];
    M(cuDeviceGetPCIBusId(id, 32, d));
    CUuuid uu;
    M(cuDeviceGetUuid(&uu, d));
    M(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
    M(cuCtxDestroy(ctx));
    int nb;
    M(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&nb, add, 256, 0, 0));
    size_t sm;
    M(cudaOccupancyAvailableDynamicSMemPerBlock(&sm, add, 1, 256));
    int mg, bs;
    M(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&mg, &bs, add,
                                                     [](int b) { return (size_t)b * 4; }));
    char bus[32];
    M(cudaDeviceGetPCIBusId(bus, 32, 0));
    int dev;
    M(cudaDeviceGetByPCIBusId(&dev, bus));
    cudaDeviceProp pr = {};
    M(cudaChooseDevice(&dev, &pr));
    unsigned fl;
    M(cudaGetDeviceFlags(&fl));
    M(cudaSetDeviceFlags(0));
    const char* nm;
    M(cudaFuncGetName(&nm, add));
    int lo, hi;
    M(cudaDeviceGetStreamPriorityRange(&lo, &hi));
    cudaMemPool_t pool;
    M(cudaDeviceGetMemPool(&pool, 0));
    cudaMemAccessFlags af;
    cudaMemLocation loc = {cudaMemLocationTypeDevice, 0};
    M(cudaMemPoolGetAccess(&af, pool, &loc));
    cudaMemAccessDesc ds;
    ds.location = loc;
    ds.flags = cudaMemAccessFlagsProtReadWrite;
    M(cudaMemPoolSetAccess(pool, &ds, 1));
    cudaChannelFormatDesc cd = cudaCreateChannelDesc<float>();
    cudaArray_t ar;
    M(cudaMallocArray(&ar, &cd, 4, 1));
    M(cudaMemcpyToArray(ar, 0, 0, h, 16, cudaMemcpyHostToDevice));
    M(cudaMemcpyFromArray(o, ar, 0, 0, 16, cudaMemcpyDeviceToHost));
    T(o[3] == 4);
    cudaChannelFormatDesc ce;
    M(cudaGetChannelDesc(&ce, ar));
    T(ce.x == 32);
    cudaStream_t s;
    M(cudaStreamCreate(&s));
    unsigned sf;
    M(cudaStreamGetFlags(s, &sf));
    M(cudaStreamAttachMemAsync(s, x));
    cudaStreamCaptureMode md = cudaStreamCaptureModeRelaxed;
    M(cudaThreadExchangeStreamCaptureMode(&md));
    return failures != 0;
}
