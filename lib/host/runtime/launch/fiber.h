// A stack of its own for a thread of a block that waits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuset_host/threads/execution.h"
#include "stack_switch.h"

namespace cuset_host {

enum class wait : unsigned char { nothing, block, warp, convergence, step, grid, cluster };

/// It is at the top of its own stack, so that a turn touches few cache lines.
struct fiber {
    stack_place place = nullptr;  // while it does not run
    uint3 thread = {0, 0, 0};
    int line = 0;
    const char* operation = "";
    unsigned linear = 0;
    bool starts_threads = false;
    bool owns_thread = false;  // it has waited: the thread's end is not the loop's business
    wait waits = wait::nothing;
    unsigned meets_at = 0;           // wait::convergence: its call_place
    unsigned mask = 0;               // wait::warp: what this lane gave
    bool orders = false;             // the same: the lanes' accesses before it and after it
    unsigned which = 0;              // of the operation that it was released from: see warp_values
    unsigned present = 0;            // the same
    unsigned char* stack = nullptr;  // its lower end
};

/// First in, first out; as many as a block has threads.
class fiber_queue {
public:
    bool empty() const { return begin_ == end_; }
    unsigned size() const { return end_ - begin_; }
    void add(fiber* f) { items_[end_++ % capacity] = f; }
    fiber* take() { return items_[begin_++ % capacity]; }
    /// The fiber that comes `later` turns after the first, or an older one.
    const fiber* ahead(unsigned later) const { return items_[(begin_ + later) % capacity]; }
    fiber*& operator[](unsigned i) { return items_[(begin_ + i) % capacity]; }

private:
    static constexpr unsigned capacity = 1024;
    fiber* items_[capacity] = {};
    unsigned begin_ = 0, end_ = 0;
};

}  // namespace cuset_host
