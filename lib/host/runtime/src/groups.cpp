// What cooperative groups ask about the running launch, and barriers of some of a block's threads.
#include <algorithm>
#include <string>

#include "block_runner.h"
#include "cuset_host/faults.h"
#include "cuset_host/lane_values.h"

namespace cuset_host {

bool is_cooperative() {
    const block_runner* runner = block_runner::current();
    return runner != nullptr && runner->running().meeting != nullptr;
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

unsigned tile_threads(unsigned threads) {
    return std::min(threads, block_threads() - linear_thread() / threads * threads);
}

}  // namespace cuset_host
