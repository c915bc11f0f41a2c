// Calls of the runtime and driver APIs that no other program makes: graphs by nodes and their
// update, launches from kernels into named streams, programmatic launches, copies of every kind,
// queries.
#include <cuda.h>
#include <cuda_runtime.h>

#include "check.h"

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
struct counted {
    ~counted() { deleted += 1; }
    static inline int deleted = 0;
};
int main() {
    int *x, *y, h[4] = {1, 2, 3, 4}, o[4];
    OK(cudaMalloc(&x, 16));
    OK(cudaMalloc(&y, 16));
    OK(cudaMemcpyAsync(x, h, 16, cudaMemcpyHostToDevice, cudaStreamPerThread));
    add<<<1, 4, 0, cudaStreamPerThread>>>(x, 1);
    OK(cudaStreamSynchronize(cudaStreamPerThread));
    OK(cudaMemcpyPeer(y, 0, x, 0, 16));
    OK(cudaMemcpy(o, y, 16, cudaMemcpyDefault));
    MUST(o[3] == 5);
    OK(cudaMemcpyToSymbolAsync(sym, h, 16));
    OK(cudaMemcpyFromSymbolAsync(o, sym, 4, 8));
    MUST(o[0] == 3);
    // graphs by nodes, exec update
    cudaGraph_t g, g2;
    cudaGraphNode_t a, b, c, r[4];
    size_t n = 4;
    OK(cudaGraphCreate(&g, 0));
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(h, 16, 16, 1);
    p.dstPtr = make_cudaPitchedPtr(x, 16, 16, 1);
    p.extent = make_cudaExtent(16, 1, 1);
    p.kind = cudaMemcpyHostToDevice;
    OK(cudaGraphAddMemcpyNode(&a, g, nullptr, 0, &p));
    int v = 5;
    void* args[] = {&x, &v};
    cudaKernelNodeParams kp = {};
    kp.func = (void*)add;
    kp.gridDim = 1;
    kp.blockDim = 4;
    kp.kernelParams = args;
    OK(cudaGraphAddKernelNode(&b, g, &a, 1, &kp));
    OK(cudaGraphAddEmptyNode(&c, g, &b, 1));
    cudaEvent_t ev;
    OK(cudaEventCreate(&ev));
    cudaGraphNode_t e1, e2;
    OK(cudaGraphAddEventRecordNode(&e1, g, &c, 1, ev));
    OK(cudaGraphAddEventWaitNode(&e2, g, &e1, 1, ev));
    OK(cudaGraphGetRootNodes(g, r, &n));
    MUST(n == 1 && r[0] == a);
    cudaGraphExec_t x1;
    OK(cudaGraphInstantiate(&x1, g, 0));
    OK(cudaGraphLaunch(x1, 0));
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(o, x, 16, cudaMemcpyDefault));
    MUST(o[0] == 6);
    OK(cudaGraphClone(&g2, g));
    cudaGraphNode_t b2;
    OK(cudaGraphNodeFindInClone(&b2, b, g2));
    v = 7;
    OK(cudaGraphKernelNodeSetParams(b2, &kp));
    cudaGraphExecUpdateResultInfo info;
    OK(cudaGraphExecUpdate(x1, g2, &info));
    OK(cudaGraphLaunch(x1, 0));
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(o, x, 16, cudaMemcpyDefault));
    MUST(o[0] == 8);
    // the forms that CUDA has for C++ alone
    cudaGraphExecUpdateResult how = cudaGraphExecUpdateError;
    cudaGraphNode_t culprit = b;
    OK(cudaGraphExecUpdate(x1, g2, &culprit, &how));
    MUST(how == cudaGraphExecUpdateSuccess && culprit == nullptr);
    OK(cudaGraphExecUpdate(x1, g2, nullptr, nullptr));
    cudaUserObject_t object;
    OK(cudaUserObjectCreate(&object, new counted, 1, cudaUserObjectNoDestructorSync));
    OK(cudaUserObjectRelease(object));
    OK(cudaUserObjectCreate(&object, new counted, 1, 1u));
    OK(cudaUserObjectRelease(object));
    MUST(counted::deleted == 2);
    cudaKernel_t kernel;
    OK(cudaGetKernel(&kernel, add));
    OK(cudaFuncSetSharedMemConfig(add, cudaSharedMemBankSizeFourByte));
    OK(cudaGraphDestroyNode(e2));
    tail<<<1, 1>>>(x);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(o, x, 16, cudaMemcpyDefault));
    MUST(o[0] == 8 * 2 + 110);
    MUST(o[1] == 9 + 110);
    cudaLaunchConfig_t cfg = {};
    cfg.gridDim = 1;
    cfg.blockDim = 4;
    cudaLaunchAttribute at;
    at.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    at.val.programmaticStreamSerializationAllowed = 1;
    cfg.attrs = &at;
    cfg.numAttrs = 1;
    OK(cudaLaunchKernelEx(&cfg, pdl, x));
    OK(cudaDeviceSynchronize());
    // driver
    CUdevice d;
    CUcontext ctx;
    OK(cuInit(0));
    OK(cuDeviceGet(&d, 0));
    OK(cuCtxCreate(&ctx, nullptr, 0, d));
    CUdevice d2;
    OK(cuCtxGetDevice(&d2));
    OK(cuCtxPushCurrent(ctx));
    OK(cuCtxPopCurrent(&ctx));
    CUdeviceptr q;
    OK(cuMemAlloc(&q, 64));
    OK(cuMemsetD16(q, 0x0102, 8));
    OK(cuMemsetD8(q, 7, 4));
    OK(cuMemcpyHtoDAsync(q, h, 16, 0));
    OK(cuMemcpyDtoHAsync(o, q, 16, 0));
    OK(cuStreamSynchronize(0));
    MUST(o[2] == 3);
    OK(cuMemcpyDtoD(q + 16, q, 16));
    OK(cuMemcpy(q + 32, q, 16));
    size_t pitch;
    CUdeviceptr w;
    OK(cuMemAllocPitch(&w, &pitch, 100, 4, 4));
    OK(cuMemFree(w));
    OK(cuMemAllocManaged(&w, 16, CU_MEM_ATTACH_GLOBAL));
    OK(cuMemFree(w));
    void* hp;
    OK(cuMemAllocHost(&hp, 16));
    OK(cuMemFreeHost(hp));
    int ver;
    OK(cuDriverGetVersion(&ver));
    OK(cuStreamQuery(0));
    char id[32];
    OK(cuDeviceGetPCIBusId(id, 32, d));
    CUuuid uu;
    OK(cuDeviceGetUuid(&uu, d));
    OK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
    OK(cuCtxDestroy(ctx));
    int nb;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&nb, add, 256, 0, 0));
    size_t sm;
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&sm, add, 1, 256));
    int mg, bs;
    OK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&mg, &bs, add,
                                                      [](int b) { return (size_t)b * 4; }));
    char bus[32];
    OK(cudaDeviceGetPCIBusId(bus, 32, 0));
    int dev;
    OK(cudaDeviceGetByPCIBusId(&dev, bus));
    cudaDeviceProp pr = {};
    OK(cudaChooseDevice(&dev, &pr));
    unsigned fl;
    OK(cudaGetDeviceFlags(&fl));
    OK(cudaSetDeviceFlags(0));
    const char* nm;
    OK(cudaFuncGetName(&nm, add));
    int lo, hi;
    OK(cudaDeviceGetStreamPriorityRange(&lo, &hi));
    cudaMemPool_t pool;
    OK(cudaDeviceGetMemPool(&pool, 0));
    cudaMemAccessFlags af;
    cudaMemLocation loc = {cudaMemLocationTypeDevice, 0};
    OK(cudaMemPoolGetAccess(&af, pool, &loc));
    cudaMemAccessDesc ds;
    ds.location = loc;
    ds.flags = cudaMemAccessFlagsProtReadWrite;
    OK(cudaMemPoolSetAccess(pool, &ds, 1));
    cudaChannelFormatDesc cd = cudaCreateChannelDesc<float>();
    cudaArray_t ar;
    OK(cudaMallocArray(&ar, &cd, 4, 1));
    OK(cudaMemcpyToArray(ar, 0, 0, h, 16, cudaMemcpyHostToDevice));
    OK(cudaMemcpyFromArray(o, ar, 0, 0, 16, cudaMemcpyDeviceToHost));
    MUST(o[3] == 4);
    cudaChannelFormatDesc ce;
    OK(cudaGetChannelDesc(&ce, ar));
    MUST(ce.x == 32);
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    unsigned sf;
    OK(cudaStreamGetFlags(s, &sf));
    OK(cudaStreamAttachMemAsync(s, x));
    cudaStreamCaptureMode md = cudaStreamCaptureModeRelaxed;
    OK(cudaThreadExchangeStreamCaptureMode(&md));
    return verdict();
}
