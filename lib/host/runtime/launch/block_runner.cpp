#include "block_runner.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "checks/checks.h"
#include "costs/costs.h"
#include "cuset_host/faults.h"
#include "cuset_host/threads/call_places.h"
#include "cuset_host/threads/thread_rows.h"
#include "grid_meeting.h"
#include "shared_layout.h"

__constinit thread_local uint3 threadIdx = {0, 0, 0}, blockIdx = {0, 0, 0};
__constinit thread_local dim3 blockDim, gridDim;

namespace cuset_host {

__constinit thread_local unsigned row_end = 0, starter = 0;
__constinit thread_local unsigned char* shared_base = nullptr;
__constinit thread_local unsigned char* dynamic_shared_base = nullptr;
__constinit thread_local std::size_t shared_size = 0;
__constinit thread_local row_scan running_row = {nullptr, nullptr};

namespace {

__constinit thread_local block_runner* thread_runner = nullptr;

constexpr std::size_t page = 4096;

// The translator lets no such call through, but for what macros of the command line hide from it.
[[noreturn]] __attribute__((noinline, cold)) void fail_in_split_kernel() {
    fail("unsupported", running_thread() + ": a hidden barrier or warp operation");
}

/// Behind a block's shared memory: to align it, and for what runs past its end.
constexpr std::size_t end_room = 2 * shared_alignment + (checks::are_on ? 4096 : 256);

}  // namespace

// --- Fibers --------------------------------------------------------------------------------------

block_runner* block_runner::current() { return thread_runner; }

block_runner::block_runner(std::size_t stack_bytes)
    : ready_(std::make_unique<fiber_queue>()),
      at_barrier_(std::make_unique<fiber_queue>()),
      stacks_(stack_bytes) {
    idle_.reserve(1024);
}

block_runner::~block_runner() = default;

/// The thread on this fiber has ended, and where it was the one that starts others, all have.
inline void block_runner::end_of_loop() {
    checks::leave_thread();
    races::leave_thread();
    fiber* self = running_;
    if (self->owns_thread) {
        warp_[self->linear / 32].owned &= ~(1U << self->linear % 32);
        --owned_;
        gets_on();
        self->owns_thread = false;
    } else {
        all_started_ = true;
    }
    self->starts_threads = false;
    idle_.push_back(self);
    fiber* next = next_to_run();
    if (next == self) return;  // taken again, for the next thread
    switch_to(next);
}

inline void block_runner::switch_to(fiber* to) {
    fiber* from = running_;
    running_ = to;
    threadIdx = to->thread;
    if (costs::are_on && to != &home_) enter_counted_thread();
    const unsigned place = call_place;
    switch_stack(&from->place, to->place);
    call_place = place;
}

fiber* block_runner::take_fiber() {
    if (idle_.empty()) {
        const std::size_t index = fibers_.size();
        unsigned char* low = stacks_.get(index);
        // Stacks that begin at the same offset of their pages would share cache sets.
        const std::size_t bytes = stacks_.bytes() - index % 61 * 64 - sizeof(fiber);
        auto* made = new (low + bytes) fiber;
        made->stack = low;
        made->place = new_stack<&block_runner::enter>(low, bytes);
        fibers_.push_back(made);
        idle_.push_back(made);
    }
    fiber* taken = idle_.back();
    idle_.pop_back();
    return taken;
}

/// The fiber that goes on starting threads, at the next one; null where all have been started.
fiber* block_runner::start_next() {
    if (all_started_) return nullptr;
    threadIdx = started_;
    if (!next_thread()) {
        all_started_ = true;
        return nullptr;
    }
    fiber* f = take_fiber();
    f->thread = threadIdx;
    f->starts_threads = true;
    return f;
}

/// The thread that runs now has something to wait for.
inline void block_runner::suspend() {
    checks::leave_thread();
    races::leave_thread();
    fiber* self = running_;
    if (self->starts_threads) {
        self->starts_threads = false;
        started_ = self->thread;
        ++starter;
    }
    fiber* next = next_to_run();
    if (next != self) {
        switch_to(next);
    } else {
        threadIdx = self->thread;
    }
}

inline fiber* block_runner::next_to_run() {
    // Those that wait before new ones: fewer stacks are in use at a time.
    if (ready_->empty()) return start_or_release();
    fiber* f = ready_->take();
    // The one after the next left its stack at the same depth, where all come from one barrier.
    const auto depth = reinterpret_cast<char*>(f) - static_cast<char*>(f->place);
    const char* later = reinterpret_cast<const char*>(ready_->ahead(1));
    __builtin_prefetch(later);
    __builtin_prefetch(later - depth);
    __builtin_prefetch(later - depth + 64);
    return f;
}

__attribute__((noinline)) fiber* block_runner::start_or_release() {
    do {
        if (release_begun_warp()) continue;
        if (fiber* f = start_next()) return f;
        if (!resolve()) return &home_;
    } while (ready_->empty());
    return ready_->take();
}

void block_runner::enter() {
    call_place = 0;
    for (;;) {
        block_runner* self = thread_runner;
        self->grid_->loop(self->grid_->kernel);
        self->end_of_loop();
    }
}

// --- A block -------------------------------------------------------------------------------------

void block_runner::begin(const grid& g) {
    grid_ = &g;
    blockDim = g.shape.block;
    gridDim = g.shape.grid;
    threads_ = block_threads();
    warps_ = (threads_ + 31) / 32;
    for (unsigned i = 0; i < warps_; ++i)
        warp_[i].exists = threads_ - i * 32 < 32 ? (1U << (threads_ - i * 32)) - 1 : ~0U;
    row_end = g.seed == ascending ? blockDim.x : 0;
    const std::size_t bytes = shared_layout_bytes() + g.shape.shared_bytes + end_room;
    if (shared_.size() < bytes) shared_.resize(bytes);
    const auto begin = reinterpret_cast<std::uintptr_t>(shared_.data());
    const std::size_t unit = g.shape.shared_bytes > 0 ? shared_alignment : 128;
    const std::size_t fixed = (shared_layout_bytes() + unit - 1) / unit * unit;
    shared_begin_ =
        shared_.data() + ((shared_alignment - begin % shared_alignment) % shared_alignment);
    dynamic_shared_begin_ = shared_begin_ + fixed;
    // What a block finds in its shared memory is what the block before it left, and at first this.
    fill_fresh(shared_begin_, fixed + g.shape.shared_bytes);
}

bool block_runner::run(std::uint64_t index) {
    block_ = dim3(static_cast<unsigned>(index % gridDim.x),
                  static_cast<unsigned>(index / gridDim.x % gridDim.y),
                  static_cast<unsigned>(index / gridDim.x / gridDim.y));
    take_over();
    all_started_ = false;
    position_ = 0;
    for (thread_barrier& tile : tiles_) tile = {0, 0, 0};
    for (thread_barrier& each : named_) each = {0, 0, 0};
    gets_on();
    for (unsigned i = 0; i < warps_; ++i) {
        warp_[i].place = warp_[i].farthest = -1;
        warp_[i].times = warp_[i].returns = 0;
    }
    if (grid_->seed != ascending) {
        random_state_ = grid_->seed + index * 0xd1342543de82ef95;  // whoever runs which block
        order_threads();
        const unsigned first = order_[0];
        threadIdx = {first % blockDim.x, first / blockDim.x % blockDim.y,
                     first / blockDim.x / blockDim.y};
    } else {
        threadIdx = {0, 0, 0};
    }
    fiber* f = take_fiber();
    f->thread = threadIdx;
    f->starts_threads = true;
    f->waits = wait::nothing;
    ++starter;
    checks::begin_block(watch_, shared_begin_, dynamic_shared_begin_, grid_->shape.shared_bytes);
    if (cluster_ != nullptr) checks::others_write(watch_);
    races::begin_block(clock_, index, cluster_number(index), shared_begin_, shared_size);
    copies_.begin_block(threads_);
    return take_turn(f);
}

bool block_runner::go_on() {
    take_over();
    return take_turn(std::exchange(paused_, nullptr));
}

void block_runner::take_over() {
    blockIdx = {block_.x, block_.y, block_.z};
    shared_base = shared_begin_;
    dynamic_shared_base = dynamic_shared_begin_;
    shared_size =
        static_cast<std::size_t>(dynamic_shared_begin_ - shared_begin_) + grid_->shape.shared_bytes;
    thread_runner = this;
    checks::enter_block(watch_);
    races::enter_block(clock_);
    costs::enter_block(shared_begin_, shared_size);
}

bool block_runner::take_turn(fiber* first) {
    has_yielded_ = false;
    switch_to(first);
    if (paused_ == nullptr) {
        checks::block_met();
        races::end_block();
    }
    checks::leave_block();
    races::leave_block();
    costs::leave_block();
    thread_runner = nullptr;
    return paused_ != nullptr;
}

bool block_runner::next_row() {
    if (grid_->seed != ascending) {
        if (++position_ >= threads_) return false;
        const unsigned next = order_[position_];
        threadIdx = {next % blockDim.x, next / blockDim.x % blockDim.y,
                     next / blockDim.x / blockDim.y};
        return true;
    }
    threadIdx.x = 0;
    if (++threadIdx.y < blockDim.y) return true;
    threadIdx.y = 0;
    return ++threadIdx.z < blockDim.z;
}

bool next_row() { return block_runner::current()->next_row(); }

// --- Waiting -------------------------------------------------------------------------------------

/// Marks the thread that runs now as one with a stack of its own.
inline void block_runner::own() {
    if (is_split_) fail_in_split_kernel();
    fiber* self = running_;
    if (self->owns_thread) return;
    self->owns_thread = true;
    self->thread = threadIdx;
    self->linear = linear_thread();
    warp_[self->linear / 32].owned |= 1U << self->linear % 32;
    ++owned_;
}

inline void block_runner::wait_at_barrier(wait kind, const char* operation, int line) {
    own();
    fiber* self = running_;
    self->waits = kind;
    self->operation = operation;
    self->line = line;
    if (at_barrier_->empty()) {
        barrier_kind_ = kind;
        barrier_line_ = line;
    }
    // A device counts arrivals wherever they come from; the rule is that all come to the same.
    barrier_is_mixed_ |= kind != barrier_kind_ || (checks::are_on && line != barrier_line_);
    at_barrier_->add(self);
    suspend();
}

inline barrier_sums block_runner::at_barrier(int value, const char* operation, int line) {
    sum_ += value != 0;
    wait_at_barrier(wait::block, operation, line);
    return last_;
}

void block_runner::at_grid_barrier(int line) { wait_at_barrier(wait::grid, "grid.sync", line); }

void block_runner::at_cluster_barrier(int line) {
    wait_at_barrier(wait::cluster, "cluster.sync", line);
}

[[noreturn]] __attribute__((noinline, cold)) static void fail_mask(const char* operation,
                                                                   int line) {
    fail("barrier_divergence",
         running_thread(line) + ": calls " + operation + " with a mask that leaves itself out");
}

inline warp_values block_runner::exchange(unsigned mask, std::uint64_t value, const char* operation,
                                          int line, bool orders) {
    own();
    fiber* self = running_;
    const unsigned lane = self->linear % 32;
    warp& w = warp_[self->linear / 32];
    if ((mask >> lane & 1) == 0) {
        if (checks::are_on) fail_mask(operation, line);
        return exchange_loosely(mask, value, operation, line);
    }
    self->waits = wait::warp;
    self->operation = operation;
    self->line = line;
    self->mask = mask;
    self->orders = orders;
    w.turn ^= 1U << lane;
    w.slots[lane].value[w.turn >> lane & 1] = value;
    w.lanes[lane] = self;
    w.arrived |= 1U << lane;
    const unsigned wanted = mask & w.exists;
    if ((w.arrived & wanted) == wanted) {
        bool same = true;
        for (unsigned rest = wanted; rest != 0; rest &= rest - 1)
            same = same && w.lanes[__builtin_ctz(rest)]->mask == mask;
        if (same) {
            if (checks::are_on) require_one_operation(w, wanted);
            meet(w, wanted);
        }
    }
    suspend();
    return {w.slots, self->which, self->present};
}

/// A device lets lanes vote that their own mask leaves out: those that come there together,
/// whatever masks they give.
warp_values block_runner::exchange_loosely(unsigned mask, std::uint64_t value,
                                           const char* operation, int line) {
    fiber* self = running_;
    const unsigned lane = self->linear % 32;
    warp& w = warp_[self->linear / 32];
    w.turn ^= 1U << lane;
    w.slots[lane].value[w.turn >> lane & 1] = value;
    w.lanes[lane] = self;
    self->waits = wait::convergence;
    self->operation = operation;
    self->line = line;
    self->meets_at = call_place;
    ++waiting_to_converge_;
    suspend();
    return {w.slots, self->which, self->present & mask};
}

unsigned block_runner::converge(int line, bool at_once) {
    own();
    fiber* self = running_;
    warp& w = warp_[self->linear / 32];
    self->waits = wait::convergence;
    self->operation = "__activemask";
    self->line = line;
    self->meets_at = call_place;
    w.lanes[self->linear % 32] = self;
    ++waiting_to_converge_;
    if (at_once && all_converge(w, line)) {
        waiting_to_converge_ -= static_cast<unsigned>(__builtin_popcount(w.owned));
        meet(w, w.owned);
    }
    suspend();
    return self->present;
}

void block_runner::step(int place) {
    own();
    fiber* self = running_;
    self->waits = wait::step;
    self->operation = "a step of its warp";
    self->line = place;
    warp_[self->linear / 32].lanes[self->linear % 32] = self;
    ++waiting_to_step_;
    suspend();
}

/// The end of a warp operation, which may order what these lanes do before it and after it.
void block_runner::meet(warp& w, unsigned lanes) {
    if (w.lanes[__builtin_ctz(lanes)]->orders) {
        races::lanes_met(static_cast<unsigned>(&w - warp_), lanes, w.exists);
        checks::lanes_ordered(static_cast<unsigned>(&w - warp_));
    }
    release(w, lanes);
}

/// All of them behind what is ready, this thread too: none can give a value for the operation after
/// the next before each has read its own (warp_values holds two).
void block_runner::release(warp& w, unsigned lanes) {
    costs::lanes_met();
    checks::warp_met(static_cast<unsigned>(&w - warp_));
    for (unsigned rest = lanes; rest != 0; rest &= rest - 1) {
        fiber* f = w.lanes[__builtin_ctz(rest)];
        f->which = w.turn;
        f->present = lanes;
        f->waits = wait::nothing;
        ready_->add(f);
    }
    w.arrived &= ~lanes;
}

/// Leaves the block for a while: it may wait for another one.
void block_runner::yield_to_blocks() {
    fruitless_ = 0;
    if (grid_->meeting != nullptr) return;  // each has a thread of the system
    has_yielded_ = true;
    paused_ = running_;
    switch_to(&home_);
}

/// On a device the first thread of each block arrives for all of it, and every block must come.
/// Meanwhile the OS thread runs other blocks.
void block_runner::meet_grid() {
    races::grid_met();
    const char* ended = nullptr;
    if ((warp_[0].owned & 1) == 0) {
        ended = "thread (0,0,0) of the block";
    } else if (!grid_->meeting->arrive(barrier_line_)) {
        ended = "another block";
    }
    if (ended == nullptr) {
        paused_ = running_;
        switch_to(&home_);
        return;
    }
    threadIdx = (*at_barrier_)[0]->thread;
    begin_fault("barrier_divergence");
    fail("barrier_divergence",
         running_thread(barrier_line_) + ": waits at grid.sync when " + ended + " has ended");
}

/// Blocks that have ended are not waited for.
void block_runner::meet_cluster() {
    races::cluster_met();
    if (cluster_ == nullptr) return;
    paused_ = running_;
    switch_to(&home_);
}

bool block_runner::on_stack(std::uintptr_t address) const {
    const auto low = reinterpret_cast<std::uintptr_t>(running_->stack);
    return running_->stack != nullptr && address + page >= low && address < low + stacks_.bytes();
}

// --- What kernels call ---------------------------------------------------------------------------

barrier_sums block_barrier(int value, const char* operation, int line) {
    return runner_for(operation, line).at_barrier(value, operation, line);
}

warp_values warp_exchange(unsigned mask, std::uint64_t value, const char* operation, int line) {
    return runner_for(operation, line).exchange(mask, value, operation, line, true);
}

void wait_for_warp(const char* operation, int line) {
    runner_for(operation, line).exchange(~0U, 0, operation, line, false);
}

void step(int place) {
    if (thread_runner != nullptr) thread_runner->step(place);
}

__constinit thread_local unsigned atomics_made = 0;
void look_at_polling(const volatile void* address) {
    if (thread_runner != nullptr && running_row.run == nullptr)
        thread_runner->look_at_polling(reinterpret_cast<std::uintptr_t>(address));
}

void note_pause() {
    if (thread_runner != nullptr && running_row.run == nullptr) thread_runner->note_pause();
}

unsigned converged_lanes(int line) { return runner_for("__activemask", line).converge(line, false); }
unsigned converged_lanes_at_once(int line) {
    return runner_for("__activemask", line).converge(line, true);
}

}  // namespace cuset_host
