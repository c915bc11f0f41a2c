// Graphs: what may be asked and changed of nodes, captured launches among them; memory, conditions,
// captures into a graph, and objects that a graph keeps.
#include "check.h"

__global__ void scale(float* x, float by, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= by;
}
template <class T>
__global__ void add(T* x, T what, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += what;
}
__device__ float symbol_of_device[4];
static void count(void* p) { ++*static_cast<int*>(p); }
static void count_twice(void* p) { *static_cast<int*>(p) += 2; }

static const int n = 100;
static float* x;
static cudaStream_t stream;

static void fill(float value) {
    for (int i = 0; i < n; ++i) x[i] = value;
}
static bool all_are(float value) {
    OK(cudaStreamSynchronize(stream));
    for (int i = 0; i < n; ++i)
        if (x[i] != value) return false;
    return true;
}

static void change_a_captured_launch() {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    scale<<<1, 128, 0, stream>>>(x, 3.0f, n);
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    cudaGraphNode_t node;
    size_t one = 1;
    OK(cudaGraphGetNodes(graph, &node, &one));
    cudaKernelNodeParams p;
    OK(cudaGraphKernelNodeGetParams(node, &p));
    MUST(p.func == (void*)scale && p.blockDim.x == 128 && *(float*)p.kernelParams[1] == 3.0f);
    float by = 5;
    p.kernelParams[1] = &by;
    fill(1);
    OK(cudaGraphLaunch(exec, stream));
    MUST(all_are(3));
    OK(cudaGraphExecKernelNodeSetParams(exec, node, &p));
    OK(cudaGraphLaunch(exec, stream));
    MUST(all_are(15));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
}

static void ask_and_change() {
    cudaGraph_t graph, clone;
    OK(cudaGraphCreate(&graph, 0));
    int calls = 0, number = n;
    float by = 2, what = 1;
    float* to = x;
    void* scaling[] = {&to, &by, &number};
    void* adding[] = {&to, &what, &number};
    cudaGraphNode_t first, second, third, found;
    cudaGraphNodeParams p = {};
    p.type = cudaGraphNodeTypeKernel;
    p.kernel.func = (void*)scale;
    p.kernel.gridDim = dim3(1);
    p.kernel.blockDim = dim3(128);
    p.kernel.kernelParams = scaling;
    OK(cudaGraphAddNode(&first, graph, nullptr, nullptr, 0, &p));
    p.kernel.func = (void*)add<float>;
    p.kernel.kernelParams = adding;
    OK(cudaGraphAddNode(&second, graph, &first, nullptr, 1, &p));
    cudaHostNodeParams host = {count, &calls}, told;
    OK(cudaGraphAddHostNode(&third, graph, &second, 1, &host));
    OK(cudaGraphHostNodeGetParams(third, &told));
    MUST(told.fn == count && told.userData == &calls);
    size_t before = 0, behind = 0;
    OK(cudaGraphNodeGetDependencies(second, nullptr, nullptr, &before));
    behind = 1;
    OK(cudaGraphNodeGetDependentNodes(second, &found, nullptr, &behind));
    MUST(before == 1 && behind == 1 && found == third);
    OK(cudaGraphClone(&clone, graph));
    OK(cudaGraphNodeFindInClone(&found, second, clone));
    MUST(found != second);
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    fill(4);
    OK(cudaGraphLaunch(exec, stream));
    MUST(all_are(9) && calls == 1);
    host.fn = count_twice;
    OK(cudaGraphExecHostNodeSetParams(exec, third, &host));
    what = 3;
    OK(cudaGraphExecNodeSetParams(exec, second, &p));
    unsigned enabled = 9;
    OK(cudaGraphNodeSetEnabled(exec, first, 0));
    OK(cudaGraphNodeGetEnabled(exec, first, &enabled));
    OK(cudaGraphLaunch(exec, stream));
    MUST(all_are(12) && calls == 3 && enabled == 0);
    OK(cudaGraphRemoveDependencies(graph, &first, &second, nullptr, 1));
    OK(cudaGraphNodeGetDependencies(second, nullptr, nullptr, &before));
    MUST(before == 0);
}

static void memory_and_symbols() {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t made, set, copied, freed, to_symbol;
    OK(cudaGraphCreate(&graph, 0));
    cudaMemAllocNodeParams p = {};
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location.type = cudaMemLocationTypeDevice;
    p.bytesize = n * sizeof(float);
    OK(cudaGraphAddMemAllocNode(&made, graph, nullptr, 0, &p));
    MUST(p.dptr != nullptr);
    cudaMemsetParams zero = {};
    zero.dst = p.dptr;
    zero.elementSize = 4;
    zero.value = 0x40a00000;  // 5
    zero.width = n;
    zero.height = 1;
    OK(cudaGraphAddMemsetNode(&set, graph, &made, 1, &zero));
    OK(cudaGraphAddMemcpyNode1D(&copied, graph, &set, 1, x, p.dptr, n * sizeof(float),
                                cudaMemcpyDefault));
    OK(cudaGraphAddMemFreeNode(&freed, graph, &copied, 1, p.dptr));
    static const float four[4] = {1, 2, 3, 4};
    OK(cudaGraphAddMemcpyNodeToSymbol(&to_symbol, graph, nullptr, 0, symbol_of_device, four,
                                      sizeof four, 0, cudaMemcpyHostToDevice));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; ++i) {
        fill(1);
        OK(cudaGraphLaunch(exec, stream));
        MUST(all_are(5));
    }
    float got[4];
    OK(cudaMemcpyFromSymbol(got, symbol_of_device, sizeof got));
    MUST(std::memcmp(got, four, sizeof got) == 0);
    // In a capture too.
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    void* room;
    OK(cudaMallocAsync(&room, n * sizeof(float), stream));
    OK(cudaMemsetAsync(room, 0, n * sizeof(float), stream));
    OK(cudaMemcpyAsync(x, room, n * sizeof(float), cudaMemcpyDefault, stream));
    OK(cudaFreeAsync(room, stream));
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, stream));
    MUST(all_are(0));
}

__global__ void count_down(int* left, cudaGraphConditionalHandle handle) {
    if (--*left <= 0) cudaGraphSetConditional(handle, 0);
}

static void conditions() {
    int* left;
    OK(cudaMallocManaged(&left, sizeof *left));
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle handle, choice;
    OK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    OK(cudaGraphConditionalHandleCreate(&choice, graph, 1, cudaGraphCondAssignDefault));
    cudaGraphNodeParams p = {};
    p.type = cudaGraphNodeTypeConditional;
    p.conditional.handle = handle;
    p.conditional.type = cudaGraphCondTypeWhile;
    p.conditional.size = 1;
    cudaGraphNode_t loop, branch;
    OK(cudaGraphAddNode(&loop, graph, nullptr, nullptr, 0, &p));
    cudaGraph_t body = p.conditional.phGraph_out[0];
    OK(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0,
                                     cudaStreamCaptureModeRelaxed));
    scale<<<1, 128, 0, stream>>>(x, 2.0f, n);
    count_down<<<1, 1, 0, stream>>>(left, handle);
    OK(cudaStreamEndCapture(stream, nullptr));
    p.conditional.handle = choice;
    p.conditional.type = cudaGraphCondTypeSwitch;
    p.conditional.size = 3;
    OK(cudaGraphAddNode(&branch, graph, &loop, nullptr, 1, &p));
    for (int i = 0; i < 3; ++i) {
        OK(cudaStreamBeginCaptureToGraph(stream, p.conditional.phGraph_out[i], nullptr, nullptr, 0,
                                         cudaStreamCaptureModeRelaxed));
        add<<<1, 128, 0, stream>>>(x, float(i), n);
        OK(cudaStreamEndCapture(stream, nullptr));
    }
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; ++i) {
        fill(1);
        *left = 5;
        OK(cudaGraphLaunch(exec, stream));
        MUST(all_are(33) && *left == 0);
    }
}

static void objects() {
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    int gone = 0;
    cudaUserObject_t object;
    OK(cudaUserObjectCreate(&object, &gone, count, 1, cudaUserObjectNoDestructorSync));
    OK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphDestroy(graph));
    MUST(gone == 0);
    OK(cudaGraphExecDestroy(exec));
    MUST(gone == 1);
}

int main() {
    OK(cudaMallocManaged(&x, n * sizeof(float)));
    OK(cudaStreamCreate(&stream));
    change_a_captured_launch();
    ask_and_change();
    memory_and_symbols();
    conditions();
    objects();
    return verdict();
}
