// Launches: what a device would refuse, and blocks over the cores.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "block_runner.h"
#include "block_turns.h"
#include "checks/checks.h"
#include "core/launch_log.h"
#include "core/lost_device.h"
#include "core/running_kernels.h"
#include "core/settings.h"
#include "core/signal_stack.h"
#include "costs/costs.h"
#include "cuset_host/faults.h"
#include "cuset_host/threads/execution.h"
#include "cuset_host/threads/launch_bounds.h"
#include "device/device_model.h"
#include "memory/kernel_stores.h"
#include "races/races.h"
#include "stack_sizes.h"
#include "streams/asynchronous_streams.h"
#include "streams/graphs.h"

namespace cuset_host {

namespace {

std::uint64_t threads_in(const dim3& block) { return std::uint64_t{block.x} * block.y * block.z; }

/// OS threads of a cooperative launch. Blocks that have one each may also wait for each other in
/// loops of their own; of more blocks, several share one.
constexpr std::uint64_t most_threads = 640;

/// False where the system gives no more threads.
template <class F>
bool start_thread(std::vector<std::thread>& threads, const F& run) {
    try {
        threads.emplace_back(run);
        return true;
    } catch (const std::system_error&) {
        return false;
    }
}

/// Whether something is known of each byte, which is one launch's at a time.
constexpr bool is_watched = checks::are_on || races::are_on || costs::are_on;

/// A part of the blocks of a launch, for whoever comes first.
struct block_queue {
    std::atomic<std::uint64_t> next{0};
    std::uint64_t blocks = 0;
    std::uint64_t stride = 1, offset = 0;  // order of blocks: (i * stride + offset) mod blocks

    std::uint64_t block(std::uint64_t i) const {
        return static_cast<std::uint64_t>((static_cast<unsigned __int128>(i) * stride + offset) %
                                          blocks);
    }
};

void run_clusters(const grid& g, block_queue& queue);

/// Blocks, or clusters where the launch has them.
void run_blocks(block_runner& runner, const grid& g, block_queue& queue) {
    if (g.cluster.x * g.cluster.y * g.cluster.z > 1) return run_clusters(g, queue);
    const device_access open;
    block_turns turns(runner, g);
    // Few turns at the counter where blocks are small.
    const std::uint64_t share =
        std::max<std::uint64_t>(1, std::min<std::uint64_t>(64, queue.blocks / 64));
    for (;;) {
        const std::uint64_t begin = queue.next.fetch_add(share, std::memory_order_relaxed);
        if (begin >= queue.blocks) return turns.finish();
        const std::uint64_t end = std::min(queue.blocks, begin + share);
        for (std::uint64_t i = begin; i < end; ++i) turns.run(queue.block(i));
    }
}

/// The number in the grid, x fastest, of a cluster's block, both x fastest too.
std::uint64_t block_in_cluster(const grid& g, std::uint64_t cluster, unsigned rank) {
    const dim3 &c = g.cluster, &all = g.shape.grid;
    const std::uint64_t wide = all.x / c.x, high = all.y / c.y;
    const std::uint64_t x = cluster % wide * c.x + rank % c.x;
    const std::uint64_t y = cluster / wide % high * c.y + rank / c.x % c.y;
    const std::uint64_t z = cluster / wide / high * c.z + rank / c.x / c.y;
    return x + all.x * (y + all.y * z);
}

using cluster_runners = std::vector<std::unique_ptr<block_runner>>;

/// Each block until it waits for the others of its cluster, in turns. Those that wait in loops of
/// their own have theirs first: then all others are at the cluster's barrier, or have ended.
void run_cluster(cluster_runners& runners, const grid& g, std::uint64_t cluster) {
    std::vector<block_runner*> waiting;
    for (unsigned rank = 0; rank < runners.size(); ++rank)
        if (runners[rank]->run(block_in_cluster(g, cluster, rank)))
            waiting.push_back(runners[rank].get());
    fruitless_turns turns(g);
    while (!waiting.empty()) {
        const bool any_yielded =
            std::any_of(waiting.begin(), waiting.end(),
                        [](const block_runner* runner) { return runner->has_yielded(); });
        const auto ended =
            std::remove_if(waiting.begin(), waiting.end(), [&](block_runner* runner) {
                return runner->has_yielded() == any_yielded && !runner->go_on();
            });
        turns.count(!any_yielded || ended != waiting.end(), waiting.size());
        waiting.erase(ended, waiting.end());
    }
}

void run_clusters(const grid& g, block_queue& queue) {
    const device_access open;
    cluster_runners runners;
    for (unsigned i = 0; i < g.cluster.x * g.cluster.y * g.cluster.z; ++i) {
        runners.push_back(std::make_unique<block_runner>(usual_stack));
        runners.back()->begin(g);
    }
    for (const auto& each : runners) each->join(runners);
    for (;;) {
        const std::uint64_t i = queue.next.fetch_add(1, std::memory_order_relaxed);
        if (i >= queue.blocks) return;
        run_cluster(runners, g, queue.block(i));
    }
}

/// OS threads that wait for launches.
class workers {
public:
    /// `count`: as many as there are to be if the system gives them, this thread too.
    explicit workers(unsigned count) {
        std::vector<std::thread> threads;
        while (threads.size() + 1 < count && start_thread(threads, [this] { serve(); })) {
        }
        others_ = static_cast<unsigned>(threads.size());
        for (auto& t : threads) t.detach();
    }
    unsigned others() const { return others_; }

    void start(const grid& g, block_queue& queue) {
        const std::lock_guard lock(mutex_);
        grid_ = &g;
        queue_ = &queue;
        busy_ = others_;
        ++turn_;
        wake_.notify_all();
    }
    void finish() {
        std::unique_lock lock(mutex_);
        done_.wait(lock, [&] { return busy_ == 0; });
    }

private:
    [[noreturn]] void serve() {
        watch_stack_of_this_thread();
        block_runner runner(usual_stack);
        std::uint64_t turn = 0;
        for (;;) {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [&] { return turn_ != turn; });
            turn = turn_;
            lock.unlock();
            run_blocks(runner, *grid_, *queue_);
            lock.lock();
            if (--busy_ == 0) done_.notify_one();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_, done_;
    const grid* grid_ = nullptr;
    block_queue* queue_ = nullptr;
    unsigned others_ = 0, busy_ = 0;
    std::uint64_t turn_ = 0;
};

workers& all_workers() {
    // One where programs are watched: what is found first is then always the same.
    const std::uint64_t asked = settings().threads;
    const std::uint64_t wanted = is_watched   ? 1
                                 : asked != 0 ? asked
                                              : std::thread::hardware_concurrency();
    // Never destroyed: the threads outlive main.
    static workers* made = new workers(static_cast<unsigned>(std::max<std::uint64_t>(1, wanted)));
    return *made;
}

std::uint64_t greatest_common_divisor(std::uint64_t a, std::uint64_t b) {
    return b == 0 ? a : greatest_common_divisor(b, a % b);
}

void order_blocks(block_queue& queue, std::uint64_t seed) {
    if (has_blocks_ascending(seed)) return;
    queue.stride = queue.blocks - 1;  // descending
    queue.offset = queue.blocks - 1;
    if (seed == descending || queue.blocks < 3) return;
    std::uint64_t stride = seed * 0x9e3779b97f4a7c15 % queue.blocks;
    while (stride < 2 || greatest_common_divisor(stride, queue.blocks) != 1)
        stride = stride % queue.blocks + 1;
    queue.stride = stride;
    queue.offset = seed % queue.blocks;
}

void run_everywhere(const grid& g, block_queue& queue) {
    thread_local block_runner runner(usual_stack);
    // Waking another core takes longer than so few threads.
    constexpr std::uint64_t few = 2048;
    if (queue.blocks < 2 || queue.blocks * threads_in(g.shape.block) < few ||
        all_workers().others() == 0) {
        run_blocks(runner, g, queue);
        return;
    }
    // One launch has the others: threads of the host may launch at the same time.
    static std::mutex& in_use = *new std::mutex;  // outlives main, as they do
    const std::unique_lock lock(in_use, std::try_to_lock);
    if (!lock.owns_lock()) {
        run_blocks(runner, g, queue);
        return;
    }
    all_workers().start(g, queue);
    run_blocks(runner, g, queue);
    all_workers().finish();
}

void leave(const grid& g) {
    if (const int line = g.meeting->leave(); line != 0)
        fail("barrier_divergence",
             std::string("kernel ") + g.at.kernel + ", block (" + std::to_string(blockIdx.x) + ',' +
                 std::to_string(blockIdx.y) + ',' + std::to_string(blockIdx.z) +
                 "): ends while other blocks wait at grid.sync, line " + std::to_string(line));
}

/// Every `step`th of the blocks, from `first` on, each until it waits for the others, in turns.
void run_share(const grid& g, const block_queue& queue, std::uint64_t first, std::uint64_t step) {
    const device_access open;
    const std::size_t stack_bytes = stack_bytes_of_each(queue.blocks * threads_in(g.shape.block));
    std::vector<std::unique_ptr<block_runner>> waiting;
    std::unique_ptr<block_runner> runner;  // none that waits
    for (std::uint64_t i = first; i < queue.blocks; i += step) {
        if (runner == nullptr) {
            runner = std::make_unique<block_runner>(stack_bytes);
            runner->begin(g);
        }
        if (runner->run(queue.block(i))) {
            waiting.push_back(std::move(runner));
        } else {
            leave(g);
        }
    }
    // Where one ends while others wait, the program has failed: all of them wait, or none.
    bool wait = !waiting.empty();
    for (std::uint64_t turn = 1; wait; ++turn) {
        g.meeting->wait(turn);
        for (auto& each : waiting) {
            wait = each->go_on();
            if (!wait) leave(g);
        }
    }
}

void run_together(grid& g, const block_queue& queue) {
    grid_meeting meeting(queue.blocks);
    g.meeting = &meeting;
    const std::uint64_t wanted = costs::are_on ? 1 : std::min(queue.blocks, most_threads);
    std::vector<std::thread> threads;
    threads.reserve(wanted);  // they read its size
    std::mutex starting;
    const auto run_on_thread = [&](std::uint64_t number) {
        { const std::lock_guard all_are_started(starting); }
        watch_stack_of_this_thread();
        run_share(g, queue, number, threads.size() + 1);
    };
    {
        const std::lock_guard lock(starting);
        for (std::uint64_t number = 1; number < wanted; ++number)
            if (!start_thread(threads, [&, number] { run_on_thread(number); })) break;
    }
    run_share(g, queue, 0, threads.size() + 1);
    for (auto& t : threads) t.join();
}

}  // namespace

namespace {

/// In the order in which they were made; each waits for those that it makes itself. A refused one
/// leaves no error on the host.
void run_children(child_launches& children) {
    const inside_call parts;
    const cudaError_t of_host = exchange_error(cudaSuccess);
    for (const auto* each : {&children.launches, &children.tails})
        for (const child_launches::launch& child : *each) {
            child.run(child.made);
            child.destroy(child.made);
        }
    exchange_error(of_host);
}

}  // namespace

/// Such a launch is refused, and nothing is missing.
static bool is_empty(const dim3& grid) { return grid.x == 0 || grid.y == 0 || grid.z == 0; }

cudaError_t run_grid(const site& at, const configuration& shape, thread_loop loop,
                     const void* kernel, const void* function, bool cooperative) {
    if (const cudaError_t error = refused_by_stream(shape.stream); error != cudaSuccess)
        return set_error(error);
    if (const cudaError_t refused = refusal(at, shape, function, cooperative);
        refused != cudaSuccess) {
        log_refusal(at, refused, is_empty(shape.grid));
        return set_error(refused);
    }
    reach_device();
    // What is known of each byte is one launch's at a time.
    static std::mutex& checked = *new std::mutex;  // outlives main, as threads of the host may
    std::unique_lock alone(checked, std::defer_lock);
    if (is_watched) alone.lock();
    grid g;
    g.at = at;
    g.shape = shape;
    g.loop = loop;
    g.kernel = kernel;
    g.seed = settings().seed;
    g.cluster = cluster_of(at, shape, function);
    const std::uint64_t cluster_blocks = std::uint64_t{g.cluster.x} * g.cluster.y * g.cluster.z;
    if (cooperative && cluster_blocks > 1)
        fail("unsupported",
             std::string("kernel ") + at.kernel + ": a cooperative launch of clusters");
    child_launches children;
    g.grid_children = &children;
    g.graph = running_graph;
    g.resets_before = device_resets();
    std::atomic<bool> exceeds_bounds{false};
    g.exceeds_bounds = &exceeds_bounds;
    block_queue queue;
    queue.blocks = std::uint64_t{shape.grid.x} * shape.grid.y * shape.grid.z / cluster_blocks;
    order_blocks(queue, g.seed);
    {
        const device_access open;
        const kernel_run counted;
        const running_kernel named(at);
        races::begin_launch(shape.stream, at.kernel, cooperative, shape.overlaps);
        costs::begin_launch(at, shape, loop, function);
        if (cooperative) {
            run_together(g, queue);
        } else {
            run_everywhere(g, queue);
        }
        races::end_launch();
        costs::end_launch();
    }
    if (exceeds_bounds) {  // only the instance of a template knew, and none of its threads began
        log_refusal(at, cudaErrorLaunchOutOfResources, false);
        return set_error(cudaErrorLaunchOutOfResources);
    }
    log_launch(at);
    if (alone.owns_lock()) alone.unlock();
    if (!children.launches.empty() || !children.tails.empty()) {
        const races::stream_work in_turn(shape.stream);  // behind the grid
        run_children(children);
    }
    return cudaSuccess;
}

cudaError_t launch_behind(const site& at, const configuration& shape, const void* function,
                          bool cooperative, const void* made, cudaError_t (*run)(const void*),
                          void (*destroy)(const void*)) {
    const std::shared_ptr<const void> kept(made, destroy);
    if (const cudaError_t error = refused_by_stream(shape.stream); error != cudaSuccess)
        return set_error(error);
    if (const cudaError_t refused = refusal(at, shape, function, cooperative);
        refused != cudaSuccess) {
        log_refusal(at, refused, is_empty(shape.grid));
        return set_error(refused);
    }
    do_behind(shape.stream, [kept, run] { return run(kept.get()); });
    return set_error(error_that_was_met());
}

graph_run* kernel_graph() { return block_runner::current()->running().graph; }

void refuse_launch() { *block_runner::current()->running().exceeds_bounds = true; }

bool is_in_kernel() { return block_runner::current() != nullptr; }
bool is_in_kernel_throughout() { return is_in_kernel(); }

void launch_after_grid(const void* made, cudaError_t (*run)(const void*),
                       void (*destroy)(const void*), bool is_tail) {
    child_launches& children = *block_runner::current()->running().grid_children;
    const std::lock_guard lock(children.mutex);
    (is_tail ? children.tails : children.launches).push_back({made, run, destroy});
}

}  // namespace cuset_host
