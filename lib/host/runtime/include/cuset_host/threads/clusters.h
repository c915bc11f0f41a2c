// The functions of clusters that CUDA offers without cooperative_groups.h.
#pragma once

#include "cuset_host/threads/execution.h"

inline dim3 __clusterDim() { return cuset_host::cluster_shape(); }
inline dim3 __clusterRelativeBlockIdx() {
    const dim3 c = cuset_host::cluster_shape();
    return {blockIdx.x % c.x, blockIdx.y % c.y, blockIdx.z % c.z};
}
inline dim3 __clusterGridDimInClusters() {
    const dim3 c = cuset_host::cluster_shape();
    return {gridDim.x / c.x, gridDim.y / c.y, gridDim.z / c.z};
}
inline dim3 __clusterIdx() {
    const dim3 c = cuset_host::cluster_shape();
    return {blockIdx.x / c.x, blockIdx.y / c.y, blockIdx.z / c.z};
}
inline unsigned __clusterRelativeBlockRank() {
    const dim3 c = cuset_host::cluster_shape(), at = __clusterRelativeBlockIdx();
    return at.x + c.x * (at.y + c.y * at.z);
}
inline unsigned __clusterSizeInBlocks() {
    const dim3 c = cuset_host::cluster_shape();
    return c.x * c.y * c.z;
}
// Threads wait in the second half, as in cooperative_groups.h.
inline void __cluster_barrier_arrive() {}
inline void __cluster_barrier_arrive_relaxed() {}
inline void __cluster_barrier_wait(int line = __builtin_LINE()) {
    cuset_host::cluster_barrier(line);
}
inline void* __cluster_map_shared_rank(const void* p, unsigned rank, int line = __builtin_LINE()) {
    return cuset_host::map_shared(p, rank, line);
}
inline unsigned __cluster_query_shared_rank(const void* p) {
    return cuset_host::block_of_shared(p);
}
