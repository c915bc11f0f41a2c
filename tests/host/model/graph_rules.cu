// What CUDA documents of graphs: children, clones, circles, objects that they keep, attributes.
#include <string>

#include "check.h"

__global__ void scale_and_add(int* to, int by, int more) { *to = *to * by + more; }
static int* x;
static int by, more;
static void* arguments[] = {&x, &by, &more};
static cudaKernelNodeParams kernel(int b, int m) {
    by = b, more = m;
    cudaKernelNodeParams p{};
    p.func = (void*)scale_and_add;
    p.gridDim = p.blockDim = dim3(1);
    p.kernelParams = arguments;
    return p;
}
static int run(cudaGraph_t g) {
    cudaGraphExec_t e;
    OK(cudaGraphInstantiate(&e, g, 0));
    *x = 1;
    OK(cudaGraphLaunch(e, 0));
    OK(cudaDeviceSynchronize());
    return *x;
}
static int gone = 0;
int main() {
    OK(cudaMallocManaged(&x, 4));
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    cudaGraph_t g, child, inner, clone;
    cudaGraphNode_t a, b, c, n;
    cudaKernelNodeParams p = kernel(2, 0);
    // 1. changes of the embedded graph are reflected in the node
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphCreate(&child, 0));
    OK(cudaGraphAddKernelNode(&a, child, nullptr, 0, &p));
    OK(cudaGraphAddChildGraphNode(&c, g, nullptr, 0, child));
    OK(cudaGraphChildGraphNodeGetGraph(c, &inner));
    OK(cudaGraphClone(&clone, g));
    size_t one = 1;
    OK(cudaGraphGetNodes(inner, &b, &one));
    p = kernel(3, 1);
    OK(cudaGraphKernelNodeSetParams(b, &p));
    MUST(run(g) == 4);
    MUST(run(clone) == 2);  // child graphs are copied too
    // 2. topology of ExecChildGraphNodeSetParams
    cudaGraphExec_t e;
    OK(cudaGraphInstantiate(&e, g, 0));
    cudaGraph_t two;
    OK(cudaGraphCreate(&two, 0));
    OK(cudaGraphAddEmptyNode(&n, two, nullptr, 0));
    OK(cudaGraphAddEmptyNode(&n, two, &n, 1));
    MUST(cudaGraphExecChildGraphNodeSetParams(e, c, two) != cudaSuccess);
    cudaGetLastError();
    // 3. parameters of another kind of node
    OK(cudaGraphAddKernelNode(&a, g, nullptr, 0, &p));
    OK(cudaGraphInstantiate(&e, g, 0));
    REFUSED(cudaGraphExecMemcpyNodeSetParams1D(e, a, x, x, 4, cudaMemcpyDefault),
            cudaErrorInvalidValue);
    cudaHostNodeParams h{[](void*) {}, nullptr};
    REFUSED(cudaGraphExecHostNodeSetParams(e, a, &h), cudaErrorInvalidValue);
    // 4. copies of more than one dimension
    cudaGraph_t copies;
    OK(cudaGraphCreate(&copies, 0));
    char *d1, *d2;
    OK(cudaMalloc(&d1, 64));
    OK(cudaMalloc(&d2, 64));
    OK(cudaGraphAddMemcpyNode1D(&a, copies, nullptr, 0, d1, d2, 8, cudaMemcpyDefault));
    OK(cudaGraphInstantiate(&e, copies, 0));
    cudaMemcpy3DParms m{};
    m.srcPtr = make_cudaPitchedPtr(d2, 8, 8, 4), m.dstPtr = make_cudaPitchedPtr(d1, 8, 8, 4);
    m.extent = make_cudaExtent(4, 2, 1), m.kind = cudaMemcpyDeviceToDevice;
    REFUSED(cudaGraphExecMemcpyNodeSetParams(e, a, &m), cudaErrorInvalidValue);
    // 5. a cycle
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphAddEmptyNode(&a, g, nullptr, 0));
    OK(cudaGraphAddEmptyNode(&b, g, &a, 1));
    OK(cudaGraphAddDependencies(g, &b, &a, nullptr, 1));
    cudaGraphInstantiateParams ip{};
    MUST(cudaGraphInstantiateWithParams(&e, g, &ip) != cudaSuccess);
    cudaGetLastError();
    MUST(ip.result_out == cudaGraphInstantiateInvalidStructure);
    MUST(ip.errNode_out == a || ip.errNode_out == b);
    // 6. references
    cudaUserObject_t o, o2;
    OK(cudaGraphCreate(&g, 0));
    const auto destroy = [](void* p) { gone += p == nullptr ? 1 : 10; };
    OK(cudaUserObjectCreate(&o, nullptr, destroy, 1, cudaUserObjectNoDestructorSync));
    REFUSED(cudaUserObjectCreate(&o2, nullptr, destroy, 1, 0), cudaErrorInvalidValue);
    REFUSED(cudaUserObjectRetain(o, 0), cudaErrorInvalidValue);
    REFUSED(cudaUserObjectRelease(o, 0), cudaErrorInvalidValue);
    REFUSED(cudaGraphRetainUserObject(g, o, 0, 0), cudaErrorInvalidValue);
    OK(cudaGraphRetainUserObject(g, o, 2, 0));
    OK(cudaUserObjectRelease(o, 1));
    OK(cudaGraphReleaseUserObject(g, o, 1));
    MUST(gone == 0);
    OK(cudaUserObjectCreate(&o2, x, destroy, 1, cudaUserObjectNoDestructorSync));
    REFUSED(cudaGraphReleaseUserObject(g, o2, 1), cudaErrorInvalidValue);
    OK(cudaGraphReleaseUserObject(g, o, 1));
    MUST(gone == 1);
    // 7. a removed dependency may be left behind
    cudaStreamCaptureStatus st;
    unsigned long long id1, id2;
    const cudaGraphEdgeData* edges = nullptr;
    const cudaGraphNode_t* last;
    size_t count = 0;
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    scale_and_add<<<1, 1, 0, s>>>(x, 2, 0);
    OK(cudaStreamGetCaptureInfo(s, &st, &id1, nullptr, &last, &edges, &count));
    MUST(count == 1 && edges != nullptr && edges[0].type == cudaGraphDependencyTypeDefault);
    OK(cudaStreamUpdateCaptureDependencies(s, nullptr, nullptr, 0,
                                           cudaStreamSetCaptureDependencies));
    OK(cudaStreamEndCapture(s, &g));
    if (g) OK(cudaGraphDestroy(g));
    // 8. numbers of captures
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaStreamGetCaptureInfo(s, &st, &id2, nullptr, nullptr, nullptr, nullptr));
    MUST(id1 != id2);
    REFUSED(cudaStreamGetCaptureInfo(0, &st, nullptr, nullptr, nullptr, nullptr, nullptr),
            cudaErrorStreamCaptureImplicit);
    OK(cudaStreamEndCapture(s, &g));
    // 9. attributes of a node that is no more
    OK(cudaGraphCreate(&g, 0));
    p = kernel(2, 0);
    cudaLaunchAttributeValue v{};
    int stale = 0;
    for (int i = 0; i < 20; ++i) {
        OK(cudaGraphAddKernelNode(&a, g, nullptr, 0, &p));
        v.priority = 9;
        OK(cudaGraphKernelNodeGetAttribute(a, cudaLaunchAttributePriority, &v));
        stale += v.priority != 0;
        v.priority = -3;
        OK(cudaGraphKernelNodeSetAttribute(a, cudaLaunchAttributePriority, &v));
        OK(cudaGraphDestroyNode(a));
    }
    MUST(stale == 0);
    // 10. a stream's priority, which its captured kernels take
    cudaStream_t high;
    OK(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, -2));
    OK(cudaStreamBeginCapture(high, cudaStreamCaptureModeGlobal));
    scale_and_add<<<1, 1, 0, high>>>(x, 2, 0);
    OK(cudaStreamEndCapture(high, &g));
    OK(cudaGraphGetNodes(g, &a, &(one = 1)));
    v.priority = 9;
    OK(cudaGraphKernelNodeGetAttribute(a, cudaLaunchAttributePriority, &v));
    MUST(v.priority == -2);
    // 11. two objects of a graph
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphRetainUserObject(g, o2, 1, cudaGraphUserObjectMove));
    OK(cudaUserObjectCreate(&o, nullptr, destroy, 1, cudaUserObjectNoDestructorSync));
    OK(cudaGraphRetainUserObject(g, o, 1, cudaGraphUserObjectMove));
    OK(cudaGraphReleaseUserObject(g, o2, 1));
    MUST(gone == 11);
    return verdict();
}
