#include "asynchronous_streams.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/channel.h"
#include "core/lost_device.h"
#include "core/settings.h"
#include "core/signal_stack.h"
#include "core/system_calls.h"
#include "cuset_host/device_memory.h"
#include "cuset_host/faults.h"
#include "races/races.h"

namespace cuset_host {

namespace {

std::atomic<bool> in_turn{false}, program_ends{false};
/// The first error of work that is done, until a call that waits returns it.
std::atomic<cudaError_t> error_of_work{cudaSuccess};
thread_local bool does_work = false;

}  // namespace

class stream_queue {
public:
    explicit stream_queue(bool waits_for_legacy) : waits_for_legacy_(waits_for_legacy) {}

    /// Legacy default streams wait for those for which this is true, and these for them.
    bool waits_for_legacy() const { return waits_for_legacy_; }

    /// `marks`: what is waited for before.
    static void add(const std::shared_ptr<stream_queue>& queue, std::vector<stream_mark> marks,
                    graph_work work) {
        const std::lock_guard lock(queue->mutex_);
        queue->waiting_.push_back({std::move(marks), std::move(work)});
        ++queue->given_;
        queue->changed_.notify_all();
        if (queue->has_thread_) return;
        queue->has_thread_ = true;
        try {
            std::thread([queue] { queue->serve(); }).detach();
        } catch (const std::system_error&) {
            fail("unsupported", "more streams than the system has threads");
        }
    }
    std::uint64_t given() const {
        const std::lock_guard lock(mutex_);
        return given_;
    }
    bool has_done(std::uint64_t count) const {
        const std::lock_guard lock(mutex_);
        return is_over(count);
    }
    bool is_idle() const {
        const std::lock_guard lock(mutex_);
        return is_over(given_);
    }
    void wait(std::uint64_t count) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return is_over(count); });
    }
    void wake() {
        const std::lock_guard lock(mutex_);
        changed_.notify_all();
    }
    /// Its thread ends when all is done.
    void end() {
        const std::lock_guard lock(mutex_);
        ends_ = true;
        changed_.notify_all();
    }
    /// What has not begun is not done any more, and nobody waits for the rest.
    void drop() {
        const std::lock_guard lock(mutex_);
        ends_ = is_dropped_ = true;
        waiting_.clear();
        changed_.notify_all();
    }

private:
    struct item {
        std::vector<stream_mark> marks;
        graph_work work;
    };

    bool is_over(std::uint64_t count) const {
        return done_ >= count || is_dropped_ || device_is_lost();
    }

    void serve() {
        watch_stack_of_this_thread();
        const work_in_place works;
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [&] { return ends_ || !waiting_.empty(); });
            if (waiting_.empty() || is_dropped_) return;
            {
                const item now = std::move(waiting_.front());
                waiting_.pop_front();
                lock.unlock();
                for (const stream_mark& mark : now.marks) mark.wait();
                // Exit handlers may have destroyed what the work needs.
                if (device_is_lost() || program_ends) return;
                cudaError_t none = cudaSuccess;
                const cudaError_t error = now.work();
                if (error != cudaSuccess) error_of_work.compare_exchange_strong(none, error);
            }
            lock.lock();
            ++done_;
            changed_.notify_all();
        }
    }

    const bool waits_for_legacy_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<item> waiting_;
    std::uint64_t given_ = 0, done_ = 0;
    bool has_thread_ = false, ends_ = false, is_dropped_ = false;
};

namespace {

struct queues {
    std::mutex mutex;
    std::shared_ptr<stream_queue> legacy = std::make_shared<stream_queue>(false);
    std::map<cudaStream_t, std::shared_ptr<stream_queue>> others;
    std::vector<std::shared_ptr<stream_queue>> ending;  // of streams that are no more

    /// All of them; those of no stream go where they are done.
    template <class Visit>
    void visit(const Visit& call) {
        call(legacy);
        for (const auto& [stream, queue] : others) call(queue);
        for (const auto& queue : ending) call(queue);
        ending.erase(std::remove_if(ending.begin(), ending.end(),
                                    [](const auto& queue) { return queue->is_idle(); }),
                     ending.end());
    }
};

queues& all() {
    static queues& made = [&]() -> queues& {
        std::atexit([] { program_ends = true; });
        return *new queues;  // outlives main, as the threads do
    }();
    return made;
}

bool is_legacy(cudaStream_t stream) { return stream == nullptr || stream == cudaStreamLegacy; }

std::shared_ptr<stream_queue> queue_of(queues& existing, cudaStream_t stream) {
    if (is_legacy(stream)) return existing.legacy;
    auto& queue = existing.others[stream];
    if (queue == nullptr) {
        const bool is_blocking =
            stream == cudaStreamPerThread || (stream->flags & cudaStreamNonBlocking) == 0;
        queue = std::make_shared<stream_queue>(is_blocking);
    }
    return queue;
}

stream_mark queue_mark(const std::shared_ptr<stream_queue>& queue) {
    return {queue, queue->given()};
}

/// What work that is given to the stream now has to wait for, besides its own queue.
std::vector<stream_mark> marks_before(queues& existing,
                                      const std::shared_ptr<stream_queue>& queue) {
    std::vector<stream_mark> marks;
    if (queue->waits_for_legacy()) marks.push_back(queue_mark(existing.legacy));
    if (queue == existing.legacy)
        existing.visit([&](const auto& other) {
            if (other->waits_for_legacy()) marks.push_back(queue_mark(other));
        });
    return marks;
}

cudaError_t wait_for(const std::vector<stream_mark>& marks) {
    for (const stream_mark& mark : marks) mark.wait();
    if (const cudaError_t error = lost_device_error(); error != cudaSuccess) return error;
    return error_of_work.exchange(cudaSuccess);
}

std::vector<stream_mark> marks_of(cudaStream_t stream) {
    queues& existing = all();
    const std::lock_guard lock(existing.mutex);
    const auto queue = queue_of(existing, stream);
    std::vector<stream_mark> marks;
    if (is_legacy(stream)) marks = marks_before(existing, queue);
    marks.push_back(queue_mark(queue));
    return marks;
}

}  // namespace

bool stream_mark::is_done() const { return queue_ == nullptr || queue_->has_done(count_); }

void stream_mark::wait() const {
    if (queue_ != nullptr) queue_->wait(count_);
}

bool program_has_asynchronous_streams() { return settings().asynchronous && !in_turn; }

bool streams_are_asynchronous() {
    return program_has_asynchronous_streams() && !does_work && !is_in_kernel();
}

work_in_place::work_in_place() : outer_(std::exchange(does_work, true)) {}
work_in_place::~work_in_place() { does_work = outer_; }

bool is_stream_work() { return does_work; }

bool do_behind(cudaStream_t stream, graph_work work) {
    if (!streams_are_asynchronous()) return false;
    if (device_is_lost()) return true;
    queues& existing = all();
    const std::lock_guard lock(existing.mutex);
    const auto queue = queue_of(existing, stream);
    stream_queue::add(queue, marks_before(existing, queue), std::move(work));
    return true;
}

stream_mark mark_of(cudaStream_t stream) {
    if (!streams_are_asynchronous()) return {};
    queues& existing = all();
    const std::lock_guard lock(existing.mutex);
    return queue_mark(queue_of(existing, stream));
}

cudaError_t wait_for_stream(cudaStream_t stream) {
    races::host_waits_for_stream(stream);
    return streams_are_asynchronous() ? wait_for(marks_of(stream)) : cudaSuccess;
}

cudaError_t wait_for_all_streams() {
    races::host_waits_for_all_streams();
    if (!streams_are_asynchronous()) return cudaSuccess;
    std::vector<stream_mark> marks;
    {
        queues& existing = all();
        const std::lock_guard lock(existing.mutex);
        existing.visit([&](const auto& queue) { marks.push_back(queue_mark(queue)); });
    }
    return wait_for(marks);
}

bool is_idle(cudaStream_t stream) {
    if (!streams_are_asynchronous()) return true;
    for (const stream_mark& mark : marks_of(stream))
        if (!mark.is_done()) return false;
    return true;
}

cudaError_t do_in_stream(cudaStream_t stream, graph_work work) {
    if (!streams_are_asynchronous()) {
        const races::stream_work in_turn(stream);
        return work();
    }
    const auto error = std::make_shared<std::atomic<cudaError_t>>(cudaSuccess);
    do_behind(stream, [error, work = std::move(work)] {
        *error = work();
        return cudaSuccess;
    });
    const cudaError_t before = wait_for_stream(stream);
    return before != cudaSuccess ? before : error->load();
}

cudaError_t wait_for_pageable(cudaStream_t stream, const void* to, const void* from) {
    if (is_capturing(stream) || (!streams_are_asynchronous() && !races::are_on))
        return cudaSuccess;
    const memory_kind t = kind_of(to), f = kind_of(from);
    const bool is_pageable = t == memory_kind::host || f == memory_kind::host;
    return is_pageable ? wait_for_stream(stream) : cudaSuccess;
}

void wake_who_waits_for_streams() {
    queues& existing = all();
    const std::lock_guard lock(existing.mutex);
    existing.visit([](const auto& queue) { queue->wake(); });
}

void drop_stream_work() {
    queues& existing = all();
    const std::lock_guard lock(existing.mutex);
    existing.visit([](const auto& queue) { queue->drop(); });
    existing.legacy = std::make_shared<stream_queue>(false);
    existing.others.clear();
    existing.ending.clear();
    error_of_work = cudaSuccess;
}

void forget_stream(cudaStream_t stream) {
    races::stream_destroyed(stream);
    if (!streams_are_asynchronous()) return;
    queues& existing = all();
    const std::lock_guard lock(existing.mutex);
    const auto found = existing.others.find(stream);
    if (found == existing.others.end()) return;
    found->second->end();
    existing.ending.push_back(found->second);
    existing.others.erase(found);
}

void keep_streams_in_turn() { in_turn = true; }

void asks_for_asynchronous_streams() {
    static std::atomic<bool> has_reported{false};
    if (settings().asynchronous || has_reported.exchange(true)) return;
    report(std::string("streams asked"));
}

void needs_asynchronous_streams() {
    if (settings().asynchronous)
        fail("unsupported", "a stream that waits for later code of the host, beside Thrust");
    report(std::string("streams needed"));
    end_plainly(fault_exit_code);
}

void let_others_go_on() {
    if (!program_has_asynchronous_streams()) needs_asynchronous_streams();
    stop_if_device_is_lost(device_resets());
    std::this_thread::yield();
}

// --- Functions of the host -----------------------------------------------------------------------

namespace {

constexpr std::chrono::seconds longest_call(2);

struct call_times {
    std::mutex mutex;
    std::map<const host_call_watch*, std::chrono::steady_clock::time_point> begun;
    bool has_thread = false;

    void watch() {
        for (;;) {
            std::this_thread::sleep_for(longest_call / 8);
            const std::lock_guard lock(mutex);
            const auto now = std::chrono::steady_clock::now();
            for (const auto& [call, at] : begun)
                if (now - at > longest_call) needs_asynchronous_streams();
        }
    }
};

call_times& calls() {
    static call_times& made = *new call_times;
    return made;
}

}  // namespace

host_call_watch::host_call_watch() {
    asks_for_asynchronous_streams();
    if (program_has_asynchronous_streams()) return;
    call_times& existing = calls();
    const std::lock_guard lock(existing.mutex);
    existing.begun[this] = std::chrono::steady_clock::now();
    if (existing.has_thread) return;
    existing.has_thread = true;
    std::thread([&existing] { existing.watch(); }).detach();
}

host_call_watch::~host_call_watch() {
    if (program_has_asynchronous_streams()) return;
    const std::lock_guard lock(calls().mutex);
    calls().begun.erase(this);
}

}  // namespace cuset_host
