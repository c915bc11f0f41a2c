#include "cuset/cost/time_estimate.h"

#include <algorithm>
#include <cmath>

#include "cuset/cost/sass_operations.h"

namespace cuset {

namespace {

constexpr double launch_seconds = 2e-6;
constexpr double sector = 32, warp = 32;
/// Of a multiprocessor, a cycle: bytes from L2 and from L1, accesses of shared memory by warps.
constexpr double l2_bytes = 32, l1_bytes = 128;
/// Atomic operations that L2 does, a cycle of a multiprocessor.
constexpr double atomics = 1;
/// Cycles between two atomic operations on one address, which L2 does one after another.
constexpr double atomic_cycles = 4;
/// Instructions that a multiprocessor's schedulers issue in a cycle.
constexpr double schedulers = 4;
/// What kernels get of the rates of data sheets.
constexpr double memory_part = 0.9;

double of(std::uint64_t count) { return static_cast<double>(count); }

}  // namespace

time_estimate estimate_time(const launch_cost& cost, const gpu_model& on, bool fast_math) {
    time_estimate t;
    const double launches = std::max(1.0, of(cost.launches));
    const sass_operations done = sass_operations_of(cost, fast_math);
    const double blocks = of(cost.grid[0] * cost.grid[1] * cost.grid[2]);
    const double threads = of(cost.block[0] * cost.block[1] * cost.block[2]);
    const double warps = std::ceil(threads / warp);

    double resident = std::floor(of(on.threads) / std::max(warp, warps * warp));
    resident = std::min(resident, of(on.blocks));
    if (cost.dynamic_shared > 0)
        resident = std::min(resident, std::floor(of(on.shared_bytes) / of(cost.dynamic_shared)));
    resident = std::max(1.0, resident);
    const double busy = std::min(on.multiprocessors, blocks);
    const double cycles_a_second = busy * on.clock;  // of all multiprocessors that have work

    // Lanes that do nothing take their part of a unit's time.
    const double active = std::max(1 / warp, cost.active_lanes());
    const double simple32 = of(cost.fp32.add + cost.fp32.fma);
    const double simple64 = of(cost.fp64.add + cost.fp64.fma);
    const double more32 = (done.fp32 - of(cost.fp32.add + 2 * cost.fp32.fma)) / 2;
    const double more64 = (done.fp64 - of(cost.fp64.add + 2 * cost.fp64.fma)) / 2;
    const double results32 = simple32 + more32, results64 = simple64 + more64;
    const double integers = done.integer + of(cost.comparisons + cost.conversions);
    const double accessing =
        of(cost.accessing_lanes) + of(cost.shared_bytes) / 4 + of(cost.atomics);
    const double issued = results32 + results64 + integers + done.special + accessing;
    const double per_launch = 1 / (launches * active * cycles_a_second);
    t.arithmetic = std::max({results32 / on.fp32, results64 / on.fp64, integers / on.integer,
                             done.special / on.special, done.fp16 / 2 / on.fp16,
                             issued / (schedulers * warp)}) *
                   per_launch;
    t.memory = of(cost.dram_read + cost.dram_written) / launches / (on.memory_bytes * memory_part);
    t.caches =
        std::max({of(cost.l2_sectors) * sector / l2_bytes, of(cost.sectors) * sector / l1_bytes,
                  of(cost.shared_accesses + cost.bank_conflicts), of(cost.atomics) / atomics / 4,
                  of(cost.most_atomics) * atomic_cycles * busy}) /
        launches / cycles_a_second;

    // Nothing is faster than the slowest warp, nor than all warps in the places that there are.
    const double places = warps * std::min(blocks, on.multiprocessors * resident);
    t.latency =
        std::max(of(cost.longest_warp), of(cost.warp_cycles) / places) / launches / on.clock;

    const double longest = std::max({t.arithmetic, t.memory, t.caches, t.latency});
    t.seconds = launch_seconds + longest;
    t.bound = longest < launch_seconds  ? "launch"
              : longest == t.memory     ? "memory"
              : longest == t.arithmetic ? "arithmetic"
              : longest == t.caches     ? "caches"
                                        : "latency";
    return t;
}

}  // namespace cuset
