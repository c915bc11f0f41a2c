#ifdef CUSET_HOST_COUNT

#include "warp_accesses.h"

#include <cstdint>
#include <unordered_map>

namespace cuset_host::costs {

namespace {

/// An instruction, and what kind of access it makes this time.
std::uintptr_t key_of(const lane_access& a) {
    return reinterpret_cast<std::uintptr_t>(a.instruction) * 16 +
           static_cast<unsigned>(a.kind) * 4 + static_cast<unsigned>(a.space);
}

struct access_group {
    lane_access lanes[warp_lanes];
    std::size_t count = 0;
};

}  // namespace

void warp_accesses::end_step(memory_traffic& to) {
    are_alike() ? add_one_by_one(to) : add_by_instruction(to);
    for (auto& lane : lanes_) lane.clear();
}

bool warp_accesses::are_alike() const {
    const std::vector<lane_access>* first = nullptr;
    for (const auto& lane : lanes_) {
        if (lane.empty()) continue;
        if (first == nullptr) {
            first = &lane;
            continue;
        }
        if (lane.size() != first->size()) return false;
        for (std::size_t i = 0; i < lane.size(); ++i)
            if (key_of(lane[i]) != key_of((*first)[i])) return false;
    }
    return true;
}

void warp_accesses::add_one_by_one(memory_traffic& to) {
    std::size_t longest = 0;
    for (const auto& lane : lanes_)
        if (lane.size() > longest) longest = lane.size();
    for (std::size_t i = 0; i < longest; ++i) {
        access_group group;
        for (const auto& lane : lanes_)
            if (!lane.empty()) group.lanes[group.count++] = lane[i];
        to.add(group.lanes, group.count);
    }
}

void warp_accesses::add_by_instruction(memory_traffic& to) {
    std::vector<access_group> groups;
    // Of each instruction, the groups of its first, second … time.
    std::unordered_map<std::uintptr_t, std::vector<std::size_t>> found;
    std::unordered_map<std::uintptr_t, std::size_t> times;
    for (const auto& lane : lanes_) {
        times.clear();
        for (const lane_access& a : lane) {
            const std::uintptr_t key = key_of(a);
            auto& turns = found[key];
            const std::size_t turn = times[key]++;
            if (turn == turns.size()) {
                turns.push_back(groups.size());
                groups.emplace_back();
            }
            access_group& group = groups[turns[turn]];
            group.lanes[group.count++] = a;
        }
    }
    for (const access_group& group : groups) to.add(group.lanes, group.count);
}

}  // namespace cuset_host::costs

#endif
