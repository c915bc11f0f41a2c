// Loops over independent tasks on LibTorch's own OpenMP threads, and memory for them. Private to
// lib/model.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace cuset {

inline int thread_count() { return omp_get_max_threads(); }
inline std::size_t thread_index() { return static_cast<std::size_t>(omp_get_thread_num()); }

/// Calls task(0) … task(count - 1), each once, in any order on any thread; returns when all are
/// done. Tasks must not throw. Products inside a task run on its thread alone.
template <class Task>
void for_each_task(std::int64_t count, const Task& task) {
#pragma omp parallel for schedule(dynamic, 1)
    for (std::int64_t i = 0; i < count; ++i) task(i);
}

/// Cuts `rows` into strips that keep every thread busy: at most `longest` rows each and, while that
/// leaves only a few strips a thread, as many for each thread.
struct row_strips {
    row_strips(std::int64_t rows, std::int64_t longest) : rows_(rows) {
        const std::int64_t threads = thread_count();
        std::int64_t wanted = (rows + longest - 1) / longest;
        if (wanted < 8 * threads) wanted = (wanted + threads - 1) / threads * threads;
        length_ =
            std::max<std::int64_t>(1, (rows + wanted - 1) / std::max<std::int64_t>(1, wanted));
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
    /// At least `count` elements; what was there is lost when that is more than before.
    T* reserve(std::int64_t count) {
        if (count > size_) {
            memory_.reset();
            size_ = 0;
            const std::size_t line = 64;
            const auto bytes =
                (static_cast<std::size_t>(count) * sizeof(T) + line - 1) / line * line;
            memory_.reset(static_cast<T*>(std::aligned_alloc(line, bytes)));
            if (!memory_) throw std::bad_alloc();
            size_ = count;
        }
        return memory_.get();
    }
    T* data() { return memory_.get(); }

private:
    struct release {
        void operator()(T* pointer) const { std::free(pointer); }
    };
    std::unique_ptr<T, release> memory_;
    std::int64_t size_ = 0;
};

}  // namespace cuset
