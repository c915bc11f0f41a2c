// Memory that nodes of graphs allocate. It has one address for as long as the program runs, as it
// has on a device for as long as the graph exists: a launch takes it, and a node, cudaFree or
// cudaFreeAsync gives it back.
#pragma once

#include <cstddef>

#include "graphs.h"

namespace cuset_host {

/// Types of nodes that older headers lack.
constexpr auto memory_node = static_cast<cudaGraphNodeType>(10),
               free_node = static_cast<cudaGraphNodeType>(11);

/// Memory for a node, which nobody has taken yet: call taking() with it once.
cudaError_t allocate_for_graph(void** p, std::size_t bytes);
/// What the nodes do. The memory lives as long as the first of these works or a copy of it does, or
/// until it is given back after that.
graph_work taking(void* p);
graph_work giving_back(void* p);
bool is_graph_memory(void* p);
/// Whether this is such memory; it is given back then, and `error` says whether it was taken.
bool is_given_back_to_graph(void* p, cudaError_t& error);
bool is_taken(void* p);

}  // namespace cuset_host
