#include "row_tasks.h"

#include <utility>

#include "products.h"

namespace cuset {

namespace {

thread_local std::size_t this_thread = 0;

/// A look takes the time of one pause: 40 ns on newer processors, less on others.
constexpr int looks = 1000;

/// Waits until `value` is no longer `old`.
template <class T>
void wait_for_change(const std::atomic<T>& value, T old) {
    for (int i = 0; i < looks; ++i) {
        if (value != old) return;
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
    value.wait(old);
}

}  // namespace

std::size_t task_pool::thread_index() { return this_thread; }

task_pool::task_pool(int threads) {
    for (int i = 1; i < threads; ++i) {
        workers_.emplace_back([this, i] {
            this_thread = static_cast<std::size_t>(i);
            const single_threaded_products alone;
            work();
        });
    }
}

task_pool::~task_pool() {
    ending_ = true;
    ++round_;
    round_.notify_all();
    for (auto& worker : workers_) worker.join();
}

void task_pool::work() {
    for (std::uint32_t seen = 0;;) {
        wait_for_change(round_, seen);
        seen = round_;
        if (ending_) return;
        take_tasks();
    }
}

/// A worker may come late, when its round is over and the next one is being set up: it then takes
/// nothing, or a task of the new round. A thread that holds a task may read call_, task_ and
/// count_, which cannot change before done_ counts that task. So nobody waits for a worker that the
/// system has not woken yet.
void task_pool::take_tasks() {
    for (std::int64_t left = waiting_--; left > 0; left = waiting_--) {
        const std::int64_t count = count_;
        try {
            call_(task_, count - left);
        } catch (...) {
            if (!failed_.exchange(true)) failure_ = std::current_exception();
        }
        if (++done_ == count) done_.notify_one();
    }
}

void task_pool::run_erased(std::int64_t count, function call, const void* task) {
    if (count <= 0) return;
    const single_threaded_products alone;
    call_ = call;
    task_ = task;
    count_ = count;
    done_ = 0;
    failed_ = false;
    waiting_ = count;  // from here on workers may begin
    if (count > 1 && !workers_.empty()) {
        ++round_;
        round_.notify_all();
    }
    take_tasks();
    for (std::int64_t done = done_; done != count; done = done_) wait_for_change(done_, done);
    if (failed_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace cuset
