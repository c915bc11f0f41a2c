// What may go to another thread's local memory, which --check takes for a fault else.
#pragma once

#include <cuset_host/threads/execution.h>

namespace cuset_host {

#ifdef CUSET_HOST_CHECK
CUSET_HOST_TLS bool works_for_warp, has_grid_constants;

/// While one lives, the running thread works for its whole warp, with what the other lanes' local
/// memory holds. It must not wait meanwhile.
struct work_for_warp {
    work_for_warp() { works_for_warp = true; }
    ~work_for_warp() { works_for_warp = false; }
    work_for_warp(const work_for_warp&) = delete;
    work_for_warp& operator=(const work_for_warp&) = delete;
};

/// The kernels that this thread of the host runs have parameters of __grid_constant__.
inline void note_grid_constants() { has_grid_constants = true; }
#else
struct work_for_warp {};
inline void note_grid_constants() {}
#endif

}  // namespace cuset_host
