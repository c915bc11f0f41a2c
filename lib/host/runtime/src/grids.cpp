// Launches: what a device would refuse, and blocks over the cores.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "block_runner.h"
#include "checks.h"
#include "cuset_host/execution.h"
#include "cuset_host/faults.h"
#include "device_model.h"
#include "kernel_stores.h"
#include "launch_log.h"
#include "settings.h"
#include "signal_stack.h"

namespace cuset_host {

namespace {

// CUDA's own limit of local memory a thread is 512 KiB. Odd numbers of pages, or neighbours would
// share the sets of the processor's page tables' cache, and each turn take a walk through them.
constexpr std::size_t page = 4096, stack_bytes = 145 * page;
// A cooperative launch has as many stacks as threads.
constexpr std::size_t small_stack_bytes = 17 * page;

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

void run_blocks(block_runner& runner, const grid& g, block_queue& queue) {
    const device_access open;
    runner.begin(g);
    // Few turns at the counter where blocks are small.
    const std::uint64_t share =
        std::max<std::uint64_t>(1, std::min<std::uint64_t>(64, queue.blocks / 64));
    for (;;) {
        const std::uint64_t begin = queue.next.fetch_add(share, std::memory_order_relaxed);
        if (begin >= queue.blocks) return;
        const std::uint64_t end = std::min(queue.blocks, begin + share);
        for (std::uint64_t i = begin; i < end; ++i) runner.run(queue.block(i));
    }
}

/// OS threads that wait for launches.
class workers {
public:
    /// As many as there are to be, this thread too.
    explicit workers(unsigned count) {
        for (unsigned i = 1; i < count; ++i) std::thread([this] { serve(); }).detach();
        others_ = count - 1;
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
        block_runner runner(stack_bytes);
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
    // One where programs are checked: what is found first is then always the same.
    const std::uint64_t asked = settings().threads;
    const std::uint64_t wanted = checks::are_on ? 1
                                 : asked != 0   ? asked
                                                : std::thread::hardware_concurrency();
    // Never destroyed: the threads outlive main.
    static workers* made = new workers(static_cast<unsigned>(std::max<std::uint64_t>(1, wanted)));
    return *made;
}

std::uint64_t greatest_common_divisor(std::uint64_t a, std::uint64_t b) {
    return b == 0 ? a : greatest_common_divisor(b, a % b);
}

void order_blocks(block_queue& queue, std::uint64_t seed) {
    if (seed == 0) return;
    queue.stride = queue.blocks - 1;  // descending
    queue.offset = queue.blocks - 1;
    if (seed == 1 || queue.blocks < 3) return;
    std::uint64_t stride = seed * 0x9e3779b97f4a7c15 % queue.blocks;
    while (stride < 2 || greatest_common_divisor(stride, queue.blocks) != 1)
        stride = stride % queue.blocks + 1;
    queue.stride = stride;
    queue.offset = seed % queue.blocks;
}

void run_everywhere(const grid& g, block_queue& queue) {
    thread_local block_runner runner(stack_bytes);
    // Waking another core takes longer than so few threads.
    constexpr std::uint64_t few = 2048;
    if (queue.blocks < 2 ||
        queue.blocks * std::uint64_t{g.shape.block.x} * g.shape.block.y * g.shape.block.z < few ||
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

void run_together(grid& g, std::uint64_t blocks) {
    grid_meeting meeting(blocks);
    g.meeting = &meeting;
    std::vector<std::thread> threads;
    for (std::uint64_t i = 0; i < blocks; ++i)
        threads.emplace_back([&, i] {
            watch_stack_of_this_thread();
            const device_access open;
            block_runner runner(small_stack_bytes);
            runner.begin(g);
            runner.run(i);
            if (!meeting.leave())
                fail("barrier_divergence", std::string("kernel ") + g.at.kernel + ", block (" +
                                               std::to_string(blockIdx.x) + ',' +
                                               std::to_string(blockIdx.y) + ',' +
                                               std::to_string(blockIdx.z) +
                                               "): ends while other blocks wait at grid.sync");
        });
    for (auto& t : threads) t.join();
}

}  // namespace

cudaError_t run_grid(const site& at, const configuration& shape, thread_loop loop,
                     const void* kernel, const void* function, bool cooperative) {
    if (block_runner::current() != nullptr)
        fail("unsupported", running_thread(at.line) + ": a launch in device code");
    if (const cudaError_t refused = refusal(at, shape, function, cooperative);
        refused != cudaSuccess) {
        log_refusal(at, refused);
        return set_error(refused);
    }
    // What is known of each byte is one launch's at a time.
    static std::mutex& checked = *new std::mutex;  // outlives main, as threads of the host may
    std::unique_lock alone(checked, std::defer_lock);
    if (checks::are_on) alone.lock();
    grid g;
    g.at = at;
    g.shape = shape;
    g.loop = loop;
    g.kernel = kernel;
    g.seed = settings().seed;
    block_queue queue;
    queue.blocks = std::uint64_t{shape.grid.x} * shape.grid.y * shape.grid.z;
    order_blocks(queue, g.seed);
    {
        const device_access open;
        const kernel_run running;
        if (cooperative) {
            run_together(g, queue.blocks);
        } else {
            run_everywhere(g, queue);
        }
    }
    log_launch(at);
    return cudaSuccess;
}

}  // namespace cuset_host
