#include "block_turns.h"

#include <algorithm>

#include "core/lost_device.h"
#include "device/device_model.h"
#include "stack_sizes.h"
#include "streams/asynchronous_streams.h"

namespace cuset_host {

namespace {

/// Threads of waiting blocks, for each has a stack, of which some 8 KiB are used; and such blocks,
/// for a runner takes some 50 KiB.
constexpr std::uint64_t usual_waiting_threads = 32768, usual_waiting_blocks = 1024, few = 8;

}  // namespace

void fruitless_turns::count(bool any_ended, std::size_t blocks) {
    constexpr unsigned between_looks = 256;
    if (any_ended) {
        turns_ = 0;
        return;
    }
    const bool is_first = turns_ == 0;
    const std::uint64_t looks_before = turns_ / between_looks;
    turns_ += std::max<std::size_t>(1, blocks);
    if (!is_first && turns_ / between_looks == looks_before) return;
    if (program_has_asynchronous_streams()) return stop_if_device_is_lost(resets_before_);
    const auto now = std::chrono::steady_clock::now();
    if (is_first) since_ = now;
    if (now - since_ > std::chrono::seconds(2)) needs_asynchronous_streams();
}

block_turns::block_turns(block_runner& first, const grid& g) : g_(g), turns_(g) {
    const dim3& block = g.shape.block;
    const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
    usual_waiting_ = most_waiting_ =
        std::clamp<std::uint64_t>(usual_waiting_threads / threads, few, usual_waiting_blocks);
    first.begin(g);
    idle_.push_back(&first);
}

void block_turns::run(std::uint64_t block) {
    if (waiting_.size() >= few) make_room();
    if (idle_.empty()) {
        more_.push_back(std::make_unique<block_runner>(usual_stack));
        more_.back()->begin(g_);
        idle_.push_back(more_.back().get());
    }
    block_runner* runner = idle_.back();
    idle_.pop_back();
    (runner->run(block) ? waiting_ : idle_).push_back(runner);
    // More have theirs in make_room(): after each block they would be half the blocks' square.
    if (waiting_.size() <= usual_waiting_) go_on();
}

void block_turns::finish() {
    while (!waiting_.empty()) go_on();
}

/// Where none of the usual number gets on for a while, others begin beside them, up to as many as
/// the device holds. That begins no more before one ends, and so waits for ever where all wait for
/// one that has not begun. Where several OS threads have blocks, each may have so many, for a block
/// must not wait behind later ones; and in a drawn order as many as are usual.
void block_turns::make_room() {
    constexpr std::chrono::milliseconds long_enough(100);
    const std::uint64_t held = held_by_device();
    const std::uint64_t most = has_blocks_ascending(g_.seed) ? held : std::max(held, usual_waiting_);
    most_waiting_ = std::min(most_waiting_, most);
    const auto begin = std::chrono::steady_clock::now();
    while (waiting_.size() >= most_waiting_) {
        go_on();
        if (waiting_.size() < most_waiting_ || most_waiting_ == most) continue;
        if (std::chrono::steady_clock::now() - begin < long_enough) continue;
        most_waiting_ = std::min(most, most_waiting_ + std::max(few, most_waiting_ / 8));
    }
}

/// Not counting a kernel's own shared memory, which cudaOccupancyMaxActiveBlocksPerMultiprocessor()
/// does not know of each instance of a template either.
std::uint64_t block_turns::held_by_device() {
    if (held_ != 0) return held_;
    const dim3& block = g_.shape.block;
    const int each = resident_blocks(block.x * block.y * block.z, g_.shape.shared_bytes);
    held_ = std::max(few, static_cast<std::uint64_t>(device().processors) *
                              static_cast<std::uint64_t>(std::max(1, each)));
    return held_;
}

void block_turns::go_on() {
    const auto ended = std::partition(waiting_.begin(), waiting_.end(),
                                      [](block_runner* runner) { return runner->go_on(); });
    const bool may_get_on =
        std::any_of(waiting_.begin(), ended, [](const block_runner* r) { return r->polls(); });
    turns_.count(ended != waiting_.end() || waiting_.empty() || may_get_on, waiting_.size());
    idle_.insert(idle_.end(), ended, waiting_.end());
    waiting_.erase(ended, waiting_.end());
}

}  // namespace cuset_host
