// What cooperative groups ask about the running launch, the shared memory of a cluster's blocks,
// and barriers of some of a block's threads.
#include <algorithm>
#include <cstring>
#include <string>

#include "block_runner.h"
#include "costs/costs.h"
#include "cuset_host/faults.h"
#include "cuset_host/threads/lane_values.h"
#include "cuset_host/threads/named_kernels.h"
#include "cuset_host/threads/warp.h"

namespace cuset_host {

bool is_cooperative() {
    const block_runner* runner = block_runner::current();
    return runner != nullptr && runner->running().meeting != nullptr;
}

/// The cluster of the running block, or its own number where there are none.
std::uint64_t block_runner::cluster_number(std::uint64_t index) const {
    const dim3 &c = grid_->cluster, &all = gridDim;
    if (cluster_ == nullptr) return index;
    return block_.x / c.x + std::uint64_t{all.x / c.x} *
                                (block_.y / c.y + std::uint64_t{all.y / c.y} * (block_.z / c.z));
}

void block_runner::join(const std::vector<std::unique_ptr<block_runner>>& cluster) {
    cluster_ = &cluster;
    for (const auto& other : cluster) races::join(clock_, other->clock_);
}

bool block_runner::holds_shared(const void* p) const {
    return static_cast<const unsigned char*>(p) >= shared_begin_ &&
           static_cast<const unsigned char*>(p) < shared_.data() + shared_.size();
}

void* block_runner::map_shared(const void* p, unsigned rank) const {
    const std::size_t blocks = cluster_ == nullptr ? 1 : cluster_->size();
    if (rank >= blocks || !holds_shared(p)) return nullptr;
    const std::ptrdiff_t offset = static_cast<const unsigned char*>(p) - shared_begin_;
    return (cluster_ == nullptr ? this : (*cluster_)[rank].get())->shared_begin_ + offset;
}

unsigned block_runner::block_of_shared(const void* p) const {
    for (unsigned rank = 0; cluster_ != nullptr && rank < cluster_->size(); ++rank)
        if ((*cluster_)[rank]->holds_shared(p)) return rank;
    return 0;
}

bool block_runner::is_shared(const void* p) const {
    if (holds_shared(p)) return true;
    return cluster_ != nullptr && std::any_of(cluster_->begin(), cluster_->end(),
                                              [&](const auto& b) { return b->holds_shared(p); });
}

std::size_t dynamic_shared_bytes() {
    const block_runner* runner = block_runner::current();
    return runner == nullptr ? 0 : runner->running().shape.shared_bytes;
}

std::size_t static_shared_bytes() {
    const block_runner* runner = block_runner::current();
    if (runner == nullptr) return 0;
    const kernel_needs* needs = kernel_needs::find(nullptr, runner->running().at.kernel);
    return needs == nullptr ? 0 : needs->shared_bytes();
}

address_space space_of(const void* p) {
    const block_runner* runner = block_runner::current();
    if (runner != nullptr && runner->is_shared(p)) return address_space::shared;
    if (runner != nullptr && runner->on_stack(reinterpret_cast<std::uintptr_t>(p)))
        return address_space::local;
    return address_space::global;
}

void trap_at_tile_size(unsigned threads, int line) {
    fail("illegal_address", running_thread(line) + ": tiled_partition into tiles of " +
                                std::to_string(threads) +
                                " threads: only powers of two up to 32 are");
}

void block_runner::at_tile_barrier(unsigned threads) {
    const unsigned rank = linear_thread() / threads;
    thread_barrier& tile = tiles_[1024 / threads - 1 + rank];
    tile.expected = std::min(threads, threads_ - rank * threads);
    tile.wait(tile.arrive());
}

void block_runner::at_named_barrier(unsigned number, unsigned threads, bool waits) {
    thread_barrier& named = named_[number % 16];
    named.expected = threads;
    const unsigned long long phase = named.arrive();
    if (waits) named.wait(phase);
}

const void* const* block_runner::exchange_in_tile(unsigned threads, const void* mine) {
    given_[linear_thread()] = mine;
    at_tile_barrier(threads);
    return given_ + linear_thread() / threads * threads;
}

void meet_absent_lane(unsigned lane, const char* operation, int line) {
    begin_fault("barrier_divergence");
    fail("barrier_divergence", running_thread(line) + ": " + operation +
                                   " gets the value of lane " + std::to_string(lane) +
                                   ", which the mask names and which never comes");
}

/// All lanes of a mask must come to the same operation. Where it stands does not matter.
void block_runner::require_one_operation(const warp& w, unsigned lanes) const {
    for (unsigned rest = lanes; rest != 0; rest &= rest - 1) {
        const fiber& other = *w.lanes[__builtin_ctz(rest)];
        if (!other.orders || !running_->orders ||
            std::strcmp(other.operation, running_->operation) == 0)
            continue;
        begin_fault("barrier_divergence");
        fail("barrier_divergence", running_thread(running_->line) + ": waits at " +
                                       running_->operation + " with a mask that names lane " +
                                       std::to_string(__builtin_ctz(rest)) + ", which waits at " +
                                       other.operation + " in line " + std::to_string(other.line));
    }
}

// --- Operations of grids, clusters and tiles -----------------------------------------------------

void fail_in_host_code(const char* operation, int line) {
    fail("unsupported", std::string(operation) + " in host code, line " + std::to_string(line));
}

void grid_barrier(int line) {
    block_runner& r = runner_for("grid.sync", line);
    if (r.running().meeting == nullptr)
        fail("illegal_address",
             running_thread(line) + ": grid.sync in a kernel that was not launched as cooperative");
    r.at_grid_barrier(line);
}

void cluster_barrier(int line) { runner_for("cluster.sync", line).at_cluster_barrier(line); }

dim3 cluster_shape() { return runner_for("a cluster's size", 0).running().cluster; }

void* map_shared(const void* p, unsigned rank, int line) {
    costs::leave_out("shared memory of other blocks of a cluster");
    if (void* there = runner_for("map_shared_rank", line).map_shared(p, rank)) return there;
    begin_fault("illegal_address");
    fail("illegal_address", running_thread(line) + ": block " + std::to_string(rank) +
                                " of the cluster has no such shared memory");
}

unsigned block_of_shared(const void* p) {
    return runner_for("query_shared_rank", 0).block_of_shared(p);
}

void tile_barrier(unsigned threads, const char* operation, int line) {
    runner_for(operation, line).at_tile_barrier(threads);
}

void named_barrier(unsigned number, unsigned threads, bool waits) {
    runner_for("bar.sync", 0).at_named_barrier(number, threads, waits);
}

const void* const* tile_exchange(unsigned threads, const void* mine, const char* operation,
                                 int line) {
    return runner_for(operation, line).exchange_in_tile(threads, mine);
}

unsigned tile_threads(unsigned threads) {
    return std::min(threads, block_threads() - linear_thread() / threads * threads);
}

}  // namespace cuset_host
