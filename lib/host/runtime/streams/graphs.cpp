#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "asynchronous_streams.h"
#include "cuset_host/faults.h"
#include "cuset_host/threads/execution.h"
#include "cuset_host/threads/named_kernels.h"
#include "graph_memory.h"
#include "graph_nodes.h"

using namespace cuset_host;

namespace {

cudaGraphNode_t add(cudaGraph_t graph, cudaGraphNodeType type, graph_work work,
                    std::vector<cudaGraphNode_t> after) {
    auto made = std::make_unique<CUgraphNode_st>();
    made->graph = graph;
    made->type = type;
    made->work = std::move(work);
    made->after = std::move(after);
    graph->nodes.push_back(std::move(made));
    return graph->nodes.back().get();
}

}  // namespace

namespace cuset_host {

cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                     std::size_t count, cudaGraphNodeType type, graph_work work) {
    if (node == nullptr || graph == nullptr || (count > 0 && after == nullptr))
        return set_error(cudaErrorInvalidValue);
    for (std::size_t i = 0; i < count; ++i)
        if (after[i] == nullptr || after[i]->graph != graph)
            return set_error(cudaErrorInvalidValue);
    *node = add(graph, type, std::move(work), {after, after + count});
    return cudaSuccess;
}

}  // namespace cuset_host

namespace {

/// The nodes, each behind those that it depends on; false if that is impossible.
bool in_order(const CUgraph_st& graph, std::vector<cudaGraphNode_t>& order) {
    std::set<cudaGraphNode_t> done;
    while (order.size() < graph.nodes.size()) {
        const std::size_t before = order.size();
        for (const auto& node : graph.nodes) {
            const bool is_ready =
                done.count(node.get()) == 0 &&
                std::all_of(node->after.begin(), node->after.end(),
                            [&](cudaGraphNode_t n) { return done.count(n) != 0; });
            if (!is_ready) continue;
            done.insert(node.get());
            order.push_back(node.get());
        }
        if (order.size() == before) return false;
    }
    return true;
}

}  // namespace

namespace cuset_host {

bool steps_of(const CUgraph_st& graph, std::vector<CUgraphExec_st::step>& steps) {
    std::vector<cudaGraphNode_t> order;
    if (!in_order(graph, order)) return false;
    std::map<cudaGraphNode_t, std::size_t> numbers, places;
    for (const auto& node : graph.nodes) numbers.emplace(node.get(), numbers.size() + 1);
    for (cudaGraphNode_t node : order) {
        graph_work work = node->work;
        if (node->child != nullptr) {
            std::vector<CUgraphExec_st::step> its_steps;
            if (!steps_of(*node->child, its_steps)) return false;
            work = [its_steps] { return run(its_steps); };
        }
        steps.push_back({node, node->type, std::move(work), node->is_enabled, numbers[node]});
        for (cudaGraphNode_t before : node->after) steps.back().after.push_back(places[before]);
        places.emplace(node, places.size());
    }
    return true;
}

cudaGraphNode_t node_on_cycle(const CUgraph_st& graph) {
    std::vector<cudaGraphNode_t> order;
    if (in_order(graph, order)) return nullptr;
    const auto is_stuck = [&](cudaGraphNode_t node) {
        return std::find(order.begin(), order.end(), node) == order.end();
    };
    cudaGraphNode_t at = nullptr;
    for (const auto& node : graph.nodes)
        if (is_stuck(node.get())) at = node.get();
    // Each waits for another such node, so that the way back ends in a circle.
    for (std::size_t i = 0; i < graph.nodes.size(); ++i)
        at = *std::find_if(at->after.begin(), at->after.end(), is_stuck);
    return at;
}

bool are_alike(const std::vector<CUgraphExec_st::step>& a,
               const std::vector<CUgraphExec_st::step>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto& one, const auto& other) { return one.type == other.type; });
}

graph_work launch_of(const cudaKernelNodeParams& p, launch_parameters* parameters) {
    if (registration::find(p.func) == nullptr)
        fail("unsupported", "the address of a kernel template in a graph's node");
    // A capture copies the arguments.
    CUgraph_st graph;
    CUstream_st stream{0, 0, {}, false};
    stream.capture.graph = &graph;
    const configuration shape(p.gridDim, p.blockDim, p.sharedMemBytes, &stream);
    {
        const std::lock_guard lock(captures_mutex());
        captures().insert(&graph);
    }
    registration::find(p.func)->run({"", 0}, shape, p.kernelParams, false);
    {
        const std::lock_guard lock(captures_mutex());
        captures().erase(&graph);
    }
    if (graph.nodes.empty()) return {};
    const CUgraphNode_st& made = *graph.nodes.front();
    if (parameters != nullptr) {
        *parameters = made;
        parameters->kernel.func = p.func;  // a capture has it as it was launched
    }
    return made.work;
}

cudaError_t set_work(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraphNodeType type,
                     graph_work work) {
    if (exec == nullptr || node == nullptr) return set_error(cudaErrorInvalidValue);
    for (auto& step : exec->steps) {
        if (step.from != node || step.type != type) continue;
        step.work = std::move(work);
        return cudaSuccess;
    }
    return set_error(cudaErrorInvalidValue);
}

graph_work copy_of(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    return [=] { return cudaMemcpy(to, from, bytes, kind); };
}

graph_work copy_of(const cudaMemcpy3DParms& p) {
    return [p] { return cudaMemcpy3D(&p); };
}

graph_work call_of(const cudaHostNodeParams& p) {
    return [p] {
        const host_call_watch calls;
        p.fn(p.userData);
        return cudaSuccess;
    };
}

graph_work set_of(const cudaMemsetParams& p) {
    return [p] {
        for (std::size_t y = 0; y < std::max<std::size_t>(1, p.height); ++y) {
            char* const row = static_cast<char*>(p.dst) + y * p.pitch;
            if (p.elementSize == 1) {
                if (const cudaError_t e = cudaMemset(row, static_cast<int>(p.value), p.width))
                    return e;
                continue;
            }
            std::vector<unsigned char> values(p.width * p.elementSize);
            for (std::size_t i = 0; i < values.size(); ++i)
                values[i] = static_cast<unsigned char>(p.value >> (8 * (i % p.elementSize)) & 255);
            if (const cudaError_t e =
                    cudaMemcpy(row, values.data(), values.size(), cudaMemcpyDefault))
                return e;
        }
        return cudaSuccess;
    };
}

cudaError_t run(const std::vector<CUgraphExec_st::step>& steps) {
    const inside_call parts;
    races::graph_order order(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const auto& step = steps[i];
        order.begin_node(i, step.number, step.after);
        if (step.is_enabled && step.work)
            if (const cudaError_t error = step.work(); error != cudaSuccess) return error;
    }
    return cudaSuccess;
}

cudaError_t give(const std::vector<cudaGraphNode_t>& nodes, cudaGraphNode_t* out,
                 std::size_t* count) {
    if (count == nullptr) return set_error(cudaErrorInvalidValue);
    if (out != nullptr)
        for (std::size_t i = 0; i < std::min(*count, nodes.size()); ++i) out[i] = nodes[i];
    *count = nodes.size();
    return cudaSuccess;
}

bool has_memory_nodes(const CUgraph_st& graph) {
    return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const auto& node) {
        return node->type == memory_node || node->type == free_node ||
               (node->child != nullptr && has_memory_nodes(*node->child));
    });
}

cudaError_t add_child(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                      std::size_t count, cudaGraph_t child) {
    std::vector<CUgraphExec_st::step> steps;
    if (child == nullptr || !steps_of(*child, steps)) return set_error(cudaErrorInvalidValue);
    const cudaError_t error = add_node(node, graph, after, count, cudaGraphNodeTypeGraph, {});
    if (error != cudaSuccess) return error;
    child->is_body = true;
    (*node)->child = child;
    return cudaSuccess;
}

}  // namespace cuset_host

namespace {

void add_memory_of(const CUgraph_st& graph, std::vector<void*>& all) {
    for (const auto& node : graph.nodes) {
        if (node->type == memory_node) all.push_back(node->memory);
        if (node->child != nullptr) add_memory_of(*node->child, all);
    }
}

}  // namespace

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
    if (graph == nullptr || flags != 0) return set_error(cudaErrorInvalidValue);
    *graph = new CUgraph_st;
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    if (graph == nullptr) return set_error(cudaErrorInvalidValue);
    if (!graph->is_body) delete graph;
    return cudaSuccess;
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
    if (clone == nullptr || graph == nullptr) return set_error(cudaErrorInvalidValue);
    if (has_memory_nodes(*graph)) return set_error(cudaErrorNotSupported);
    auto* const made = new CUgraph_st;
    for (const auto& node : graph->nodes) {
        cudaGraphNode_t const copy = add(made, node->type, node->work, {});
        *copy << *node;
        if (node->child != nullptr) {
            if (const cudaError_t error = cudaGraphClone(&copy->child, node->child);
                error != cudaSuccess)
                return error;
            copy->child->is_body = true;
        }
        copy->is_enabled = node->is_enabled;
        copy->overlaps = node->overlaps;
        copy->cloned_from = node.get();
    }
    made->kept = graph->kept;
    for (std::size_t i = 0; i < graph->nodes.size(); ++i)
        for (cudaGraphNode_t before : graph->nodes[i]->after)
            for (std::size_t k = 0; k < graph->nodes.size(); ++k)
                if (graph->nodes[k].get() == before)
                    made->nodes[i]->after.push_back(made->nodes[k].get());
    *clone = made;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                          unsigned long long flags) {
    if (exec == nullptr || graph == nullptr) return set_error(cudaErrorInvalidValue);
    auto made = std::make_unique<CUgraphExec_st>();
    if (!steps_of(*graph, made->steps)) return set_error(cudaErrorInvalidValue);
    add_memory_of(*graph, made->memory);
    made->conditions = graph->conditions;
    made->kept = graph->kept;
    made->flags = flags;
    *exec = made.release();
    constexpr unsigned long long for_kernels = 4;  // cudaGraphInstantiateFlagDeviceLaunch
    if ((flags & for_kernels) != 0) allow_launches_from_kernels(*exec);
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                 unsigned long long flags) {
    return cudaGraphInstantiateWithFlags(exec, graph, flags);
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long* flags) {
    if (exec == nullptr || flags == nullptr) return set_error(cudaErrorInvalidValue);
    *flags = exec->flags;
    return cudaSuccess;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t) {
    return exec == nullptr ? set_error(cudaErrorInvalidValue) : cudaSuccess;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* result) {
    if (exec == nullptr || graph == nullptr) return set_error(cudaErrorInvalidValue);
    std::vector<CUgraphExec_st::step> steps;
    const bool is_same = steps_of(*graph, steps) && are_alike(steps, exec->steps);
    if (result != nullptr) {
        *result = {};
        result->result =
            is_same ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged;
    }
    if (!is_same) return set_error(cudaErrorGraphExecUpdateFailure);
    for (std::size_t i = 0; i < steps.size(); ++i) exec->steps[i].work = steps[i].work;
    add_memory_of(*graph, exec->memory);  // what is taken of the old stays
    return cudaSuccess;
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                     std::size_t count) {
    if (graph == nullptr || (count > 0 && (from == nullptr || to == nullptr)))
        return set_error(cudaErrorInvalidValue);
    for (std::size_t i = 0; i < count; ++i) to[i]->after.push_back(from[i]);
    return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
    if (graph == nullptr) return set_error(cudaErrorInvalidValue);
    std::vector<cudaGraphNode_t> all;
    for (const auto& node : graph->nodes) all.push_back(node.get());
    return give(all, nodes, count);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
    if (graph == nullptr) return set_error(cudaErrorInvalidValue);
    std::vector<cudaGraphNode_t> roots;
    for (const auto& node : graph->nodes)
        if (node->after.empty()) roots.push_back(node.get());
    return give(roots, nodes, count);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              cudaGraphEdgeData* edges, std::size_t* count) {
    if (graph == nullptr || count == nullptr) return set_error(cudaErrorInvalidValue);
    std::size_t number = 0;
    for (const auto& node : graph->nodes) {
        for (cudaGraphNode_t before : node->after) {
            if (from != nullptr && to != nullptr && number < *count) {
                from[number] = before;
                to[number] = node.get();
                if (edges != nullptr) {
                    edges[number] = {};
                    if (node->overlaps && before->type == cudaGraphNodeTypeKernel) {
                        edges[number].type = cudaGraphDependencyTypeProgrammatic;
                        edges[number].from_port = cudaGraphKernelNodePortProgrammatic;
                    }
                }
            }
            ++number;
        }
    }
    *count = number;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
    if (node == nullptr || type == nullptr) return set_error(cudaErrorInvalidValue);
    *type = node->type;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled) {
    if (exec == nullptr) return set_error(cudaErrorInvalidValue);
    for (auto& step : exec->steps)
        if (step.from == node) step.is_enabled = enabled != 0;
    return cudaSuccess;
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
    if (node == nullptr) return set_error(cudaErrorInvalidValue);
    auto& nodes = node->graph->nodes;
    for (const auto& other : nodes)
        other->after.erase(std::remove(other->after.begin(), other->after.end(), node),
                           other->after.end());
    nodes.erase(std::find_if(nodes.begin(), nodes.end(),
                             [&](const auto& each) { return each.get() == node; }));
    return cudaSuccess;
}

}  // extern "C"
