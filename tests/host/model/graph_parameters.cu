// Parameters of a graph's nodes, read and changed in the graph and in what was instantiated of it:
// copies, fills, kernels and host functions, one by one and by the call for any node; attributes
// that one kernel's node takes from another.
#include <cuda.h>

#include <string>

#include "check.h"

static constexpr int n = 96;
static int *from, *to;  // of the device
static cudaStream_t stream;
using numbers = std::vector<int>;

__global__ void scale_and_add(int* x, int by, int more) {
    x[threadIdx.x] = x[threadIdx.x] * by + more;
}
__device__ int of_device[6];
static void add_one(void* p) { *static_cast<int*>(p) += 1; }
static void add_ten(void* p) { *static_cast<int*>(p) += 10; }

/// from[i] = 1000 + i, to[i] = -i
static numbers fill() {
    numbers a(n), b(n);
    for (int i = 0; i < n; ++i) a[i] = 1000 + i, b[i] = -i;
    OK(cudaMemcpy(from, a.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    OK(cudaMemcpy(to, b.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    return b;
}
static void run(cudaGraphExec_t exec) {
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
}
static numbers after(cudaGraphExec_t exec) {
    numbers got(n);
    run(exec);
    OK(cudaMemcpy(got.data(), to, n * sizeof(int), cudaMemcpyDeviceToHost));
    return got;
}
static cudaGraphExec_t made(cudaGraph_t graph) {
    cudaGraphExec_t exec = nullptr;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    return exec;
}

/// A box of ints on either side: from where, and how long its rows and how high its slices are.
struct box {
    int from_x, from_y, from_row, from_rows, to_x, to_y, to_row, to_rows, width, height, depth;
};
static cudaMemcpy3DParms parameters(const box& b) {
    cudaMemcpy3DParms p{};
    p.srcPtr = make_cudaPitchedPtr(from, b.from_row * sizeof(int), b.from_row, b.from_rows);
    p.dstPtr = make_cudaPitchedPtr(to, b.to_row * sizeof(int), b.to_row, b.to_rows);
    p.srcPos = make_cudaPos(b.from_x * sizeof(int), b.from_y, 0);
    p.dstPos = make_cudaPos(b.to_x * sizeof(int), b.to_y, 0);
    p.extent = make_cudaExtent(b.width * sizeof(int), b.height, b.depth);
    p.kind = cudaMemcpyDeviceToDevice;
    return p;
}
static numbers copied(const box& b) {
    numbers want = fill();
    for (int z = 0; z < b.depth; ++z)
        for (int y = 0; y < b.height; ++y)
            for (int x = 0; x < b.width; ++x)
                want[((z * b.to_rows) + b.to_y + y) * b.to_row + b.to_x + x] =
                    1000 + ((z * b.from_rows) + b.from_y + y) * b.from_row + b.from_x + x;
    return want;
}
static bool is_same(const cudaMemcpy3DParms& a, const cudaMemcpy3DParms& b) {
    return a.srcPtr.ptr == b.srcPtr.ptr && a.srcPtr.pitch == b.srcPtr.pitch &&
           a.srcPtr.ysize == b.srcPtr.ysize && a.dstPtr.ptr == b.dstPtr.ptr &&
           a.dstPtr.pitch == b.dstPtr.pitch && a.dstPtr.ysize == b.dstPtr.ysize &&
           a.srcPos.x == b.srcPos.x && a.srcPos.y == b.srcPos.y && a.dstPos.x == b.dstPos.x &&
           a.dstPos.y == b.dstPos.y && a.extent.width == b.extent.width &&
           a.extent.height == b.extent.height && a.extent.depth == b.extent.depth;
}

static void copies() {
    const box first{1, 1, 6, 4, 2, 0, 7, 3, 3, 2, 3}, second{0, 2, 5, 5, 1, 1, 8, 4, 4, 3, 2};
    const box line{7, 0, n, 1, 30, 0, n, 1, 5, 1, 1}, other_line{2, 0, n, 1, 50, 0, n, 1, 9, 1, 1};
    cudaGraph_t graph, other;
    cudaGraphNode_t node, fills_node, stranger;
    OK(cudaGraphCreate(&graph, 0));
    cudaMemcpy3DParms p = parameters(first), told{};
    OK(cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, &p));
    OK(cudaGraphMemcpyNodeGetParams(node, &told));
    MUST(is_same(told, p));
    const cudaGraphExec_t before = made(graph);
    p = parameters(second);
    OK(cudaGraphMemcpyNodeSetParams(node, &p));
    OK(cudaGraphMemcpyNodeGetParams(node, &told));
    MUST(is_same(told, p));
    const cudaGraphExec_t behind = made(graph);
    numbers want = copied(first);
    MUST(after(before) == want);  // what was instantiated stays as it was
    want = copied(second);
    MUST(after(behind) == want);

    OK(cudaGraphMemcpyNodeSetParams1D(node, to + 30, from + 7, 5 * sizeof(int),
                                      cudaMemcpyDeviceToDevice));
    const cudaGraphExec_t exec = made(graph);
    want = copied(line);
    MUST(after(exec) == want);
    p = parameters(other_line);
    OK(cudaGraphExecMemcpyNodeSetParams(exec, node, &p));
    want = copied(other_line);
    MUST(after(exec) == want);
    OK(cudaGraphExecMemcpyNodeSetParams1D(exec, node, to + 70, from + 90, 3 * sizeof(int),
                                          cudaMemcpyDefault));
    want = fill();
    for (int i = 0; i < 3; ++i) want[70 + i] = 1090 + i;
    MUST(after(exec) == want);
    want = copied(line);
    MUST(after(made(graph)) == want);  // the node kept its own

    cudaMemsetParams set{};
    set.dst = to, set.elementSize = 4, set.width = 1, set.height = 1;
    OK(cudaGraphAddMemsetNode(&fills_node, graph, &node, 1, &set));
    OK(cudaGraphCreate(&other, 0));
    OK(cudaGraphAddMemcpyNode(&stranger, other, nullptr, 0, &p));
    REFUSED(cudaGraphMemcpyNodeGetParams(fills_node, &told), cudaErrorInvalidValue);
    REFUSED(cudaGraphMemcpyNodeSetParams(fills_node, &p), cudaErrorInvalidValue);
    REFUSED(cudaGraphExecMemcpyNodeSetParams(exec, stranger, &p), cudaErrorInvalidValue);

    // From a variable, behind its first two numbers.
    const int given[] = {5, 6, 7, 8, 9, 10};
    OK(cudaMemcpyToSymbol(of_device, given, sizeof given));
    OK(cudaGraphCreate(&other, 0));
    OK(cudaGraphAddMemcpyNodeFromSymbol(&node, other, nullptr, 0, to + 4, of_device,
                                        3 * sizeof(int), 2 * sizeof(int),
                                        cudaMemcpyDeviceToDevice));
    want = fill();
    want[4] = 7, want[5] = 8, want[6] = 9;
    MUST(after(made(other)) == want);
}

static void fills() {
    cudaGraph_t graph;
    cudaGraphNode_t node;
    OK(cudaGraphCreate(&graph, 0));
    cudaMemsetParams p{}, told{};
    p.dst = to + 3, p.elementSize = 2, p.value = 0x2345, p.width = 4, p.height = 3, p.pitch = 20;
    OK(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &p));
    OK(cudaGraphMemsetNodeGetParams(node, &told));
    MUST(told.dst == p.dst && told.elementSize == 2 && told.value == 0x2345 && told.width == 4 &&
         told.height == 3 && told.pitch == 20);
    numbers want = fill();
    for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 2; ++x) want[3 + 5 * y + x] = 0x23452345;
    MUST(after(made(graph)) == want);

    p.dst = to + 10, p.elementSize = 4, p.value = 77, p.width = 6, p.height = 1;
    OK(cudaGraphMemsetNodeSetParams(node, &p));
    OK(cudaGraphMemsetNodeGetParams(node, &told));
    MUST(told.dst == p.dst && told.elementSize == 4 && told.value == 77 && told.width == 6);
    want = fill();
    for (int i = 0; i < 6; ++i) want[10 + i] = 77;
    MUST(after(made(graph)) == want);

    cudaGraphNodeParams any{};
    any.type = cudaGraphNodeTypeMemset;
    any.memset.dst = to + 20, any.memset.elementSize = 1, any.memset.value = 0x5a;
    any.memset.width = 8, any.memset.height = 1;
    OK(cudaGraphNodeSetParams(node, &any));
    want = fill();
    want[20] = want[21] = 0x5a5a5a5a;
    MUST(after(made(graph)) == want);
    any.type = cudaGraphNodeTypeKernel;
    REFUSED(cudaGraphNodeSetParams(node, &any), cudaErrorInvalidValue);
    REFUSED(cudaGraphMemsetNodeSetParams(node, nullptr), cudaErrorInvalidValue);
}

/// Nodes behind each other: a kernel, a copy, a host function.
static void any_parameters() {
    cudaGraph_t graph;
    cudaGraphNode_t kernel, copy, host;
    OK(cudaGraphCreate(&graph, 0));
    int by = 2, more = 1, calls = 0, other_calls = 0;
    void* arguments[] = {&to, &by, &more};
    cudaGraphNodeParams p{}, c{}, h{};
    p.type = cudaGraphNodeTypeKernel;
    p.kernel.func = reinterpret_cast<void*>(scale_and_add);
    p.kernel.gridDim = dim3(1), p.kernel.blockDim = dim3(4);
    p.kernel.kernelParams = arguments;
    OK(cudaGraphAddNode(&kernel, graph, nullptr, nullptr, 0, &p));
    c.type = cudaGraphNodeTypeMemcpy;
    c.memcpy.copyParams = parameters({0, 0, n, 1, 40, 0, n, 1, 2, 1, 1});
    OK(cudaGraphAddNode(&copy, graph, &kernel, nullptr, 1, &c));
    cudaHostNodeParams call{add_one, &calls};
    OK(cudaGraphAddHostNode(&host, graph, &copy, 1, &call));
    call = {add_ten, &other_calls};
    const cudaGraphExec_t before = made(graph);
    OK(cudaGraphHostNodeSetParams(host, &call));
    call = {};
    OK(cudaGraphHostNodeGetParams(host, &call));
    MUST(call.fn == add_ten && call.userData == &other_calls);
    by = 3, more = 100, p.kernel.blockDim = dim3(2);
    c.memcpy.copyParams = parameters({8, 0, n, 1, 60, 0, n, 1, 1, 1, 1});
    OK(cudaGraphNodeSetParams(kernel, &p));
    OK(cudaGraphNodeSetParams(copy, &c));
    numbers want = fill();
    for (int i = 0; i < 4; ++i) want[i] = -i * 2 + 1;
    want[40] = 1000, want[41] = 1001;
    MUST(after(before) == want && calls == 1 && other_calls == 0);
    want = fill();
    want[0] = 100, want[1] = 97, want[60] = 1008;
    MUST(after(made(graph)) == want && calls == 1 && other_calls == 10);
    h.type = cudaGraphNodeTypeHost;
    h.host.fn = add_one, h.host.userData = &other_calls;
    OK(cudaGraphNodeSetParams(host, &h));
    fill();
    run(made(graph));
    MUST(calls == 1 && other_calls == 11);
    REFUSED(cudaGraphHostNodeSetParams(kernel, &call), cudaErrorInvalidValue);
    REFUSED(cudaGraphNodeSetParams(host, &c), cudaErrorInvalidValue);

    // Attributes go from the second to the first; the parameters stay.
    cudaGraphNode_t plain;
    int least = 0, greatest = 0;
    OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    OK(cudaGraphAddNode(&plain, graph, nullptr, nullptr, 0, &p));
    cudaLaunchAttributeValue value{};
    value.priority = greatest;
    OK(cudaGraphKernelNodeSetAttribute(plain, cudaLaunchAttributePriority, &value));
    value.priority = 99;
    OK(cudaGraphKernelNodeGetAttribute(kernel, cudaLaunchAttributePriority, &value));
    MUST(value.priority == least && least != greatest);
    OK(cudaGraphKernelNodeCopyAttributes(kernel, plain));
    for (const cudaGraphNode_t node : {kernel, plain}) {
        value.priority = 99;
        OK(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributePriority, &value));
        MUST(value.priority == greatest);
    }
    MUST(cudaGraphKernelNodeCopyAttributes(kernel, copy) != cudaSuccess);
}

static std::string order;
static void graphs_of_the_driver() {
    const auto note = [](void* p) { order += *static_cast<const char*>(p); };
    static char letters[] = "abc";
    CUgraph graph, other;
    CUgraphNode nodes[3], meeting, elsewhere;
    OK(cuGraphCreate(&graph, 0));
    OK(cuGraphCreate(&other, 0));
    MUST(cuGraphCreate(&other, 1) == CUDA_ERROR_INVALID_VALUE);
    // The third function is added first, and is behind the others by the empty node alone.
    for (const int i : {2, 0, 1}) {
        const cudaHostNodeParams p{note, letters + i};
        OK(cudaGraphAddHostNode(&nodes[i], graph, nullptr, 0, &p));
    }
    OK(cuGraphAddEmptyNode(&meeting, graph, nodes, 2));
    OK(cudaGraphAddDependencies(graph, &meeting, &nodes[2], nullptr, 1));
    OK(cuGraphAddEmptyNode(&elsewhere, other, nullptr, 0));
    MUST(cuGraphAddEmptyNode(&elsewhere, graph, &elsewhere, 1) == CUDA_ERROR_INVALID_VALUE);
    std::size_t count = 0;
    OK(cuGraphGetNodes(graph, nullptr, &count));
    MUST(count == 4);
    OK(cudaGraphNodeGetDependencies(meeting, nullptr, nullptr, &count));
    MUST(count == 2);
    CUgraphExec exec;
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cuGraphUpload(exec, stream));
    OK(cudaStreamSynchronize(stream));
    MUST(order.empty());
    OK(cuGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    MUST(order == "abc" || order == "bac");
    MUST(cuGraphInstantiateWithFlags(&exec, nullptr, 0) == CUDA_ERROR_INVALID_VALUE);
}

int main() {
    OK(cudaMalloc(&from, n * sizeof(int)));
    OK(cudaMalloc(&to, n * sizeof(int)));
    OK(cudaStreamCreate(&stream));
    copies();
    fills();
    any_parameters();
    graphs_of_the_driver();
    return verdict();
}
