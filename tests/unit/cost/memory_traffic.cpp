// The turns that shared memory takes.
#include "costs/memory_traffic.h"

#include <boost/test/unit_test.hpp>
#include <vector>

using namespace cuset_host::costs;

namespace {

lane_access access(unsigned lane, std::uintptr_t address, std::uint32_t bytes, access_kind kind) {
    return {nullptr, address, bytes, kind, memory_space::shared, static_cast<std::uint8_t>(lane)};
}

traffic of(const std::vector<lane_access>& lanes) {
    memory_traffic memory(1 << 16, 1 << 20);
    memory.add(lanes.data(), lanes.size());
    return memory.take();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(shared_memory)

BOOST_AUTO_TEST_CASE(turns_are_of_lanes_by_their_numbers) {
    // Lanes 0-3 and 16-19 of doubles: they meet in the same banks, but in two turns.
    std::vector<lane_access> lanes;
    for (const unsigned lane : {0U, 1U, 2U, 3U, 16U, 17U, 18U, 19U})
        lanes.push_back(access(lane, lane * 8, 8, access_kind::read));
    BOOST_TEST(of(lanes).bank_conflicts == 0);
    BOOST_TEST(of(lanes).shared_bytes == 64);
    // Of one half of the warp, they are in one turn.
    for (unsigned i = 4; i < 8; ++i) lanes[i].lane = static_cast<std::uint8_t>(i);
    BOOST_TEST(of(lanes).bank_conflicts == 1);
}

BOOST_AUTO_TEST_CASE(a_loop_of_swaps_has_a_round_for_each_lane_of_a_place) {
    std::vector<lane_access> lanes;
    for (unsigned lane = 0; lane < 32; ++lane)
        lanes.push_back(access(lane, lane / 4 * 8, 8, access_kind::atomic));
    BOOST_TEST(of(lanes).shared_accesses == 1);
    for (lane_access& each : lanes) each.loop = update_loop::swaps;
    BOOST_TEST(of(lanes).shared_accesses == 8);  // a load and a swap in each of four rounds
    BOOST_TEST(of(lanes).atomics == 32);
    BOOST_TEST(of(lanes).shared_bytes == 2 * 8 * (32 + 24 + 16 + 8));
    BOOST_TEST(of(lanes).loop_adds64 == 0);
    for (lane_access& each : lanes) each.loop = update_loop::adds;
    BOOST_TEST(of(lanes).loop_adds64 == 32 + 24 + 16 + 8);
    BOOST_TEST(of(lanes).loop_adds32 == 0);
}

BOOST_AUTO_TEST_SUITE_END()
