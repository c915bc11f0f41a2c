// The order and the scope of an atomic operation, where a program gives both.
#pragma once

#include <cuset_host/threads/execution.h>
#include <cuset_host/threads/memory_access.h>

namespace cuset_host {

/// While one lives, the operation is made, as a relaxed one. A release is a fence before it. What
/// it acquires is known to the search for races by itself: a fence behind it would release.
class scoped_order {
public:
    /// `order`: of GCC's constants. `is_of_block`: its scope is a block or less, else the device.
    scoped_order(int order, bool is_of_block)
        : is_acquire_(order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE),
          is_of_block_(is_of_block) {
        if (order >= __ATOMIC_RELEASE) fence(is_of_block_);
    }
    ~scoped_order() {
        if (is_acquire_) acquire();
    }
    scoped_order(const scoped_order&) = delete;
    scoped_order& operator=(const scoped_order&) = delete;

    /// The line of a call, with the operation's scope.
    int line_with_scope(int line) const { return is_of_block_ ? line | block_scope : line; }

private:
    CUSET_HOST_UNSEEN static void acquire() { __atomic_thread_fence(__ATOMIC_ACQUIRE); }

    bool is_acquire_, is_of_block_;
};

}  // namespace cuset_host
