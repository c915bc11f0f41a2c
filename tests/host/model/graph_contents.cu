// What a graph holds beside its own work: events, child graphs, objects of the program; its
// picture, what is said of an instantiation, and what a capture's next node depends on.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include "check.h"

static constexpr int n = 4;
static int* x;  // of the device
static cudaStream_t stream;
using nodes = std::vector<cudaGraphNode_t>;

__global__ void scale_and_add(int* to, int by, int more) {
    to[threadIdx.x] = to[threadIdx.x] * by + more;
}

/// A kernel's node; `p` is what it was given but for the arguments.
struct scaling {
    int by, more;
    void* arguments[3] = {&x, &by, &more};
    cudaKernelNodeParams p{};
    scaling(int by_what, int more_by) : by(by_what), more(more_by) {
        p.func = reinterpret_cast<void*>(scale_and_add);
        p.gridDim = dim3(1), p.blockDim = dim3(n);
        p.kernelParams = arguments;
    }
    scaling(const scaling&) = delete;
    cudaGraphNode_t add_to(cudaGraph_t graph, const nodes& after) const {
        cudaGraphNode_t node = nullptr;
        OK(cudaGraphAddKernelNode(&node, graph, after.data(), after.size(), &p));
        return node;
    }
};
static cudaGraph_t empty() {
    cudaGraph_t graph = nullptr;
    OK(cudaGraphCreate(&graph, 0));
    return graph;
}
static cudaGraphExec_t made(cudaGraph_t graph) {
    cudaGraphExec_t exec = nullptr;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    return exec;
}
/// What the graph makes of 1, 2, 3, 4, if it does the same with each.
static bool makes(cudaGraphExec_t exec, int by, int more) {
    const int given[n] = {1, 2, 3, 4};
    int got[n] = {};
    OK(cudaMemcpy(x, given, sizeof given, cudaMemcpyHostToDevice));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost));
    bool is_right = true;
    for (int i = 0; i < n; ++i) is_right &= got[i] == given[i] * by + more;
    if (!is_right)
        std::printf("1, 2, 3, 4 become %d, %d, %d, %d\n", got[0], got[1], got[2], got[3]);
    return is_right;
}
static nodes before(cudaGraphNode_t node) {
    std::size_t count = 9;
    nodes found(count);
    OK(cudaGraphNodeGetDependencies(node, found.data(), nullptr, &count));
    found.resize(count);
    return found;
}

static void events() {
    cudaEvent_t begin, first, second, told = nullptr;
    OK(cudaEventCreate(&begin));
    OK(cudaEventCreate(&first));
    OK(cudaEventCreate(&second));
    OK(cudaEventRecord(begin, stream));
    OK(cudaEventSynchronize(begin));
    const cudaGraph_t graph = empty();
    cudaGraphNode_t record, wait;
    OK(cudaGraphAddEventRecordNode(&record, graph, nullptr, 0, first));
    OK(cudaGraphAddEventWaitNode(&wait, graph, &record, 1, first));
    const scaling behind(2, 5);
    behind.add_to(graph, {wait});
    OK(cudaGraphEventRecordNodeGetEvent(record, &told));
    MUST(told == first);
    OK(cudaGraphEventWaitNodeGetEvent(wait, &told));
    MUST(told == first);
    const cudaGraphExec_t exec = made(graph);
    OK(cudaGraphEventRecordNodeSetEvent(record, second));
    OK(cudaGraphEventRecordNodeGetEvent(record, &told));
    MUST(told == second);
    float time = -1;
    REFUSED(cudaEventElapsedTime(&time, begin, first), cudaErrorInvalidResourceHandle);
    MUST(makes(exec, 2, 5));
    OK(cudaEventElapsedTime(&time, begin, first));
    MUST(time >= 0);
    REFUSED(cudaEventElapsedTime(&time, begin, second), cudaErrorInvalidResourceHandle);
    MUST(makes(made(graph), 2, 5));
    OK(cudaEventElapsedTime(&time, first, second));
    MUST(time >= 0);
    REFUSED(cudaGraphEventRecordNodeGetEvent(wait, &told), cudaErrorInvalidValue);
    REFUSED(cudaGraphEventRecordNodeSetEvent(wait, first), cudaErrorInvalidValue);
    REFUSED(cudaGraphEventWaitNodeGetEvent(record, &told), cudaErrorInvalidValue);
}

static void child_graphs() {
    const scaling doubled(2, 0), three_more(1, 3), tripled(3, 0), ten_more(1, 10);
    const cudaGraph_t graph = empty(), child = empty(), other = empty();
    cudaGraphNode_t of_child;
    three_more.add_to(child, {doubled.add_to(child, {})});
    OK(cudaGraphAddChildGraphNode(&of_child, graph, nullptr, 0, child));
    ten_more.add_to(graph, {of_child});
    // The child that was given is not the node's, which has another with the same nodes.
    cudaGraph_t inner = nullptr;
    OK(cudaGraphChildGraphNodeGetGraph(of_child, &inner));
    MUST(inner != nullptr && inner != child);
    std::size_t count = 0;
    OK(cudaGraphGetNodes(inner, nullptr, &count));
    MUST(count == 2);
    tripled.add_to(child, {});
    OK(cudaGraphGetNodes(inner, nullptr, &count));
    MUST(count == 2);
    const cudaGraphExec_t exec = made(graph);
    MUST(makes(exec, 2, 13));
    ten_more.add_to(other, {tripled.add_to(other, {})});
    OK(cudaGraphExecChildGraphNodeSetParams(exec, of_child, other));
    MUST(makes(exec, 3, 20));
    MUST(makes(made(graph), 2, 13));  // the node kept its own
    REFUSED(cudaGraphExecChildGraphNodeSetParams(exec, of_child, nullptr), cudaErrorInvalidValue);
    REFUSED(cudaGraphChildGraphNodeGetGraph(doubled.add_to(graph, {}), &inner),
            cudaErrorInvalidValue);
}

static std::atomic<int> gone{0};
/// A device may call it from a thread of its own, a little later.
static bool has_gone(int times) {
    using namespace std::chrono_literals;
    for (int i = 0; i < 200 && gone < times; ++i) std::this_thread::sleep_for(10ms);
    return gone == times;
}
static cudaUserObject_t object(unsigned references) {
    static int content = 0;
    cudaUserObject_t made = nullptr;
    OK(cudaUserObjectCreate(
        &made, &content, [](void* p) { gone += p == &content ? 1 : 100; }, references,
        cudaUserObjectNoDestructorSync));
    return made;
}
static void objects() {
    cudaUserObject_t one = object(2);
    OK(cudaUserObjectRetain(one, 3));
    OK(cudaUserObjectRelease(one, 4));
    MUST(gone == 0);
    OK(cudaUserObjectRelease(one, 1));
    MUST(has_gone(1));

    // The graph has a reference of its own, and so has what is instantiated of it.
    cudaGraph_t graph = empty();
    one = object(1);
    OK(cudaGraphRetainUserObject(graph, one, 1, 0));
    OK(cudaUserObjectRelease(one, 1));
    MUST(gone == 1);
    const cudaGraphExec_t exec = made(graph);
    OK(cudaGraphReleaseUserObject(graph, one, 1));
    MUST(gone == 1);
    OK(cudaGraphExecDestroy(exec));
    MUST(has_gone(2));
    one = object(1);
    OK(cudaGraphRetainUserObject(graph, one, 1, cudaGraphUserObjectMove));
    OK(cudaGraphReleaseUserObject(graph, one, 1));
    MUST(has_gone(3));
    REFUSED(cudaGraphReleaseUserObject(graph, nullptr, 1), cudaErrorInvalidValue);
    REFUSED(cudaUserObjectRetain(nullptr, 1), cudaErrorInvalidValue);
}

static void instantiation_and_picture() {
    const cudaGraph_t graph = empty();
    const scaling doubled(2, 0), one_more(1, 1);
    const cudaGraphNode_t a = doubled.add_to(graph, {}), b = one_more.add_to(graph, {a});
    cudaGraphNode_t c;
    const cudaGraphNode_t both[] = {a, b};
    OK(cudaGraphAddEmptyNode(&c, graph, both, 2));
    cudaGraphExec_t exec = nullptr;
    cudaGraphInstantiateParams p{};
    p.flags = cudaGraphInstantiateFlagUpload | cudaGraphInstantiateFlagUseNodePriority;
    p.uploadStream = stream;
    p.errNode_out = a, p.result_out = cudaGraphInstantiateError;
    OK(cudaGraphInstantiateWithParams(&exec, graph, &p));
    MUST(p.result_out == cudaGraphInstantiateSuccess && p.errNode_out == nullptr);
    MUST(makes(exec, 2, 1));
    unsigned long long flags = 0;
    OK(cudaGraphExecGetFlags(exec, &flags));
    MUST((flags & cudaGraphInstantiateFlagUseNodePriority) != 0);

    const char* const path = "graph_contents.dot";
    OK(cudaGraphDebugDotPrint(graph, path, 0));
    std::string text(1 << 16, '\0');
    std::FILE* const file = std::fopen(path, "r");
    MUST(file != nullptr);
    if (file != nullptr) {
        text.resize(std::fread(&text[0], 1, text.size(), file));
        std::fclose(file);
        std::remove(path);
    }
    int edges = 0;
    for (std::size_t i = 0; (i = text.find("->", i)) != std::string::npos; ++i) ++edges;
    MUST(text.find("digraph") == 0 && text.find('{') < text.find('}') && edges == 3);
    REFUSED(cudaGraphDebugDotPrint(graph, nullptr, 0), cudaErrorInvalidValue);
    REFUSED(cudaGraphDebugDotPrint(graph, "no_such_folder/of.dot", 0), cudaErrorOperatingSystem);
}

/// The state of the stream's capture.
struct capture {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusInvalidated;
    unsigned long long id = 0;
    cudaGraph_t graph = nullptr;
    nodes next{};  // what the next node will depend on
    capture() {
        const cudaGraphNode_t* last = nullptr;
        std::size_t count = 0;
        OK(cudaStreamGetCaptureInfo(stream, &status, &id, &graph, &last, nullptr, &count));
        if (status == cudaStreamCaptureStatusActive) next.assign(last, last + count);
    }
};

static void captures() {
    const scaling doubled(2, 0), seven_more(1, 7);
    MUST(capture().status == cudaStreamCaptureStatusNone);
    REFUSED(cudaStreamUpdateCaptureDependencies(stream, nullptr, nullptr, 0,
                                                cudaStreamSetCaptureDependencies),
            cudaErrorIllegalState);
    cudaGraph_t graph;
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    const capture begun;
    MUST(begun.status == cudaStreamCaptureStatusActive && begun.id != 0 && begun.next.empty());
    scale_and_add<<<1, n, 0, stream>>>(x, 3, 0);
    const capture after_one;
    MUST(after_one.id == begun.id && after_one.graph == begun.graph && after_one.next.size() == 1);
    // Two nodes by hand, the next launch behind the second, and one behind that and the first.
    cudaGraphNode_t more = seven_more.add_to(after_one.graph, after_one.next);
    cudaGraphNode_t twice = doubled.add_to(after_one.graph, {more});
    OK(cudaStreamUpdateCaptureDependencies(stream, &twice, nullptr, 1,
                                           cudaStreamSetCaptureDependencies));
    MUST(capture().next == nodes{twice});
    scale_and_add<<<1, n, 0, stream>>>(x, 1, 100);
    const nodes third = capture().next;
    MUST(third.size() == 1 && third != nodes{twice} && before(third[0]) == nodes{twice});
    OK(cudaStreamUpdateCaptureDependencies(stream, &more, nullptr, 1,
                                           cudaStreamAddCaptureDependencies));
    MUST(capture().next.size() == 2);
    scale_and_add<<<1, n, 0, stream>>>(x, 5, 0);
    const nodes last = capture().next;
    MUST(last.size() == 1 && before(last[0]).size() == 2);
    OK(cudaStreamEndCapture(stream, &graph));
    MUST(graph == begun.graph);
    MUST(capture().status == cudaStreamCaptureStatusNone);
    MUST(makes(made(graph), 30, (7 * 2 + 100) * 5));
}

int main() {
    OK(cudaMalloc(&x, n * sizeof(int)));
    OK(cudaStreamCreate(&stream));
    events();
    child_graphs();
    objects();
    instantiation_and_picture();
    captures();
    return verdict();
}
