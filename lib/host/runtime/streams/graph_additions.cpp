// The runtime API: adding nodes to graphs by hand, and the parameters of kernels' nodes.
#include <utility>

#include "cuset_host/faults.h"
#include "cuset_host/threads/execution.h"
#include "graph_nodes.h"

using namespace cuset_host;

extern "C" {

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, std::size_t count,
                                   const cudaKernelNodeParams* p) {
    if (p == nullptr) return set_error(cudaErrorInvalidValue);
    launch_parameters parameters;
    const cudaError_t error =
        add_node(node, graph, after, count, cudaGraphNodeTypeKernel, launch_of(*p, &parameters));
    if (error == cudaSuccess) **node << std::move(parameters);
    return error;
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* p) {
    if (node == nullptr || p == nullptr || node->type != cudaGraphNodeTypeKernel)
        return set_error(cudaErrorInvalidValue);
    if (node->kernel.func == nullptr)
        fail("unsupported", "cudaGraphKernelNodeGetParams of a captured template's launch");
    *p = node->kernel;
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* p) {
    if (node == nullptr || p == nullptr || node->type != cudaGraphNodeTypeKernel)
        return set_error(cudaErrorInvalidValue);
    launch_parameters parameters;
    node->work = launch_of(*p, &parameters);
    *node << std::move(parameters);
    return cudaSuccess;
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* p) {
    if (p == nullptr) return set_error(cudaErrorInvalidValue);
    return set_work(exec, node, cudaGraphNodeTypeKernel, launch_of(*p));
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, std::size_t count,
                                   const cudaMemcpy3DParms* p) {
    if (p == nullptr) return set_error(cudaErrorInvalidValue);
    const cudaError_t error =
        add_node(node, graph, after, count, cudaGraphNodeTypeMemcpy, copy_of(*p));
    if (error == cudaSuccess) (*node)->copy = *p;
    return error;
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* after, std::size_t count, void* to,
                                     const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    return add_node(node, graph, after, count, cudaGraphNodeTypeMemcpy,
                    copy_of(to, from, bytes, kind));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void* to,
                                               const void* from, std::size_t bytes,
                                               cudaMemcpyKind kind) {
    return set_work(exec, node, cudaGraphNodeTypeMemcpy, copy_of(to, from, bytes, kind));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* p) {
    if (p == nullptr || p->extent.height > 1 || p->extent.depth > 1)
        return set_error(cudaErrorInvalidValue);
    return set_work(exec, node, cudaGraphNodeTypeMemcpy, copy_of(*p));
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, std::size_t count,
                                   const cudaMemsetParams* p) {
    if (p == nullptr) return set_error(cudaErrorInvalidValue);
    const cudaError_t error =
        add_node(node, graph, after, count, cudaGraphNodeTypeMemset, set_of(*p));
    if (error == cudaSuccess) (*node)->set = *p;
    return error;
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemsetParams* p) {
    if (p == nullptr) return set_error(cudaErrorInvalidValue);
    return set_work(exec, node, cudaGraphNodeTypeMemset, set_of(*p));
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* after, std::size_t count,
                                 const cudaHostNodeParams* p) {
    if (p == nullptr || p->fn == nullptr) return set_error(cudaErrorInvalidValue);
    const cudaError_t error =
        add_node(node, graph, after, count, cudaGraphNodeTypeHost, call_of(*p));
    if (error == cudaSuccess) (*node)->host = *p;
    return error;
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* after, std::size_t count) {
    return add_node(node, graph, after, count, cudaGraphNodeTypeEmpty, {});
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* after, std::size_t count,
                                       cudaGraph_t child) {
    if (child != nullptr && has_memory_nodes(*child)) return set_error(cudaErrorNotSupported);
    cudaGraph_t clone = nullptr;
    if (const cudaError_t error = cudaGraphClone(&clone, child); error != cudaSuccess) return error;
    const cudaError_t error = add_child(node, graph, after, count, clone);
    if (error != cudaSuccess) delete clone;
    return error;
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* after, std::size_t count,
                                        cudaEvent_t event) {
    const cudaError_t error = add_node(node, graph, after, count, cudaGraphNodeTypeEventRecord,
                                       [event] { return cudaEventRecord(event, nullptr); });
    if (error == cudaSuccess) (*node)->event = event;
    return error;
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                      const cudaGraphNode_t* after, std::size_t count,
                                      cudaEvent_t event) {
    const cudaError_t error = add_node(node, graph, after, count, cudaGraphNodeTypeWaitEvent,
                                       [event] { return cudaEventSynchronize(event); });
    if (error == cudaSuccess) (*node)->event = event;
    return error;
}

}  // extern "C"

// The attributes of a graph's kernels change nothing here.

namespace {

bool is_kernel(cudaGraphNode_t node) {
    return node != nullptr && node->type == cudaGraphNodeTypeKernel;
}

}  // namespace

extern "C" {

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                            const cudaLaunchAttributeValue* value) {
    if (!is_kernel(node) || value == nullptr) return set_error(cudaErrorInvalidValue);
    if (attribute != cudaLaunchAttributePriority &&
        attribute != cudaLaunchAttributeAccessPolicyWindow)
        fail("unsupported",
             "cudaGraphKernelNodeSetAttribute of another attribute than the "
             "priority and the access policy");
    node->attributes[attribute] = *value;
    return cudaSuccess;
}
cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                            cudaLaunchAttributeValue* value) {
    if (!is_kernel(node) || value == nullptr) return set_error(cudaErrorInvalidValue);
    const auto found = node->attributes.find(attribute);
    *value = found == node->attributes.end() ? cudaLaunchAttributeValue{} : found->second;
    return cudaSuccess;
}
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t first, cudaGraphNode_t second) {
    // CUDA 13 names the destination first, as before.
    if (!is_kernel(first) || !is_kernel(second)) return set_error(cudaErrorInvalidValue);
    first->attributes = second->attributes;
    return cudaSuccess;
}

}  // extern "C"
