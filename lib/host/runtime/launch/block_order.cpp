// The part of block_runner that orders a block's threads, and finds those that go on when none is
// ready.
#include <algorithm>
#include <string>
#include <utility>

#include "block_runner.h"
#include "checks/checks.h"
#include "costs/costs.h"
#include "cuset_host/faults.h"
#include "cuset_host/threads/call_places.h"
#include "races/races.h"

namespace cuset_host {

__constinit thread_local unsigned call_place = 0;

namespace {

bool descends(std::uint64_t seed) { return seed == descending || seed == descending_in_blocks; }

}  // namespace

std::uint64_t block_runner::random() {  // splitmix64
    std::uint64_t x = random_state_ += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

void block_runner::order_threads() {
    order_.resize(threads_);
    for (unsigned i = 0; i < threads_; ++i) order_[i] = threads_ - 1 - i;
    if (!descends(grid_->seed))
        for (unsigned i = threads_ - 1; i > 0; --i)
            std::swap(order_[i], order_[random() % (i + 1)]);
    stepping_ = 0;
}

void block_runner::shuffle_ready() {
    if (grid_->seed == ascending) return;
    for (unsigned i = ready_->size(); i > 1; --i)
        std::swap((*ready_)[i - 1], (*ready_)[static_cast<unsigned>(random() % i)]);
}

/// Nothing is ready and all have been started. False where no thread waits.
bool block_runner::resolve() {
    if (release_warps() || release_steps() || release_converged() || release_barrier()) {
        shuffle_ready();
        return true;
    }
    if (owned_ != 0) report_stuck();
    return false;
}

/// Warp operations whose other lanes have ended.
bool block_runner::release_warps() {
    bool any = false;
    for (unsigned i = 0; i < warps_; ++i) {
        warp& w = warp_[i];
        for (unsigned rest = w.arrived; rest != 0;) {
            const fiber* f = w.lanes[__builtin_ctz(rest)];
            const unsigned wanted = f->mask & w.owned;  // all have been started
            unsigned same = 0;
            for (unsigned lanes = w.arrived & wanted; lanes != 0; lanes &= lanes - 1)
                if (w.lanes[__builtin_ctz(lanes)]->mask == f->mask) same |= lanes & (~lanes + 1);
            rest &= ~same;
            if (same == wanted) {
                meet(w, same);
                any = true;
            }
        }
    }
    return any;
}

/// Releases, in the first warp with lanes that wait for convergence, those at the same place.
bool block_runner::release_converged() {
    if (waiting_to_converge_ == 0) return false;
    for (unsigned i = 0; i < warps_; ++i) {
        warp& w = warp_[i];
        const fiber* first = nullptr;
        unsigned lanes = 0;
        for (unsigned rest = w.owned & ~w.arrived; rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
            const fiber* f = w.lanes[lane];
            if (f == nullptr || f->linear != i * 32 + lane || f->waits != wait::convergence)
                continue;
            if (first == nullptr) first = f;
            if (f->line == first->line && f->meets_at == first->meets_at) lanes |= 1U << lane;
        }
        if (lanes != 0) {
            waiting_to_converge_ -= static_cast<unsigned>(__builtin_popcount(lanes));
            meet(w, lanes);
            return true;
        }
    }
    return false;
}

/// No lane can come any more: release_converged() would find the same ones.
bool block_runner::all_converge(const warp& w, int line) const {
    if (w.arrived != 0 || (!all_started_ && w.owned != w.exists)) return false;
    const auto first = static_cast<unsigned>(&w - warp_) * 32;
    for (unsigned rest = w.owned; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
        const fiber* f = w.lanes[lane];
        if (f == nullptr || f->linear != first + lane || f->waits != wait::convergence ||
            f->line != line || f->meets_at != call_place)
            return false;
    }
    return true;
}

/// Those of a warp that wait for its step.
unsigned block_runner::lanes_at_step(unsigned number) const {
    const warp& w = warp_[number];
    unsigned waiting = 0;
    for (unsigned rest = w.owned & ~w.arrived; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
        const fiber* f = w.lanes[lane];
        if (f != nullptr && f->linear == number * 32 + lane && f->waits == wait::step)
            waiting |= 1U << lane;
    }
    return waiting;
}

/// Of the first warp with lanes that wait for its step, releases those at the earliest place of the
/// program: a warp goes on until it waits for others. Where lanes come to a place again and again,
/// they may wait for others to go on: lanes farther on do so then, and the next warp. In a loop
/// with several places they may also do work of their own, and its lanes meet behind it: the next
/// warp has its turn, but lanes farther on only after a long time. Where no warp gets anywhere,
/// other blocks have a turn.
bool block_runner::release_steps() {
    if (waiting_to_step_ == 0) return false;
    constexpr unsigned most_times = 64, most_returns = 1U << 16;
    for (unsigned k = 0; k < warps_; ++k) {
        const unsigned turn = (stepping_ + k) % warps_;
        const unsigned i = grid_->seed == ascending ? turn : warps_ - 1 - turn;
        warp& w = warp_[i];
        const unsigned waiting = lanes_at_step(i);
        if (waiting == 0) continue;
        int earliest = w.lanes[__builtin_ctz(waiting)]->line, latest = earliest;
        for (unsigned rest = waiting; rest != 0; rest &= rest - 1) {
            const int place = w.lanes[__builtin_ctz(rest)]->line;
            earliest = std::min(earliest, place);
            latest = std::max(latest, place);
        }
        const bool returns = earliest <= w.place;
        w.times = returns ? w.times + 1 : 0;
        w.returns = earliest > w.farthest ? 0 : w.returns + returns;
        w.farthest = std::max(w.farthest, earliest);
        w.place = earliest;
        stepping_ = turn;
        if (w.times > most_times || w.returns > most_returns) {
            earliest = latest;
            w.times = w.returns = 0;
            stepping_ = turn + 1;
        } else if (returns && w.returns % most_times == 0) {
            stepping_ = turn + 1;
        }
        if (returns && ++fruitless_ > patience_ * warps_) {
            patience_ = std::max(patience_ / 4, least_fruitless);
            yield_to_blocks();
        }
        unsigned lanes = 0;
        for (unsigned rest = waiting; rest != 0; rest &= rest - 1)
            if (w.lanes[__builtin_ctz(rest)]->line == earliest) lanes |= rest & (~rest + 1);
        waiting_to_step_ -= static_cast<unsigned>(__builtin_popcount(lanes));
        release(w, lanes);
        return true;
    }
    return false;
}

/// A thread that is at a place of its last looks once more. When one has been seen to poll, each
/// look lets the others go on, and counts for many steps.
void block_runner::look_at_polling(std::uintptr_t address) {
    constexpr unsigned many = most_fruitless / 8;
    if (is_split_ || polling_ != somebody) {
        const unsigned thread = linear_thread();
        if (polling_ != thread) polled_ = {};
        const bool polls = std::find(polled_.begin(), polled_.end(), address) != polled_.end();
        std::rotate(polled_.begin(), polled_.end() - 1, polled_.end());
        polled_[0] = address;
        polling_ = polls && !is_split_ ? somebody : thread;
        if (polling_ != somebody) return;
    }
    fruitless_ += many;
    step(0);
}

/// In a descending order, a warp goes as far as it gets alone before the threads of the next begin:
/// until none of its lanes waits for its step, or they come to a place again and again. Place 0 is
/// no step: a thread that lets others go first there waits for those of other warps too.
bool block_runner::release_begun_warp() {
    if (waiting_to_step_ == 0 || position_ + 1 >= threads_) return false;
    if (!descends(grid_->seed)) return false;
    const unsigned begun = order_[position_] / 32, turn = warps_ - 1 - begun;
    if (order_[position_ + 1] / 32 == begun || stepping_ > turn) return false;
    unsigned steps = lanes_at_step(begun);
    while (steps != 0 && warp_[begun].lanes[__builtin_ctz(steps)]->line == 0) steps &= steps - 1;
    if (steps == 0) return false;
    stepping_ = turn;
    return release_steps();
}

/// In an order that was drawn, one thread in eight: what it has read before its atomic operation
/// may be old when it goes on. Lanes that go in step stay together.
void block_runner::let_others_first() {
    constexpr unsigned one_in = 8;
    if (grid_->seed == ascending || is_split_ || warp_[linear_thread() / 32].farthest > 0) return;
    if (random() % one_in == 0) step(0);
}

void let_others_first() {
    block_runner* const r = block_runner::current();
    if (r != nullptr && running_row.run == nullptr) r->let_others_first();
}

/// As if it had returned to earlier places so often, beside those of release_steps().
void block_runner::note_pause() {
    constexpr unsigned returns = 1024, in_vain = 32;
    if (is_split_) return;
    warp_[linear_thread() / 32].returns += returns;
    fruitless_ += in_vain;
}

bool block_runner::release_barrier() {
    if (at_barrier_->empty()) return false;
    gets_on();
    if (owned_ != at_barrier_->size() || barrier_is_mixed_) report_stuck();
    checks::block_met();
    races::block_met();
    costs::block_met();
    if (barrier_kind_ == wait::grid) meet_grid();
    if (barrier_kind_ == wait::cluster) meet_cluster();
    last_ = {sum_, static_cast<int>(at_barrier_->size())};
    sum_ = 0;
    std::swap(ready_, at_barrier_);  // nothing was ready
    if (descends(grid_->seed)) hold_for_step();
    return true;
}

/// In a descending order, warps that go in step go on one after another behind a barrier too.
void block_runner::hold_for_step() {
    unsigned kept = ready_->size();
    for (; kept != 0; --kept) {
        fiber* f = ready_->take();
        warp& w = warp_[f->linear / 32];
        if (w.farthest <= 0) {
            ready_->add(f);
            continue;
        }
        f->waits = wait::step;
        f->line = 0;
        w.lanes[f->linear % 32] = f;
        ++waiting_to_step_;
    }
    stepping_ = 0;
}

void block_runner::report_stuck() {
    // The thread that waits for others, and one that never comes to it.
    const fiber *waiting = nullptr, *other = nullptr;
    for (const fiber* f : fibers_) {
        if (!f->owns_thread || f->waits == wait::nothing) continue;
        if (waiting == nullptr) waiting = f;
        if (f->waits != waiting->waits || f->line != waiting->line) other = f;
    }
    threadIdx = waiting->thread;
    begin_fault("barrier_divergence");
    std::string text = running_thread(waiting->line) + ": waits at " + waiting->operation;
    if (other != nullptr) {
        const uint3& t = other->thread;
        text += " while thread (" + std::to_string(t.x) + ',' + std::to_string(t.y) + ',' +
                std::to_string(t.z) + ") waits at " + other->operation + " in line " +
                std::to_string(other->line);
    } else {
        text += " for lanes that never come";
    }
    fail("barrier_divergence", text);
}

}  // namespace cuset_host
