// Blocks whose threads need no stacks of their own: see cuset_host/threads/split_blocks.h.
#include "cuset_host/threads/split_blocks.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "block_runner.h"
#include "cuset_host/faults.h"

namespace cuset_host {

namespace {

constexpr std::size_t frame_alignment = 128;
/// Behind the frames: a row is copied by whole vectors.
constexpr std::size_t frame_room = 32;

}  // namespace

split_block block_runner::begin_split() {
    const bool is_first = running_->starts_threads && !is_split_ && position_ == 0 &&
                          (grid_->seed != ascending || linear_thread() == 0);
    if (!is_first) fail("unsupported", running_thread() + ": a kernel called as a function");
    is_split_ = true;
    if (split_order_.size() < threads_) {
        split_states_.resize(threads_);
        split_order_.resize(threads_);
    }
    if (grid_->seed != ascending) std::copy_n(order_.begin(), threads_, split_order_.begin());
    return {split_states_.data(), split_order_.data(), grid_->seed == ascending};
}

void* block_runner::split_frames(std::size_t bytes) {
    constexpr std::size_t most_local = 512 << 10;
    if (bytes > most_local)
        fail("unsupported", running_thread() + ": more than 512 KiB of local memory a thread");
    bytes *= threads_;
    if (split_bytes_ < bytes) {
        split_frames_.reset(new unsigned char[bytes + frame_alignment + frame_room]);
        split_bytes_ = bytes;
    }
    const auto begin = reinterpret_cast<std::uintptr_t>(split_frames_.get());
    return split_frames_.get() + (frame_alignment - begin % frame_alignment);
}

/// Orders them as shuffle_ready does with threads that waited.
void block_runner::order_split(unsigned* waiting, unsigned count) {
    for (unsigned i = count; i > 1; --i)
        std::swap(waiting[i - 1], waiting[static_cast<unsigned>(random() % i)]);
}

/// Leaves the state as if the last thread had been started and had ended.
void block_runner::end_split() {
    is_split_ = false;
    threadIdx = {blockDim.x - 1, blockDim.y - 1, blockDim.z - 1};
    position_ = threads_ - 1;
}

split_block begin_split() {
    if (block_runner::current() == nullptr) fail("unsupported", "a kernel called in host code");
    return block_runner::current()->begin_split();
}
void* split_frames(std::size_t bytes) { return block_runner::current()->split_frames(bytes); }
void order_split(unsigned* waiting, unsigned count) {
    block_runner::current()->order_split(waiting, count);
}
void end_split() { block_runner::current()->end_split(); }

}  // namespace cuset_host
