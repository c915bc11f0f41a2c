// The loop of all tools that work on much at once.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "cuset/base/fd.h"
#include "cuset/base/status.h"

namespace cuset {

enum class stage_order : unsigned char {
    as_read,  ///< items end in the order in which they were read: one waits beside each in work
    as_done,  ///< for long work: none waits, and a read that waits for input holds up no thread
};

/// Items are read one after the other, worked on several at a time, and ended one at a time. So
/// many are on their way at most that memory is bounded by their size and the threads.
class parallel_stages {
public:
    /// `threads` that work; 0: as many as there are cores.
    parallel_stages(int threads, stage_order order);

    /// No more is worked on: what is on its way is only ended.
    void stop();
    bool is_stopped() const { return stopped_; }
    /// Readable once the loop is stopped: the interrupt of a reader that may wait for input.
    int stop_event() const { return stop_event_.get(); }

    /// `next` makes a std::unique_ptr<Item>, null at the end; work(Item&) runs on any thread;
    /// end(Item&) sees each item that was read. Once for each object. An error where memory does
    /// not suffice; what else goes wrong is the callers' own.
    template <class Item, class Next, class Work, class End>
    status run(const Next& next, const Work& work, const End& end) {
        return run_all([&]() -> void* { return next().release(); },
                       [&](void* item) { work(*static_cast<Item*>(item)); },
                       [&](void* item) {
                           const std::unique_ptr<Item> owned(static_cast<Item*>(item));
                           end(*owned);
                       });
    }

private:
    status run_all(const std::function<void*()>& next, const std::function<void(void*)>& work,
                   const std::function<void(void*)>& end);

    int threads_;
    stage_order order_;
    std::atomic<bool> stopped_ = false;
    unique_fd stop_event_;
    int error_;  // where there is no stop event
};

}  // namespace cuset
