// The accesses of the running warp's lanes, which run one after another, put together to accesses
// of the warp.
#pragma once

#include <cstddef>
#include <vector>

#include "memory_traffic.h"
#include "operation_classes.h"

namespace cuset_host::costs {

class warp_accesses {
public:
    void add(unsigned lane, const lane_access& made) { lanes_[lane].push_back(made); }
    /// Whether the lane has so many that it had better wait for the others.
    bool is_full(unsigned lane) const { return lanes_[lane].size() >= most; }
    /// What an instruction did for the n-th time in each lane becomes one access. Forgets all.
    void end_step(memory_traffic& to);

private:
    static constexpr std::size_t most = 1U << 15;
    /// Whether all lanes that have any made the same accesses in one order.
    bool are_alike() const;
    void add_one_by_one(memory_traffic& to);
    void add_by_instruction(memory_traffic& to);

    std::vector<lane_access> lanes_[warp_lanes];
};

}  // namespace cuset_host::costs
