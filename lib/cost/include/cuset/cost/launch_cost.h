// What the launches of a kernel executed, as the host backend counts it (man/cuset-host.7).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/cost/launch_shape.h"
#include "cuset/stream/json_writer.h"

namespace cuset {

struct gpu_model;

/// Operations of one width of floating point, as the source has them after the compiler's usual
/// optimisation: a division and a square root are one operation each.
struct floating_operations {
    std::uint64_t add = 0;                     ///< additions, subtractions, multiplications
    std::uint64_t fma = 0;                     ///< fused multiply-adds, which are two operations
    std::uint64_t div = 0, rcp = 0, sqrt = 0;  ///< rcp: divisions of 1
    std::uint64_t flops() const { return add + 2 * fma + div + rcp + sqrt; }
};

/// The sum over the launches of one kernel from one line with one configuration.
struct launch_cost {
    std::string kernel;
    /// "k<float>(int, float*)", or "k(int, float*)" where only the parameters are known, of a
    /// kernel with several instances.
    std::string signature;
    std::string file;  ///< where the launch stands, of a program of several; else empty
    std::uint64_t line = 0;
    /// Of a template whose instances are launched from one place: its number, in the order of their
    /// first launches; 0: there is one.
    std::uint64_t instance = 0;
    /// A grid of 0: of launches that have no configuration in common, or none that is known.
    launch_shape grid{1, 1, 1}, block{1, 1, 1};
    std::uint64_t dynamic_shared = 0;  ///< bytes a block
    std::uint64_t launches = 0;

    floating_operations fp16, fp32, fp64;
    /// Calls of mathematical functions by their C name, "expf": none of the operations above.
    std::map<std::string, std::uint64_t> functions;
    /// Of the processor's code: addresses that its instructions compute themselves are left out.
    std::uint64_t integer = 0, integer_div = 0, comparisons = 0, conversions = 0, instructions = 0;
    /// Instructions that lanes ran, and 32 times those that warps did.
    std::uint64_t lane_steps = 0, warp_steps = 0;

    std::uint64_t bytes_read = 0, bytes_written = 0;  ///< of global memory, by threads
    std::uint64_t accesses = 0, accessing_lanes = 0;  ///< of global memory by warps; their lanes
    std::uint64_t sectors = 0, lines = 0;  ///< of 32 and 128 bytes, distinct in each access
    std::uint64_t l2_sectors = 0;          ///< that L1 did not have
    std::uint64_t dram_read = 0, dram_written = 0;  ///< bytes that L2 did not have or keep
    std::uint64_t shared_bytes = 0, shared_accesses = 0;
    std::uint64_t bank_conflicts = 0;  ///< further turns of shared memory
    /// Additions of the loops by which a GPU adds floats and doubles to shared memory atomically;
    /// the source has none of them.
    std::uint64_t loop_adds32 = 0, loop_adds64 = 0;
    std::uint64_t local_bytes = 0;     ///< of threads' arrays of more than 256 bytes, by threads
    std::uint64_t atomics = 0, barriers = 0;  ///< by threads; by blocks
    std::uint64_t most_atomics = 0;  ///< to one address of global memory, the sum over the launches
    /// Cycles that warps take by themselves, one instruction behind another, by what instructions
    /// and accesses take on any GPU: of all warps, and of each launch's slowest.
    std::uint64_t warp_cycles = 0, longest_warp = 0;
    std::vector<std::string> not_counted;  ///< "textures": what the sums leave out

    bool fast_math = false;  ///< nvcc would compile the program with -use_fast_math

    /// Whether the time of one launch can be estimated.
    bool has_configuration() const { return grid[0] != 0; }
    std::uint64_t threads() const;  ///< of all launches
    /// Of all widths and functions, each call as one.
    std::uint64_t flops() const;
    /// Bytes of the accesses' sectors that the threads asked for; 1 where there are none.
    double coalescing() const;
    /// Of the lanes of warps that ran, 1 where no warp diverged.
    double active_lanes() const;
};

/// What the runtime tells of the launches of one kernel: one JSON object. error_kind::data where it
/// is another text.
result<launch_cost> parse_launch_cost(std::string_view json);

/// An object with all of it, with what a GPU executes ("sass") and, where one is given, the
/// estimated time of one launch.
void write_launch_cost(const launch_cost& cost, const gpu_model* on, json_writer& json);

}  // namespace cuset
