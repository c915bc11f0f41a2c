// Where the blocks of a cooperative launch wait for each other: each has an OS thread of its own.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace cuset_host {

class grid_meeting {
public:
    explicit grid_meeting(std::uint64_t blocks) : expected_(blocks) {}

    /// Waits for all blocks. False where that would be for ever: one has ended.
    [[nodiscard]] bool arrive_and_wait() {
        std::unique_lock lock(mutex_);
        if (has_left_) return false;
        if (++arrived_ == expected_) {
            arrived_ = 0;
            ++turn_;
            changed_.notify_all();
            return true;
        }
        const std::uint64_t turn = turn_;
        changed_.wait(lock, [&] { return turn_ != turn; });
        return true;
    }
    /// A block has ended. False where others wait for it.
    [[nodiscard]] bool leave() {
        const std::lock_guard lock(mutex_);
        has_left_ = true;
        return arrived_ == 0;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t expected_, arrived_ = 0, turn_ = 0;
    bool has_left_ = false;
};

}  // namespace cuset_host
