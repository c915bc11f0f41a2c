// What graphs and their nodes are made of, for the files that define the calls.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "asynchronous_streams.h"
#include "cuset_host/cuda_types.h"
#include "cuset_host/threads/execution.h"
#include "graphs.h"

namespace cuset_host {

/// Objects of the program, each with the number of references that a graph has.
using kept_objects = std::map<std::shared_ptr<void>, unsigned, std::owner_less<>>;

/// What a kernel node tells of its launch; func is null where nobody knows.
struct launch_parameters {
    cudaKernelNodeParams kernel{};
    std::shared_ptr<void> arguments{};  ///< what kernelParams points to, where the node owns it
};

}  // namespace cuset_host

struct CUgraphNode_st : cuset_host::launch_parameters {
    cudaGraph_t graph = nullptr;
    cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    cuset_host::graph_work work{};
    std::vector<cudaGraphNode_t> after{};  // what it depends on
    bool is_enabled = true;
    bool overlaps = false;  ///< may start before the kernels that it depends on have ended
    bool is_captured = false;
    // What the program has given, by type.
    cudaMemcpy3DParms copy{};
    cudaMemsetParams set{};
    cudaHostNodeParams host{};
    cudaEvent_t event = nullptr;
    cudaGraph_t child = nullptr;
    void* memory = nullptr;
    std::size_t bytes = 0;
    cudaMemPoolProps pool{};
    std::map<int, cudaLaunchAttributeValue> attributes{};  // by cudaLaunchAttributeID
    cudaGraphNode_t cloned_from = nullptr;
    std::vector<cudaGraph_t> bodies{};  // of a condition; never freed

    /// Takes what another tells of its parameters.
    void operator<<(launch_parameters&& other) {
        static_cast<launch_parameters&>(*this) = std::move(other);
    }
    void operator<<(const CUgraphNode_st& other) {
        static_cast<launch_parameters&>(*this) = other;
        copy = other.copy;
        set = other.set;
        host = other.host;
        event = other.event;
        child = other.child;
        memory = other.memory;
        bytes = other.bytes;
        pool = other.pool;
        attributes = other.attributes;
        bodies = other.bodies;
    }
};

struct CUgraph_st {
    std::vector<std::unique_ptr<CUgraphNode_st>> nodes{};
    bool has_failed = false;       // its capture did something that a capture may not
    bool is_programs = false;      // it was there before its capture
    bool is_body = false;          // of a node
    std::size_t nodes_before = 0;  // its capture
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    std::thread::id owner{};                  // which has begun its capture
    std::set<cudaStream_t> streams{};         // that it is being captured from
    unsigned long long capture_number = 0;    // 0: made by hand
    std::set<cudaGraphNode_t> left_behind{};  // that a capture's next node should not depend on
    std::vector<unsigned> conditions{};       // by number
    cuset_host::kept_objects kept{};
};

struct CUgraphExec_st {
    struct step {
        cudaGraphNode_t from;  // the node of the graph; only compared
        cudaGraphNodeType type;
        cuset_host::graph_work work;
        bool is_enabled;
        std::size_t number;                // of the node in its graph, from 1 on
        std::vector<std::size_t> after{};  // steps that it depends on
    };
    std::vector<step> steps{};
    std::vector<unsigned> conditions{};
    cuset_host::kept_objects kept{};
    std::vector<void*> memory{};  // of its allocation nodes
    unsigned long long flags = 0;
    cuset_host::stream_mark last_launch{};
};

namespace cuset_host {

/// The graphs that are being captured. See captures_mutex().
std::set<cudaGraph_t>& captures();
cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                     std::size_t count, cudaGraphNodeType type, graph_work work);
/// The graph's work, each step behind those that it depends on, with that of child graphs as they
/// are now; false if that is impossible.
bool steps_of(const CUgraph_st& graph, std::vector<CUgraphExec_st::step>& steps);
/// A node that depends on itself by way of others, or null.
cudaGraphNode_t node_on_cycle(const CUgraph_st& graph);
/// Whether the second can take the place of the first: the same kinds of nodes in the same order.
bool are_alike(const std::vector<CUgraphExec_st::step>& a,
               const std::vector<CUgraphExec_st::step>& b);
/// Runs a graph's steps; where a stream is captured, they become part of its graph.
cudaError_t run(const std::vector<CUgraphExec_st::step>& steps);
/// Whether nodes of the graph, or of its children, allocate or free memory.
bool has_memory_nodes(const CUgraph_st& graph);
/// Adds a node that runs the child, which belongs to the node from then on.
cudaError_t add_child(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                      std::size_t count, cudaGraph_t child);
/// Of a graph that was instantiated for launches from kernels.
void allow_launches_from_kernels(cudaGraphExec_t exec);
/// Changes the work of a node of this type.
cudaError_t set_work(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraphNodeType type,
                     graph_work work);
cudaError_t give(const std::vector<cudaGraphNode_t>& nodes, cudaGraphNode_t* out,
                 std::size_t* count);
/// The launch that the parameters describe, with copies of its arguments.
/// `parameters`, where it is given, gets the parameters with those copies.
graph_work launch_of(const cudaKernelNodeParams& p, launch_parameters* parameters = nullptr);
graph_work copy_of(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
graph_work copy_of(const cudaMemcpy3DParms& p);
graph_work set_of(const cudaMemsetParams& p);
graph_work call_of(const cudaHostNodeParams& p);
/// Gives a condition the value that it has when a graph is launched, if it has one.
void reset_condition(unsigned number);

}  // namespace cuset_host
