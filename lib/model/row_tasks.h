// Loops over independent tasks on a pool of threads, and memory for them. Private to lib/model.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

#include "large_pages.h"

namespace cuset {

/// A pool of threads that look for work for some 50 µs before they sleep. A wake-up costs as much,
/// so a decoder's pass, with work every 100 µs, would spend a quarter of its time on them; and
/// longer looking takes a core from other processes. LibTorch's OpenMP threads spin at every
/// barrier unless the environment forbids it before the program starts; with other processes on the
/// cores, that made a pass ten times slower.
class task_pool {
public:
    /// Makes `threads` threads, the calling one included. Products in a task run on its thread
    /// alone.
    explicit task_pool(int threads);
    task_pool(const task_pool&) = delete;
    task_pool& operator=(const task_pool&) = delete;
    ~task_pool();

    int threads() const { return static_cast<int>(workers_.size()) + 1; }

    /// The number of this thread in the pool: 0 for the one that calls run().
    static std::size_t thread_index();

    /// Calls task(0) … task(count - 1), each once, in any order on any thread; returns when all are
    /// done. If a task throws, this throws after the others are done. Only one thread at a time may
    /// call this, and no task may.
    template <class Task>
    void run(std::int64_t count, const Task& task) {
        run_erased(
            count, [](const void* t, std::int64_t i) { (*static_cast<const Task*>(t))(i); }, &task);
    }

private:
    using function = void (*)(const void*, std::int64_t);
    void run_erased(std::int64_t count, function call, const void* task);
    void work();
    void take_tasks();

    function call_ = nullptr;
    const void* task_ = nullptr;
    std::int64_t count_ = 0;
    std::atomic<std::int64_t> waiting_ = 0;  ///< tasks not yet taken; none if 0 or less
    std::atomic<std::int64_t> done_ = 0;
    std::atomic<std::uint32_t> round_ = 0;  ///< changes when there is work, or the end
    std::atomic<bool> ending_ = false;
    std::atomic<bool> failed_ = false;
    std::exception_ptr failure_;  ///< the first one; written by the thread that set failed_
    std::vector<std::thread> workers_;
};

/// Cuts `rows` into strips that keep every thread busy: at most `longest` rows each and, as long as
/// each thread has only a few strips, equally many for each thread. Every strip but the last has a
/// multiple of `unit` rows; `longest` must be one too.
struct row_strips {
    row_strips(const task_pool& pool, std::int64_t rows, std::int64_t longest,
               std::int64_t unit = 1)
        : rows_(rows) {
        const std::int64_t threads = pool.threads();
        std::int64_t wanted = (rows + longest - 1) / longest;
        if (wanted < 8 * threads) wanted = (wanted + threads - 1) / threads * threads;
        length_ =
            std::max<std::int64_t>(1, (rows + wanted - 1) / std::max<std::int64_t>(1, wanted));
        length_ = (length_ + unit - 1) / unit * unit;
    }
    std::int64_t count() const { return (rows_ + length_ - 1) / length_; }
    std::int64_t begin(std::int64_t i) const { return i * length_; }
    std::int64_t size(std::int64_t i) const { return std::min(length_, rows_ - i * length_); }
    std::int64_t length() const { return length_; }

private:
    std::int64_t rows_;
    std::int64_t length_;
};

/// Uninitialised memory for T on cache-line boundaries, kept from use to use.
template <class T>
class scratch {
public:
    /// At least `count` elements. The old content is lost if that is more than before.
    T* reserve(std::int64_t count) {
        if (count > size_) {
            memory_.reset();
            size_ = 0;
            memory_ = allocate_lines(static_cast<std::size_t>(count) * sizeof(T));
            size_ = count;
        }
        return data();
    }
    T* data() { return static_cast<T*>(memory_.get()); }
    const T* data() const { return static_cast<const T*>(memory_.get()); }

private:
    std::unique_ptr<void, release_memory> memory_;
    std::int64_t size_ = 0;
};

}  // namespace cuset
