#include "block_turns.h"

#include <algorithm>

#include "core/lost_device.h"
#include "cuset_host/threads/named_kernels.h"
#include "device/device_model.h"
#include "stack_sizes.h"
#include "streams/asynchronous_streams.h"

namespace cuset_host {

void fruitless_turns::count(bool any_ended) {
    if (any_ended) turns_ = 0;
    constexpr unsigned between_looks = 256;
    if (any_ended || turns_++ % between_looks != 0) return;
    if (program_has_asynchronous_streams()) return stop_if_device_is_lost(resets_before_);
    const auto now = std::chrono::steady_clock::now();
    if (turns_ == 1) since_ = now;
    if (now - since_ > std::chrono::seconds(2)) needs_asynchronous_streams();
}

block_turns::block_turns(block_runner& first, const grid& g) : g_(g), turns_(g) {
    first.begin(g);
    idle_.push_back(&first);
}

void block_turns::run(std::uint64_t block) {
    constexpr std::uint64_t few = 8;
    while (waiting_.size() >= few && waiting_.size() >= most_waiting()) go_on();
    if (idle_.empty()) {
        more_.push_back(std::make_unique<block_runner>(stack_bytes_of_next()));
        more_.back()->begin(g_);
        idle_.push_back(more_.back().get());
    }
    block_runner* runner = idle_.back();
    idle_.pop_back();
    (runner->run(block) ? waiting_ : idle_).push_back(runner);
    // With a turn after each block, blocks that all wait would have as many as half their square.
    constexpr std::uint64_t turns_a_block = 4;
    if (++begun_ * turns_a_block >= waiting_.size()) go_on();
}

void block_turns::finish() {
    while (!waiting_.empty()) go_on();
}

/// A device begins no more blocks than it holds before one of them ends, and so waits for ever where
/// all wait for one that has not begun. Where several OS threads have blocks, each may have so many,
/// for a block must not wait behind later ones.
std::uint64_t block_turns::most_waiting() {
    if (most_waiting_ != 0) return most_waiting_;
    const kernel_needs* needs = kernel_needs::find(nullptr, g_.at.kernel);
    const std::size_t own = needs == nullptr ? 0 : needs->shared_bytes();
    const dim3& block = g_.shape.block;
    const int each = resident_blocks(block.x * block.y * block.z, own + g_.shape.shared_bytes);
    most_waiting_ = static_cast<std::uint64_t>(device().processors) *
                    static_cast<std::uint64_t>(std::max(1, each));
    return most_waiting_;
}

/// Each thread of a block that waits has a stack, of which some 8 KiB are used.
std::size_t block_turns::stack_bytes_of_next() {
    constexpr std::uint64_t many_threads = 32768;
    const dim3& block = g_.shape.block;
    const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
    if (more_.size() * threads < many_threads) return usual_stack;
    return stack_bytes_of_each(most_waiting() * threads);
}

void block_turns::go_on() {
    begun_ = 0;
    const auto ended = std::partition(waiting_.begin(), waiting_.end(),
                                      [](block_runner* runner) { return runner->go_on(); });
    const bool may_get_on =
        std::any_of(waiting_.begin(), ended, [](const block_runner* r) { return r->polls(); });
    turns_.count(ended != waiting_.end() || waiting_.empty() || may_get_on);
    idle_.insert(idle_.end(), ended, waiting_.end());
    waiting_.erase(ended, waiting_.end());
}

}  // namespace cuset_host
