// What cooperative groups ask about the running launch, the shared memory of a cluster's blocks,
// and barriers of some of a block's threads.
#include <algorithm>
#include <cstring>
#include <string>

#include "block_runner.h"
#include "cuset_host/faults.h"
#include "cuset_host/threads/lane_values.h"
#include "cuset_host/threads/named_kernels.h"
#include "cuset_host/threads/warp.h"

namespace cuset_host {

bool is_cooperative() {
    const block_runner* runner = block_runner::current();
    return runner != nullptr && runner->running().meeting != nullptr;
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
        fail("barrier_divergence",
             running_thread(running_->line) + ": waits at " + running_->operation +
                 " with a mask that names lane " + std::to_string(__builtin_ctz(rest)) +
                 ", which waits at " + other.operation + " in line " + std::to_string(other.line));
    }
}

unsigned tile_threads(unsigned threads) {
    return std::min(threads, block_threads() - linear_thread() / threads * threads);
}

}  // namespace cuset_host
