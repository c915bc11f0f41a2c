// Kernels whose threads never wait, as loops over the threads of a block that g++ can vectorise.
// The translator makes them (its row_kernels.h shows how): the body is a closure that gets its
// thread's place as a parameter, so that no store of the kernel can change it.
//
// Threads of a row may run in step, as those of a warp do: a kernel whose result depends on that
// races. In checked programs and in other orders of threads, kernels do not have this form.
#pragma once

#include "cuset_host/threads/execution.h"

namespace cuset_host {

/// What runs the threads of a row one after another, so that a fault's message names the thread.
struct row_scan {
    void (*run)(const void* body);
    const void* body;
};
CUSET_HOST_TLS row_scan running_row;  ///< null where none runs

template <class Body>
__attribute__((noinline)) void run_one(const Body& body) {
    Body mine = body;  // a thread may change its parameters
    mine(threadIdx, blockIdx, blockDim, gridDim);
}

/// The row of threadIdx, which is the running thread's at each time.
template <class Body>
void scan_row(const void* body) {
    for (unsigned x = 0; x < blockDim.x; ++x) {
        *const_cast<volatile unsigned*>(&threadIdx.x) = x;
        run_one(*static_cast<const Body*>(body));
    }
}

/// Calls the body for each thread of the block, if this is its first thread and those behind it
/// follow in ascending order; else for this thread. threadIdx is then that of the last one called.
template <class Body>
__attribute__((flatten)) inline void run_rows(const Body& body) {
    static_assert(are_bytes<Body>, "a parameter that a thread must not construct");
    // g++ vectorises accesses at the usual index, blockIdx.x * blockDim.x + threadIdx.x, only if it
    // knows that the index fits an int.
    constexpr unsigned most_threads = 1024, most_blocks = 0x1fffff, most_high = 0xffff;
    const bool is_first = (threadIdx.x | threadIdx.y | threadIdx.z) == 0 && row_end != 0;
    if (!is_first || gridDim.x > most_blocks) return run_one(body);
    const dim3 threads = blockDim, blocks = gridDim;
    const uint3 block = blockIdx;
    if (threads.x == 0 || threads.x > most_threads || threads.y == 0 || threads.y > most_threads ||
        threads.z == 0 || threads.z > most_threads)
        __builtin_unreachable();
    if (blocks.x > most_blocks || blocks.y > most_high || blocks.z > most_high)
        __builtin_unreachable();
    if (block.x >= most_blocks || block.y >= most_high || block.z >= most_high)
        __builtin_unreachable();
    auto& scan = const_cast<volatile row_scan&>(running_row);
    scan.body = &body;
    scan.run = &scan_row<Body>;
    const Body every = body;  // where no store can reach it
    for (unsigned z = 0; z < threads.z; ++z) {
        for (unsigned y = 0; y < threads.y; ++y) {
            // Volatile: a fault's message needs them, which no compiler expects.
            *const_cast<volatile unsigned*>(&threadIdx.y) = y;
            *const_cast<volatile unsigned*>(&threadIdx.z) = z;
#pragma GCC ivdep
            for (unsigned x = 0; x < threads.x; ++x) {
                Body mine = every;
                mine(uint3{x, y, z}, block, threads, blocks);
            }
        }
    }
    scan.run = nullptr;
    threadIdx.x = threads.x - 1;
}

}  // namespace cuset_host
