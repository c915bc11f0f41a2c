// Where the blocks of a cooperative launch wait for each other: each has an OS thread of its own.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace cuset_host {

class grid_meeting {
public:
    explicit grid_meeting(std::uint64_t blocks) : expected_(blocks) {}

    /// Waits for all blocks that have not left.
    void arrive_and_wait() {
        std::unique_lock lock(mutex_);
        if (++arrived_ == expected_) {
            open();
            return;
        }
        const std::uint64_t turn = turn_;
        changed_.wait(lock, [&] { return turn_ != turn; });
    }
    /// A block has ended.
    void leave() {
        const std::lock_guard lock(mutex_);
        if (--expected_ == arrived_ && expected_ != 0) open();
    }

private:
    void open() {
        arrived_ = 0;
        ++turn_;
        changed_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t expected_, arrived_ = 0, turn_ = 0;
};

}  // namespace cuset_host
