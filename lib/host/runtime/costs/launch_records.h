// What is kept of the launches of a counted program, and told when it ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>

#include "cuset_host/threads/execution.h"
#include "executed_blocks.h"
#include "memory_traffic.h"

namespace cuset_host::costs {

/// Launches that are told apart. A template's instances have numbers in the order of their first
/// launches from one place.
struct launch_key {
    std::string kernel;
    int line;
    dim3 grid, block;
    std::size_t shared_bytes;
    unsigned
        instance;  // while they are counted, from 0; where they are told, from 1 or 0: the only one
    std::string signature;  // of the instance
    auto parts() const {
        return std::tie(kernel, line, instance, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                        shared_bytes);
    }
    bool operator<(const launch_key& other) const { return parts() < other.parts(); }
};

struct launch_cost {
    std::uint64_t launches = 0, barriers = 0;
    double warp_cycles = 0, longest_warp = 0;  // of all warps, and of the longest of each launch
    executed_operations operations;
    traffic memory;
    std::set<std::string> left_out;
};

/// "k<float>(int, float*)" where the program's dynamic symbols have the kernel, or only its
/// parameters.
std::string signature_of(const site& at, const void* function);

/// Of launches that have no configuration in common, or none: a grid of no blocks.
launch_key named_only(const char* name);

/// A line of the channel (core/channel.h). `has_others`: the kernel has several signatures.
std::string line_of(const launch_key& key, const launch_cost& cost, bool has_others);

}  // namespace cuset_host::costs
