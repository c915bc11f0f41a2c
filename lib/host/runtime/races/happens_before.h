// What orders the accesses of a grid's threads. For the search for races.
//
// A segment is what one thread does from one point of order to the next: a barrier, a warp
// operation, a fence, or a strong access through which it learns of another thread. An access is
// known by its segment.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "cuset_host/threads/execution.h"

namespace cuset_host::races {

class history_region;

using segment_number = std::uint32_t;  // 0: none

/// What a thread knows of others by strong accesses: releases, by the thread that made them.
class knowledge {
public:
    /// All releases up to this number are taken as known: where there are too many to tell apart.
    std::uint32_t floor() const { return floor_; }
    const std::vector<std::pair<std::uint64_t, std::uint32_t>>& latest() const { return latest_; }
    bool is_empty() const { return floor_ == 0 && latest_.empty(); }
    void learn(std::uint64_t thread, std::uint32_t release);
    /// Returns whether anything was new.
    bool learn(const knowledge& other);

private:
    static constexpr std::size_t most = 256;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> latest_;  // by thread, ascending
    std::uint32_t floor_ = 0;
};
using known = std::shared_ptr<const knowledge>;  // null: nothing

/// An access to the shared memory of another block of the cluster.
struct visit {
    segment_number segment;  // of the visitor
    std::uint32_t cluster_turn, place;
    std::size_t bytes;
    bool writes;
};
/// What is wrong with it by then: the block may not have begun, or it has ended.
enum class visit_fault : unsigned char { none, too_early, too_late };

enum class fence_scope : unsigned char { block, device };

struct segment {
    std::uint32_t block;  // the index of its block_record
    std::uint32_t thread;
    std::uint32_t turn, cluster_turn, grid_turn;
    std::uint32_t warp_turn, step;
};

/// What a launch keeps of a block, also when another has its runner.
struct block_record {
    std::uint64_t number = 0, cluster = 0;
    std::vector<std::uint32_t> releases{};  // numbers, ascending
    /// By thread, the segment that its last fence ended; empty: no thread has fenced. The first are
    /// of any scope, the others of the device's or a wider one.
    std::vector<segment_number> fence{}, device_fence{};
};

/// The order of one block's threads; a runner has one.
class block_clock {
public:
    block_clock();
    ~block_clock();
    void begin(std::uint32_t record, const unsigned char* shared, std::size_t shared_bytes);

    bool is_shared(std::uintptr_t address) const { return address - shared_ < shared_bytes_; }
    /// From here on its blocks are in one cluster with those of that clock. To be called for each
    /// of the cluster's, itself too.
    void join(block_clock& other) { cluster_.push_back(&other); }
    bool is_in_cluster() const { return !cluster_.empty(); }
    /// The clock of the block whose shared memory holds the address: this one or, in a cluster,
    /// another; null if there is none.
    block_clock* holder_of(std::uintptr_t address);
    /// Whether the segment, of the launch that runs, is of a block that its shared memory is open
    /// to.
    bool is_of_cluster(segment_number number) const;
    /// Of its shared memory, also of blocks that the runner had before.
    history_region* shared_histories() const { return histories_.get(); }
    /// Whether any of its threads has.
    bool has_fenced() const { return has_fenced_; }
    std::uint32_t record() const { return record_; }
    std::uint32_t cluster_turn() const { return cluster_turn_; }
    /// The block's number in its grid.
    std::uint64_t number() const;
    /// Whether the running thread has learned of any other by strong accesses.
    bool knows_others() { return everything(running()) != nullptr; }

    /// The running thread's segment.
    segment_number now() {
        const unsigned linear = linear_thread();
        return linear == latest_thread_ ? latest_ : find_now(linear);
    }
    void block_met();
    void cluster_met();
    void grid_met();
    void lanes_met(unsigned warp, unsigned lanes, unsigned all);
    /// A thread of another block has arrived at a barrier in this one's shared memory.
    void take_guest() { has_guest_ = true; }
    /// A barrier there is complete, or has been waited for. Its guests have met the block: then all
    /// that the cluster's blocks have done is taken to be known to all of them, so that a race may
    /// be missed, but none found that is not there.
    void barrier_met();
    /// The running thread, which is of the visitor's block, is about to reach into the shared
    /// memory of this one.
    visit_fault look_at_visit(block_clock& visitor, const visit& v);
    /// All threads of the block have ended. Returns the visits that nothing orders before that.
    std::vector<visit> end();
    void fence(fence_scope scope);
    /// The thread learns what was released at the place of its strong access.
    void acquire(const known& there);
    /// Learns what the thread of that segment had released when it made a plain write, as if that
    /// had been a strong one. Returns false if it had not fenced.
    bool acquire_from(segment_number writer);
    /// What the running thread's strong write releases; null if no thread of its block has fenced.
    known release();

    /// Whether the access of `before` is ordered before what the running thread does now. Both are
    /// of the launch that runs.
    bool is_ordered(segment_number before);

private:
    struct warp_order {
        std::uint32_t turn = 1;  // of meetings of all lanes
        bool is_parted = false;  // some lanes have met without the others since
        std::array<std::uint32_t, 32> step{};
        std::array<std::array<std::uint32_t, 32>, 32> met{};  // up to which step, by lane
    };
    struct thread_order {
        std::uint64_t begun = 0;  // by which block of the runner
        segment_number now = 0;   // 0: it begins with its next access
        std::uint32_t turn = 0, cluster_turn = 0, warp_turn = 0, step = 0;
        known own;  // since the last barrier
    };

    thread_order& running();
    segment_number find_now(unsigned linear);
    void forget_latest() { latest_thread_ = ~0U; }
    void part(warp_order& w);
    known everything(const thread_order& t) const;
    bool is_covered(const segment& before, segment_number number, std::uint32_t release) const;

    unsigned latest_thread_ = ~0U;  // that asked for its segment, which is this
    segment_number latest_ = 0;
    std::uint32_t record_ = 0;
    std::uint64_t begun_ = 0;  // how many blocks, so that what is of one before is known
    std::uintptr_t shared_ = 0;
    std::size_t shared_bytes_ = 0;
    std::uint32_t turn_ = 1, cluster_turn_ = 1, grid_turn_ = 1;
    std::vector<warp_order> warps_ = std::vector<warp_order>(32);
    std::vector<thread_order> threads_ = std::vector<thread_order>(1024);
    std::unique_ptr<history_region> histories_;
    known of_block_;  // by barriers
    bool has_fenced_ = false;
    bool has_learned_ = false;  // a thread, since the last barrier
    std::vector<block_clock*> cluster_;
    std::vector<visit> visits_;  // the last of each block
    bool has_guest_ = false, has_ended_ = false;
};

/// The launch that runs.
void begin_order();
/// Returns the index of its record.
std::uint32_t add_block(std::uint64_t number, std::uint64_t cluster);
const segment& segment_of(segment_number number);
const block_record& block_of(const segment& s);
/// Whether the segment is of a launch that has ended.
bool is_past(segment_number number);
/// The segments of the launch that runs, from the first to the last.
segment_number first_of_launch();
segment_number last_of_launch();

}  // namespace cuset_host::races
