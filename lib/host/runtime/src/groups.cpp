// The questions that cooperative groups ask about the running launch.
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

}  // namespace cuset_host
