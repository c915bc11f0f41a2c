// The threads of one block after another, on one OS thread. Where blocks wait for each other, each
// has a runner of its own, and several runners take turns on the thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "asynchronous_copies.h"
#include "checks/checks.h"
#include "cuset_host/threads/execution.h"
#include "cuset_host/threads/split_blocks.h"
#include "cuset_host/threads/thread_barrier.h"
#include "fiber.h"
#include "grid_meeting.h"
#include "races/races.h"
#include "stack_pool.h"

namespace cuset_host {

/// The launches that the threads of a grid have made, done when it has ended.
struct child_launches {
    struct launch {
        const void* made;
        cudaError_t (*run)(const void*);
        void (*destroy)(const void*);
    };
    std::mutex mutex{};
    std::vector<launch> launches{}, tails{};
};

struct graph_run;

/// Seeds of the orders that are not drawn.
enum order_seed : std::uint64_t { ascending = 0, descending = 1, descending_in_blocks = 2 };
inline bool has_blocks_ascending(std::uint64_t seed) {
    return seed == ascending || seed == descending_in_blocks;
}

/// What the blocks of a launch share.
struct grid {
    site at{};
    configuration shape{dim3(), dim3()};
    thread_loop loop = nullptr;
    const void* kernel = nullptr;
    std::uint64_t seed = ascending;  ///< of the order of threads and blocks
    grid_meeting* meeting = nullptr;
    dim3 cluster{1, 1, 1};
    child_launches* grid_children = nullptr;
    graph_run* graph = nullptr;                   ///< whose kernel it is; null: no graph's
    unsigned resets_before = 0;                   ///< of the device (lost_device.h)
    std::atomic<bool>* exceeds_bounds = nullptr;  ///< set where it has more threads than it may
};

class block_runner {
public:
    explicit block_runner(std::size_t stack_bytes);
    ~block_runner();
    block_runner(const block_runner&) = delete;
    block_runner& operator=(const block_runner&) = delete;

    /// To be called before the first block of a launch.
    void begin(const grid& g);
    /// Runs block number `index` of the launch, x fastest, to its end: false. True where it waits
    /// for the other blocks of a cooperative launch or, in another launch, may wait for one.
    bool run(std::uint64_t index);
    /// Runs that block on, from where all blocks have met or others had a turn; returns as run()
    /// does.
    bool go_on();
    /// Whether it waits in a loop of its own, and not where all blocks have to meet.
    bool has_yielded() const { return has_yielded_; }
    /// From here on its blocks are in one cluster with those of the others, by their rank.
    void join(const std::vector<std::unique_ptr<block_runner>>& cluster);

    /// The runner of the kernel that the calling OS thread runs; null in host code.
    static block_runner* current();
    const grid& running() const { return *grid_; }

    // For the thread that runs now.
    barrier_sums at_barrier(int value, const char* operation, int line);
    void at_grid_barrier(int line);
    void at_cluster_barrier(int line);
    /// The place in the shared memory of the cluster's block `rank`; null if there is none.
    void* map_shared(const void* p, unsigned rank) const;
    /// The rank of the block whose shared memory holds the address; 0 if none does.
    unsigned block_of_shared(const void* p) const;
    warp_values exchange(unsigned mask, std::uint64_t value, const char* operation, int line,
                         bool orders);
    warp_values exchange_loosely(unsigned mask, std::uint64_t value, const char* operation,
                                 int line);
    /// `at_once`: as soon as all lanes have come that can, and not when the block comes to rest.
    unsigned converge(int line, bool at_once);
    void at_tile_barrier(unsigned threads);
    void at_named_barrier(unsigned number, unsigned threads, bool waits);
    const void* const* exchange_in_tile(unsigned threads, const void* mine);
    void step(int place);
    void look_at_polling(std::uintptr_t address);
    void let_others_first();
    /// Whether a thread was seen to poll since one ended or all met: it may get somewhere yet.
    bool polls() const { return polling_ == somebody; }
    void note_pause();
    bool next_row();
    bool on_stack(std::uintptr_t address) const;
    /// Whether the address is on the stack of another thread of the block, which waits.
    bool on_stack_of_another(std::uintptr_t address) const {
        if (running_ == nullptr) return false;
        const auto own = reinterpret_cast<std::uintptr_t>(running_->stack);
        return address - own >= stacks_.bytes() && stacks_.holds(address);
    }
    /// How many bytes below the beginning of the running thread's stack the address is; 0 where it
    /// is not on it.
    std::size_t depth_on_stack(std::uintptr_t address) const {
        const auto begin = reinterpret_cast<std::uintptr_t>(running_);
        return address < begin && on_stack(address) ? begin - address : 0;
    }
    /// Whether it is in the shared memory of a block of the cluster.
    bool is_shared(const void* p) const;
    /// Of its own block.
    bool holds_shared(const void* p) const;
    std::size_t stack_bytes() const { return stacks_.bytes(); }
    asynchronous_copies& copies() { return copies_; }

    // For a kernel that runs all threads of the block in the first one's turn: see split_blocks.h.
    split_block begin_split();
    void* split_frames(std::size_t bytes);  // of a thread
    void order_split(unsigned* waiting, unsigned count);
    void end_split();

private:
    struct warp {
        unsigned exists = 0;   // lanes that the block has
        unsigned owned = 0;    // lanes whose thread has waited and has not ended
        unsigned arrived = 0;  // lanes that wait at a warp operation
        unsigned turn = 0;     // which slot each lane wrote last
        int place = -1;        // from where lanes were last released at a step
        unsigned times = 0;    // in a row
        int farthest = -1;     // of such places
        unsigned returns = 0;  // to earlier places, since it was farthest
        fiber* lanes[32] = {};
        warp_values::lane_slots slots[32] = {};
    };

    [[noreturn]] static void enter();
    void end_of_loop();
    void suspend();
    fiber* next_to_run();
    fiber* start_or_release();
    void own();
    void wait_at_barrier(wait kind, const char* operation, int line);
    fiber* start_next();
    fiber* take_fiber();
    void switch_to(fiber* to);
    void take_over();  // the OS thread
    bool take_turn(fiber* first);
    bool resolve();
    bool release_warps();
    bool release_converged();
    /// Whether all lanes of the warp that have not ended wait for convergence at this line.
    bool all_converge(const warp& w, int line) const;
    unsigned lanes_at_step(unsigned number) const;
    bool release_steps();
    bool release_begun_warp();
    bool release_barrier();
    void hold_for_step();
    void yield_to_blocks();
    void meet_grid();
    void meet_cluster();
    [[noreturn]] void report_stuck();
    void require_one_operation(const warp& w, unsigned lanes) const;
    void meet(warp& w, unsigned lanes);
    void release(warp& w, unsigned lanes);
    std::uint64_t cluster_number(std::uint64_t index) const;
    void shuffle_ready();
    void order_threads();
    std::uint64_t random();

    const grid* grid_ = nullptr;
    const std::vector<std::unique_ptr<block_runner>>* cluster_ = nullptr;
    unsigned threads_ = 0, warps_ = 0;
    unsigned owned_ = 0;  // threads that have waited and have not ended
    std::unique_ptr<fiber_queue> ready_, at_barrier_;
    stack_pool stacks_;
    fiber home_;
    fiber* running_ = &home_;
    fiber* paused_ = nullptr;  // that goes on when all blocks have met
    bool has_yielded_ = false;
    int barrier_line_ = 0;  // where the first of them waits
    wait barrier_kind_ = wait::nothing;
    bool barrier_is_mixed_ = false;
    std::vector<fiber*> fibers_, idle_;
    warp warp_[32] = {};
    int sum_ = 0;              // of the values given to the barrier so far
    barrier_sums last_{0, 0};  // of the barrier that was released last
    unsigned waiting_to_converge_ = 0, waiting_to_step_ = 0;
    unsigned stepping_ = 0;   // whose turn it is at a step
    unsigned fruitless_ = 0;  // returns to earlier places since a thread ended or all met
    /// So many for each warp are waited for; fewer, where other blocks had a turn in vain.
    static constexpr unsigned most_fruitless = 4096, least_fruitless = 64;
    unsigned patience_ = most_fruitless;
    /// The thread that made atomic operations at the last look; `somebody` polls.
    static constexpr unsigned nobody = ~0U, somebody = ~1U;
    unsigned polling_ = nobody;
    /// Places of its last looks: a turn of its loop may read many before it comes back to one.
    std::array<std::uintptr_t, 32> polled_{};
    void gets_on() {
        polling_ = nobody;
        fruitless_ = 0;
        patience_ = most_fruitless;
    }

    // Tiles of 64 to 1024 threads: 1024 first, then the two of 512.
    thread_barrier tiles_[31];
    thread_barrier named_[16];
    const void* given_[1024];  // by the threads of such tiles

    // Starting threads: the one started last, and where orders are not ascending, all of them.
    uint3 started_ = {0, 0, 0};
    unsigned position_ = 0;
    bool all_started_ = false;
    std::vector<unsigned> order_;
    std::uint64_t random_state_ = 0;
    std::vector<unsigned char> shared_;
    unsigned char *shared_begin_ = nullptr, *dynamic_shared_begin_ = nullptr;
    dim3 block_;  // its place in the grid
    checks::shared_watch watch_;
    races::block_clock clock_;
    asynchronous_copies copies_;

    bool is_split_ = false;
    std::vector<unsigned> split_states_, split_order_;
    std::unique_ptr<unsigned char[]> split_frames_;
    std::size_t split_bytes_ = 0;
};

[[noreturn, gnu::cold]] void fail_in_host_code(const char* operation, int line);

/// Before an atomic operation, in a kernel or in host code.
void let_others_first();

/// The runner of the kernel that calls this operation. In host code the program ends.
inline block_runner& runner_for(const char* operation, int line) {
    block_runner* const r = block_runner::current();
    if (r == nullptr) fail_in_host_code(operation, line);
    return *r;
}

}  // namespace cuset_host
