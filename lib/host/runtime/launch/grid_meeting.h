// Where the blocks of a cooperative launch wait for each other. Several blocks may share an OS
// thread, which runs each of them until it waits.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace cuset_host {

class grid_meeting {
public:
    explicit grid_meeting(std::uint64_t blocks) : expected_(blocks) {}

    /// A block begins to wait, in this line. False where that would be for ever: another has ended.
    [[nodiscard]] bool arrive(int line) {
        const std::lock_guard lock(mutex_);
        if (has_left_) return false;
        line_ = line;
        if (++arrived_ == expected_) {
            arrived_ = 0;
            ++turn_;
            changed_.notify_all();
        }
        return true;
    }
    /// Blocks the OS thread until all blocks have arrived `turn` times. All of its own have.
    void wait(std::uint64_t turn) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return turn_ >= turn; });
    }
    /// A block has ended. The line where others wait for it; 0 where none does.
    [[nodiscard]] int leave() {
        const std::lock_guard lock(mutex_);
        has_left_ = true;
        return arrived_ == 0 ? 0 : line_;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t expected_, arrived_ = 0, turn_ = 0;
    bool has_left_ = false;
    int line_ = 0;
};

}  // namespace cuset_host
