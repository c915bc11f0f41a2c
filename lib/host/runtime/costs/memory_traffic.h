// The memory that warps touch: bytes, sectors, conflicts of shared memory's banks, and what two
// caches leave of it for the device's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cuset_host::costs {

constexpr std::size_t sector_bytes = 32, sectors_of_line = 4;

/// Sectors in lines of four, in sets of 16 lines, of which the one that was used longest ago goes.
class sector_cache {
public:
    explicit sector_cache(std::size_t bytes);
    /// Whether the sector was there; it is then.
    bool touch(std::uint64_t sector, bool writes);
    /// Forgets all. Returns how many sectors were changed.
    std::uint64_t clear();
    /// Sectors that were changed and had to go, since it was cleared.
    std::uint64_t written_back() const { return written_back_; }

private:
    struct line {
        std::uint64_t tag = 0, used = 0;
        std::uint32_t age = 0;                  // when it was used; of another age, it is empty
        std::uint8_t present = 0, changed = 0;  // a bit for each sector
    };
    static constexpr std::size_t ways = 16;
    std::vector<line> lines_;
    std::size_t sets_;
    std::uint64_t time_ = 0;
    std::uint32_t age_ = 1;  // counts how often it has been cleared
    std::uint64_t changed_ = 0, written_back_ = 0;
};

enum class access_kind : std::uint8_t { read, write, atomic };
enum class memory_space : std::uint8_t { global, shared };

/// An access of one lane.
struct lane_access {
    const void* instruction;
    std::uintptr_t address;
    std::uint32_t bytes;
    access_kind kind;
    memory_space space;
    std::uint8_t lane = 0;
    bool is_swap_loop = false;  // an atomic operation that a GPU makes of a compare-and-swap
};

struct traffic {
    std::uint64_t bytes_read = 0, bytes_written = 0;      // of global memory, by lanes
    std::uint64_t accesses = 0, accessing_lanes = 0;      // of warps; lanes in all of them
    std::uint64_t sectors = 0, lines = 0;                 // distinct ones an access
    std::uint64_t atomics = 0;                            // by lanes, of any memory
    std::uint64_t shared_bytes = 0, shared_accesses = 0;  // by lanes; of warps
    std::uint64_t bank_conflicts = 0;                     // further turns of shared memory
    std::uint64_t cache_sectors = 0;                      // that L1 left for L2
    std::uint64_t device_sectors_read = 0, device_sectors_written = 0;  // that L2 left

    void add(const traffic& other);
};

/// Of one launch.
class memory_traffic {
public:
    /// The sizes of the caches of a multiprocessor and of the device.
    memory_traffic(std::size_t l1_bytes, std::size_t l2_bytes);
    void begin_block();
    /// An access of a warp: `count` accesses of its lanes.
    void add(const lane_access* lanes, std::size_t count);
    /// Ends the launch.
    traffic take();

private:
    void add_global(const lane_access* lanes, std::size_t count);
    void add_shared(const lane_access* lanes, std::size_t count);
    void add_swap_loop(const lane_access* lanes, std::size_t count);

    sector_cache l1_, l2_;
    traffic sum_;
};

}  // namespace cuset_host::costs
