// The runtime API: what a program may ask and change of a graph's nodes, memory in graphs,
// conditions, and objects that graphs keep.
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cuset_host/faults.h"
#include "cuset_host/threads/execution.h"
#include "graph_memory.h"
#include "graph_nodes.h"

using namespace cuset_host;

namespace {

struct condition {
    unsigned value, initial;
    bool is_reset;
};
std::vector<condition>& conditions() {
    static auto& made = *new std::vector<condition>;
    return made;
}

bool is_type(cudaGraphNode_t node, cudaGraphNodeType type) {
    return node != nullptr && node->type == type;
}

}  // namespace

namespace cuset_host {

void reset_condition(unsigned number) {
    condition& c = conditions()[number - 1];
    if (c.is_reset) c.value = c.initial;
}

void set_condition(unsigned long long handle, unsigned value) {
    if (handle == 0 || handle > conditions().size())
        fail("illegal_address", running_thread() + ": cudaGraphSetConditional without a handle");
    __atomic_store_n(&conditions()[handle - 1].value, value, __ATOMIC_RELAXED);
}

}  // namespace cuset_host

extern "C" {

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* p) {
    if (!is_type(node, cudaGraphNodeTypeHost) || p == nullptr)
        return set_error(cudaErrorInvalidValue);
    *p = node->host;
    return cudaSuccess;
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* p) {
    if (!is_type(node, cudaGraphNodeTypeHost) || p == nullptr || p->fn == nullptr)
        return set_error(cudaErrorInvalidValue);
    node->host = *p;
    node->work = call_of(*p);
    return cudaSuccess;
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const cudaHostNodeParams* p) {
    if (p == nullptr || p->fn == nullptr) return set_error(cudaErrorInvalidValue);
    return set_work(exec, node, cudaGraphNodeTypeHost, call_of(*p));
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* p) {
    if (!is_type(node, cudaGraphNodeTypeMemset) || p == nullptr)
        return set_error(cudaErrorInvalidValue);
    *p = node->set;
    return cudaSuccess;
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* p) {
    if (!is_type(node, cudaGraphNodeTypeMemset) || p == nullptr)
        return set_error(cudaErrorInvalidValue);
    node->set = *p;
    node->work = set_of(*p);
    return cudaSuccess;
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* p) {
    if (!is_type(node, cudaGraphNodeTypeMemcpy) || p == nullptr)
        return set_error(cudaErrorInvalidValue);
    if (node->copy.extent.width == 0)
        fail("unsupported", "cudaGraphMemcpyNodeGetParams of a node that was not added with them");
    *p = node->copy;
    return cudaSuccess;
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* p) {
    if (!is_type(node, cudaGraphNodeTypeMemcpy) || p == nullptr)
        return set_error(cudaErrorInvalidValue);
    node->copy = *p;
    node->work = copy_of(*p);
    return cudaSuccess;
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from,
                                           std::size_t bytes, cudaMemcpyKind kind) {
    if (!is_type(node, cudaGraphNodeTypeMemcpy)) return set_error(cudaErrorInvalidValue);
    node->copy = {};
    node->work = copy_of(to, from, bytes, kind);
    return cudaSuccess;
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* after, std::size_t count,
                                           const void* symbol, const void* from, std::size_t bytes,
                                           std::size_t offset, cudaMemcpyKind kind) {
    return add_node(node, graph, after, count, cudaGraphNodeTypeMemcpy,
                    [=] { return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind); });
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                             const cudaGraphNode_t* after, std::size_t count,
                                             void* to, const void* symbol, std::size_t bytes,
                                             std::size_t offset, cudaMemcpyKind kind) {
    return add_node(node, graph, after, count, cudaGraphNodeTypeMemcpy,
                    [=] { return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind); });
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
    if (!is_type(node, cudaGraphNodeTypeGraph) || graph == nullptr)
        return set_error(cudaErrorInvalidValue);
    *graph = node->child;
    return cudaSuccess;
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaGraph_t child) {
    std::vector<CUgraphExec_st::step> steps, before;
    if (!is_type(node, cudaGraphNodeTypeGraph) || child == nullptr || !steps_of(*child, steps) ||
        !steps_of(*node->child, before) || !are_alike(steps, before))
        return set_error(cudaErrorInvalidValue);
    return set_work(exec, node, cudaGraphNodeTypeGraph, [steps] { return run(steps); });
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
    if (!is_type(node, cudaGraphNodeTypeEventRecord) || event == nullptr)
        return set_error(cudaErrorInvalidValue);
    *event = node->event;
    return cudaSuccess;
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
    if (!is_type(node, cudaGraphNodeTypeEventRecord)) return set_error(cudaErrorInvalidValue);
    node->event = event;
    node->work = [event] { return cudaEventRecord(event, nullptr); };
    return cudaSuccess;
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
    if (!is_type(node, cudaGraphNodeTypeWaitEvent) || event == nullptr)
        return set_error(cudaErrorInvalidValue);
    *event = node->event;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* found, cudaGraphNode_t original,
                                     cudaGraph_t clone) {
    if (found == nullptr || original == nullptr || clone == nullptr)
        return set_error(cudaErrorInvalidValue);
    for (const auto& node : clone->nodes)
        if (node->cloned_from == original) {
            *found = node.get();
            return cudaSuccess;
        }
    return set_error(cudaErrorInvalidValue);
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned* enabled) {
    if (exec == nullptr || enabled == nullptr) return set_error(cudaErrorInvalidValue);
    for (const auto& step : exec->steps)
        if (step.from == node) {
            *enabled = step.is_enabled;
            return cudaSuccess;
        }
    return set_error(cudaErrorInvalidValue);
}

/// The program's own picture of its graph: nodes and edges, without their parameters.
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned) {
    if (graph == nullptr || path == nullptr) return set_error(cudaErrorInvalidValue);
    std::FILE* to = std::fopen(path, "w");
    if (to == nullptr) return set_error(cudaErrorOperatingSystem);
    std::map<cudaGraphNode_t, std::size_t> numbers;
    for (const auto& node : graph->nodes) numbers.emplace(node.get(), numbers.size());
    std::fputs("digraph dot {\n", to);
    for (const auto& node : graph->nodes) {
        std::fprintf(to, "\"graph_node_%zu\"[label=\"%d\"];\n", numbers[node.get()],
                     static_cast<int>(node->type));
        for (cudaGraphNode_t before : node->after)
            std::fprintf(to, "\"graph_node_%zu\" -> \"graph_node_%zu\";\n", numbers[before],
                         numbers[node.get()]);
    }
    std::fputs("}\n", to);
    std::fclose(to);
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                         cudaGraphEdgeData*, std::size_t* count) {
    if (node == nullptr) return set_error(cudaErrorInvalidValue);
    return give(node->after, nodes, count);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                           cudaGraphEdgeData*, std::size_t* count) {
    if (node == nullptr) return set_error(cudaErrorInvalidValue);
    std::vector<cudaGraphNode_t> later;
    for (const auto& other : node->graph->nodes)
        if (std::find(other->after.begin(), other->after.end(), node) != other->after.end())
            later.push_back(other.get());
    return give(later, nodes, count);
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                        std::size_t count) {
    if (graph == nullptr || (count > 0 && (from == nullptr || to == nullptr)))
        return set_error(cudaErrorInvalidValue);
    for (std::size_t i = 0; i < count; ++i) {
        auto& after = to[i]->after;
        after.erase(std::remove(after.begin(), after.end(), from[i]), after.end());
    }
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* p) {
    if (p == nullptr) return set_error(cudaErrorInvalidValue);
    const cudaError_t error = cudaGraphInstantiateWithFlags(exec, graph, p->flags);
    p->result_out = error == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateError;
    p->errNode_out = graph == nullptr ? nullptr : node_on_cycle(*graph);
    if (p->errNode_out != nullptr) p->result_out = cudaGraphInstantiateInvalidStructure;
    return error;
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* after, std::size_t count,
                                     cudaMemAllocNodeParams* p) {
    if (p == nullptr || p->bytesize == 0) return set_error(cudaErrorInvalidValue);
    if (const cudaError_t error = allocate_for_graph(&p->dptr, p->bytesize); error != cudaSuccess)
        return error;
    const cudaError_t error =
        add_node(node, graph, after, count, cudaGraphNodeTypeMemAlloc, taking(p->dptr));
    if (error != cudaSuccess) return error;
    (*node)->memory = p->dptr;
    (*node)->bytes = p->bytesize;
    (*node)->pool = p->poolProps;
    return cudaSuccess;
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* p) {
    if (!is_type(node, cudaGraphNodeTypeMemAlloc) || p == nullptr)
        return set_error(cudaErrorInvalidValue);
    *p = {};
    p->poolProps = node->pool;
    p->bytesize = node->bytes;
    p->dptr = node->memory;
    return cudaSuccess;
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* after, std::size_t count, void* p) {
    if (p == nullptr) return set_error(cudaErrorInvalidValue);
    const cudaError_t error =
        add_node(node, graph, after, count, cudaGraphNodeTypeMemFree, giving_back(p));
    if (error == cudaSuccess) (*node)->memory = p;
    return error;
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* p) {
    if (!is_type(node, cudaGraphNodeTypeMemFree) || p == nullptr)
        return set_error(cudaErrorInvalidValue);
    *static_cast<void**>(p) = node->memory;
    return cudaSuccess;
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph,
                                             unsigned initial, unsigned flags) {
    if (handle == nullptr || graph == nullptr) return set_error(cudaErrorInvalidValue);
    conditions().push_back({initial, initial, (flags & cudaGraphCondAssignDefault) != 0});
    graph->conditions.push_back(static_cast<unsigned>(conditions().size()));
    *handle = conditions().size();
    return cudaSuccess;
}

}  // extern "C"

namespace {

cudaError_t add_condition(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                          std::size_t count, cudaConditionalNodeParams& p) {
    if (p.handle == 0 || p.handle > conditions().size() || p.size == 0)
        return set_error(cudaErrorInvalidValue);
    std::vector<cudaGraph_t> bodies;
    for (unsigned i = 0; i < p.size; ++i) {
        bodies.push_back(new CUgraph_st);
        bodies.back()->is_body = true;
    }
    const auto type = p.type;
    const auto number = static_cast<std::size_t>(p.handle - 1);
    const auto work = [bodies, type, number]() -> cudaError_t {
        const auto run_body = [&](std::size_t i) {
            std::vector<CUgraphExec_st::step> steps;
            if (i >= bodies.size()) return cudaSuccess;
            return steps_of(*bodies[i], steps) ? run(steps) : cudaErrorInvalidValue;
        };
        const unsigned now = conditions()[number].value;
        if (type == cudaGraphCondTypeIf) return run_body(now != 0 ? 0 : 1);
        if (type == cudaGraphCondTypeSwitch) return run_body(now);
        while (conditions()[number].value != 0)
            if (const cudaError_t error = run_body(0); error != cudaSuccess) return error;
        return cudaSuccess;
    };
    const cudaError_t error =
        add_node(node, graph, after, count, cudaGraphNodeTypeConditional, work);
    if (error != cudaSuccess) return error;
    (*node)->bodies = bodies;
    p.phGraph_out = new cudaGraph_t[p.size];  // the program's for as long as it runs
    std::copy(bodies.begin(), bodies.end(), p.phGraph_out);
    return cudaSuccess;
}

cudaKernelNodeParams plain(const cudaKernelNodeParamsV2& p) {
    cudaKernelNodeParams out{};
    out.func = p.func;
    out.gridDim = p.gridDim;
    out.blockDim = p.blockDim;
    out.sharedMemBytes = p.sharedMemBytes;
    out.kernelParams = p.kernelParams;
    out.extra = p.extra;
    return out;
}
cudaMemsetParams plain(const cudaMemsetParamsV2& p) {
    return {p.dst, p.pitch, p.value, p.elementSize, p.width, p.height};
}
cudaHostNodeParams plain(const cudaHostNodeParamsV2& p) { return {p.fn, p.userData}; }

}  // namespace

extern "C" {

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                             const cudaGraphEdgeData*, std::size_t count, cudaGraphNodeParams* p) {
    if (p == nullptr) return set_error(cudaErrorInvalidValue);
    switch (p->type) {
        case cudaGraphNodeTypeKernel: {
            const cudaKernelNodeParams kernel = plain(p->kernel);
            return cudaGraphAddKernelNode(node, graph, after, count, &kernel);
        }
        case cudaGraphNodeTypeMemcpy:
            return cudaGraphAddMemcpyNode(node, graph, after, count, &p->memcpy.copyParams);
        case cudaGraphNodeTypeMemset: {
            const cudaMemsetParams set = plain(p->memset);
            return cudaGraphAddMemsetNode(node, graph, after, count, &set);
        }
        case cudaGraphNodeTypeHost: {
            const cudaHostNodeParams host = plain(p->host);
            return cudaGraphAddHostNode(node, graph, after, count, &host);
        }
        case cudaGraphNodeTypeGraph:
#if CUDART_VERSION >= 13000
            if (p->graph.ownership == cudaGraphChildGraphOwnershipMove)
                return add_child(node, graph, after, count, p->graph.graph);
#endif
            return cudaGraphAddChildGraphNode(node, graph, after, count, p->graph.graph);
        case cudaGraphNodeTypeEmpty: return cudaGraphAddEmptyNode(node, graph, after, count);
        case cudaGraphNodeTypeEventRecord:
            return cudaGraphAddEventRecordNode(node, graph, after, count, p->eventRecord.event);
        case cudaGraphNodeTypeWaitEvent:
            return cudaGraphAddEventWaitNode(node, graph, after, count, p->eventWait.event);
        case cudaGraphNodeTypeMemAlloc: {
            cudaMemAllocNodeParams wanted{};
            wanted.poolProps = p->alloc.poolProps;
            wanted.bytesize = p->alloc.bytesize;
            const cudaError_t error = cudaGraphAddMemAllocNode(node, graph, after, count, &wanted);
            p->alloc.dptr = wanted.dptr;
            return error;
        }
        case cudaGraphNodeTypeMemFree:
            return cudaGraphAddMemFreeNode(node, graph, after, count, p->free.dptr);
        case cudaGraphNodeTypeConditional:
            return add_condition(node, graph, after, count, p->conditional);
        default: fail("unsupported", "cudaGraphAddNode of a node of this type");
    }
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* p) {
    if (node == nullptr || p == nullptr || node->type != p->type)
        return set_error(cudaErrorInvalidValue);
    switch (p->type) {
        case cudaGraphNodeTypeKernel: {
            const cudaKernelNodeParams kernel = plain(p->kernel);
            return cudaGraphKernelNodeSetParams(node, &kernel);
        }
        case cudaGraphNodeTypeMemcpy:
            return cudaGraphMemcpyNodeSetParams(node, &p->memcpy.copyParams);
        case cudaGraphNodeTypeMemset: {
            const cudaMemsetParams set = plain(p->memset);
            return cudaGraphMemsetNodeSetParams(node, &set);
        }
        case cudaGraphNodeTypeHost: {
            const cudaHostNodeParams host = plain(p->host);
            return cudaGraphHostNodeSetParams(node, &host);
        }
        default: fail("unsupported", "cudaGraphNodeSetParams of a node of this type");
    }
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       cudaGraphNodeParams* p) {
    if (node == nullptr || p == nullptr || node->type != p->type)
        return set_error(cudaErrorInvalidValue);
    switch (p->type) {
        case cudaGraphNodeTypeKernel:
            return set_work(exec, node, p->type, launch_of(plain(p->kernel)));
        case cudaGraphNodeTypeMemcpy:
            return cudaGraphExecMemcpyNodeSetParams(exec, node, &p->memcpy.copyParams);
        case cudaGraphNodeTypeMemset:
            return set_work(exec, node, p->type, set_of(plain(p->memset)));
        case cudaGraphNodeTypeHost: return set_work(exec, node, p->type, call_of(plain(p->host)));
        default: fail("unsupported", "cudaGraphExecNodeSetParams of a node of this type");
    }
}

}  // extern "C"

struct CUuserObject_st {
    std::shared_ptr<void> held;  // by the program
    std::weak_ptr<void> known;
    unsigned references;
};

extern "C" {

cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void* p, cudaHostFn_t destroy,
                                 unsigned references, unsigned flags) {
    if (object == nullptr || destroy == nullptr || references == 0 ||
        flags != cudaUserObjectNoDestructorSync)
        return set_error(cudaErrorInvalidValue);
    const std::shared_ptr<void> held(p, destroy);
    *object = new CUuserObject_st{held, held, references};
    return cudaSuccess;
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
    if (object == nullptr || count == 0) return set_error(cudaErrorInvalidValue);
    object->references += count;
    return cudaSuccess;
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
    if (object == nullptr || count == 0 || count > object->references)
        return set_error(cudaErrorInvalidValue);
    object->references -= count;
    if (object->references == 0) object->held = nullptr;
    return cudaSuccess;
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count,
                                      unsigned flags) {
    if (graph == nullptr || object == nullptr || count == 0 || object->known.expired())
        return set_error(cudaErrorInvalidValue);
    graph->kept[object->known.lock()] += count;
    return flags == cudaGraphUserObjectMove ? cudaUserObjectRelease(object, count) : cudaSuccess;
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count) {
    if (graph == nullptr || object == nullptr || count == 0)
        return set_error(cudaErrorInvalidValue);
    const auto found = graph->kept.find(object->known);
    if (found == graph->kept.end() || found->second < count)
        return set_error(cudaErrorInvalidValue);
    found->second -= count;
    if (found->second == 0) graph->kept.erase(found);
    return cudaSuccess;
}

}  // extern "C"
