// The memory that warps touch: bytes, sectors, conflicts of shared memory's banks, and what two
// caches leave of it for the device's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace cuset_host::costs {

constexpr std::size_t sector_bytes = 32, sectors_of_line = 4;

/// Sectors in lines of four, in sets of 16 lines, of which the one that was used longest ago goes.
class sector_cache {
public:
    explicit sector_cache(std::size_t bytes) { resize(bytes); }
    /// Forgets all.
    void resize(std::size_t bytes);
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
    std::size_t sets_ = 0;
    std::uint64_t time_ = 0;
    std::uint32_t age_ = 1;  // counts how often it has been cleared
    std::uint64_t changed_ = 0, written_back_ = 0;
};

enum class access_kind : std::uint8_t { read, write, atomic };
/// `local`: arrays of threads, whose addresses are those that a GPU would give them, so that the
/// lanes of a warp reach neighbouring words (local_address()).
enum class memory_space : std::uint8_t { global, shared, local };

/// Where a GPU has the bytes that lie `depth` bytes below the beginning of a thread's stack.
std::uintptr_t local_address(unsigned warp, unsigned lane, std::size_t depth, std::uint32_t bytes);

/// The loop around a compare-and-swap by which shared memory does an atomic operation that it has
/// no instruction for; `adds`: of floats or doubles, an addition each time.
enum class update_loop : std::uint8_t { none, swaps, adds };

/// An access of one lane.
struct lane_access {
    const void* instruction;
    std::uintptr_t address;
    std::uint32_t bytes;
    access_kind kind;
    memory_space space;
    std::uint8_t lane = 0;
    update_loop loop = update_loop::none;
};

struct traffic {
    std::uint64_t bytes_read = 0, bytes_written = 0;      // of global memory, by lanes
    std::uint64_t accesses = 0, accessing_lanes = 0;      // of warps; lanes in all of them
    std::uint64_t sectors = 0, lines = 0;                 // distinct ones an access
    std::uint64_t atomics = 0;                            // by lanes, of any memory
    std::uint64_t shared_bytes = 0, shared_accesses = 0;  // by lanes; of warps
    std::uint64_t bank_conflicts = 0;                     // further turns of shared memory
    std::uint64_t loop_adds32 = 0, loop_adds64 = 0;       // by lanes, of update loops
    std::uint64_t local_bytes = 0;                        // by lanes
    std::uint64_t most_atomics = 0;                       // of global memory, to one address
    std::uint64_t cache_sectors = 0;                      // that L1 left for L2
    std::uint64_t cache_reads = 0;                        // of these, all but stores
    std::uint64_t device_sectors_read = 0, device_sectors_written = 0;  // that L2 left

    void add(const traffic& other);
};

/// How long one warp waits for memory, where one access comes after another: cycles, and of its
/// accesses those that L1 could not answer. These may wait longer, for the device's memory.
struct warp_waits {
    std::uint64_t cycles = 0, beyond_l1 = 0;
};

/// Cycles that each of those waits longer, on average.
double further_cycles(const traffic& of_launch);

/// Of one launch. Blocks come one after another here. A GPU runs many at a time, which share what
/// L2 holds: so their requests to L2 are kept, and made in turns when so many blocks have run.
class memory_traffic {
public:
    /// The sizes of the caches of a multiprocessor and of the device.
    memory_traffic(std::size_t l1_bytes, std::size_t l2_bytes);
    /// So many blocks run at a time on a multiprocessor, and on the whole GPU.
    void begin_launch(std::uint64_t on_processor, std::uint64_t on_device);
    void begin_block();
    /// An access of a warp: `count` accesses of its lanes.
    void add(const lane_access* lanes, std::size_t count);
    /// Of the running warp since the last call.
    warp_waits take_waits();
    /// Ends the launch.
    traffic take();

private:
    static constexpr std::size_t most_sectors = 256;
    /// The distinct sectors, in order; their number.
    std::size_t find_sectors(const lane_access* lanes, std::size_t count,
                             std::uint64_t (&sectors)[most_sectors]) const;
    void add_global(const lane_access* lanes, std::size_t count);
    void add_atomics(const lane_access* lanes, std::size_t count);
    void add_local(const lane_access* lanes, std::size_t count);
    void add_shared(const lane_access* lanes, std::size_t count);
    void add_update_loop(const lane_access* lanes, std::size_t count);

    std::size_t l1_bytes_, l2_bytes_;
    sector_cache l1_, l2_;
    /// A block's part of both, which local memory has. The next block's threads have the same
    /// addresses.
    sector_cache local_l1_, local_l2_;
    std::size_t local_l1_bytes_ = 0, local_l2_bytes_ = 0;
    bool has_local_ = false;  // this launch
    void request(std::uint64_t sector, access_kind kind);
    void make_requests();

    std::unordered_map<std::uintptr_t, std::uint64_t> atomics_;  // of the launch, by address
    /// Of the blocks that run at a time: a sector, and in the lowest two bits the kind of access.
    std::vector<std::vector<std::uint64_t>> requests_;
    std::size_t begun_ = 0, at_a_time_ = 1, kept_ = 0;  // blocks; requests
    warp_waits waits_;
    traffic sum_;
};

}  // namespace cuset_host::costs
