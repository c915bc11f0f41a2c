#ifdef CUSET_HOST_COUNT

#include "executed_blocks.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "cuset_host/threads/execution.h"

using cuset_host::costs::executed_block;
using cuset_host::costs::function_call;

// Where the linker puts the sections that the instrumenting assembler writes. A program without
// code to count has none.
extern "C" {
extern executed_block __start_cuset_blocks[] __attribute__((weak));
extern executed_block __stop_cuset_blocks[] __attribute__((weak));
extern unsigned char __start_cuset_ran[] __attribute__((weak));
extern const function_call __start_cuset_calls[] __attribute__((weak));
extern const function_call __stop_cuset_calls[] __attribute__((weak));

/// The lane that the counters are for, of code that runs on this thread of the system.
__constinit thread_local unsigned cuset_host_lane = cuset_host::costs::warp_lanes;
}

namespace cuset_host::costs {

namespace {

std::size_t block_count() {
    return static_cast<std::size_t>(__stop_cuset_blocks - __start_cuset_blocks);
}

const void* at_offset(const std::int32_t& offset) {
    return reinterpret_cast<const char*>(&offset) + offset;
}

}  // namespace

void executed_operations::add(const executed_operations& other) {
    for (unsigned kind = 0; kind < operation_kinds; ++kind) counts[kind] += other.counts[kind];
    for (const auto& [name, calls] : other.functions) functions[name] += calls;
    lane_steps += other.lane_steps;
    warp_steps += other.warp_steps;
}

executed_blocks::executed_blocks() : sums_(block_count()) {
    for (executed_block* b = __start_cuset_blocks; b != __stop_cuset_blocks; ++b)
        std::fill_n(b->executions, warp_lanes, 0);
}

void executed_blocks::end_step() {
    std::uint64_t eight = 0;
    for (std::size_t i = 0; i < sums_.size(); i += sizeof eight) {
        const std::size_t count = std::min(sizeof eight, sums_.size() - i);
        eight = 0;
        std::memcpy(&eight, __start_cuset_ran + i, count);
        for (std::size_t k = 0; eight != 0 && k < count; ++k)
            if (std::exchange(__start_cuset_ran[i + k], 0) != 0) read_counters(i + k);
    }
}

void executed_blocks::read_counters(std::size_t block) {
    std::uint32_t* const lanes = __start_cuset_blocks[block].executions;
    std::uint64_t sum = 0;
    std::uint32_t most = 0;
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        sum += lanes[lane];
        most = std::max(most, lanes[lane]);
    }
    sums_[block].lanes += sum;
    sums_[block].warps += most;
    instructions_ += std::uint64_t{most} * __start_cuset_blocks[block].operations[instruction];
    std::fill_n(lanes, warp_lanes, 0);
}

executed_operations executed_blocks::take() {
    end_step();
    executed_operations all;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
        const executed_block& b = __start_cuset_blocks[i];
        for (unsigned kind = 0; kind < operation_kinds; ++kind)
            all.counts[kind] += sums_[i].lanes * b.operations[kind];
        all.lane_steps += sums_[i].lanes * b.operations[instruction];
        all.warp_steps += sums_[i].warps * b.operations[instruction] * warp_lanes;
    }
    for (const function_call* call = __start_cuset_calls; call != __stop_cuset_calls; ++call) {
        const auto* const block = static_cast<const executed_block*>(at_offset(call->block));
        const std::uint64_t ran =
            sums_[static_cast<std::size_t>(block - __start_cuset_blocks)].lanes;
        if (ran != 0) all.functions[static_cast<const char*>(at_offset(call->name))] += ran;
    }
    std::fill(sums_.begin(), sums_.end(), sums());
    return all;
}

}  // namespace cuset_host::costs

#endif
