// Launches of graphs, from the host and from kernels of graphs that were instantiated for that.
#include <algorithm>
#include <deque>
#include <mutex>
#include <set>

#include "asynchronous_streams.h"
#include "cuset_host/device_memory.h"
#include "graph_memory.h"
#include "graph_nodes.h"

using namespace cuset_host;

namespace cuset_host {

using graph_steps = std::vector<CUgraphExec_st::step>;

struct graph_run {
    cudaGraphExec_t exec;
    const graph_steps* steps;  ///< of this launch: later ones may have others
    graph_run* outer;          ///< whose kernel has launched it; null: the host
    std::mutex mutex{};
    std::deque<cudaGraphExec_t> tails{};
    std::size_t beside = 0;  ///< launches that do not wait for its end
};

thread_local graph_run* running_graph = nullptr;

}  // namespace cuset_host

namespace {

std::mutex launchable_mutex;
std::set<cudaGraphExec_t>& launchable() {
    static auto& all = *new std::set<cudaGraphExec_t>;
    return all;
}

/// The graph of a handle that came to a kernel as an argument, where it looked like an address of
/// the host's; null if a kernel may not launch it.
cudaGraphExec_t found_from_kernel(cudaGraphExec_t handle) {
    const std::lock_guard lock(launchable_mutex);
    for (cudaGraphExec_t exec : launchable())
        if (exec == handle || trap_if_host(exec) == handle) return exec;
    return nullptr;
}

/// Whether a launch says at once what it takes or records, so that it is done in the call.
bool tells_at_launch(const CUgraphExec_st& exec) {
    return !exec.memory.empty() ||
           std::any_of(exec.steps.begin(), exec.steps.end(), [](const CUgraphExec_st::step& step) {
               return step.type == cudaGraphNodeTypeEventRecord ||
                      step.type == cudaGraphNodeTypeWaitEvent;
           });
}

cudaError_t run_alone(graph_run& now) {
    running_graph = &now;
    for (const unsigned number : now.exec->conditions) reset_condition(number);
    const cudaError_t error = run(*now.steps);
    running_graph = now.outer;
    return error;
}

/// Runs the graph and then what its kernels have put behind it, each with its own behind it.
cudaError_t run_with_tails(cudaGraphExec_t exec, const graph_steps* first = nullptr) {
    std::deque<cudaGraphExec_t> waiting{exec};
    while (!waiting.empty()) {
        cudaGraphExec_t const next = waiting.front();
        graph_run now{next, first != nullptr ? first : &next->steps, running_graph};
        first = nullptr;
        waiting.pop_front();
        if (const cudaError_t error = run_alone(now); error != cudaSuccess) return error;
        waiting.insert(waiting.begin(), now.tails.begin(), now.tails.end());
    }
    return cudaSuccess;
}

cudaError_t launch_from_kernel(cudaGraphExec_t handle, cudaStream_t stream) {
    constexpr std::uintptr_t tail = 1, forgotten = 2, sibling = 3;  // cudaStreamGraphTailLaunch, …
    const auto kind = reinterpret_cast<std::uintptr_t>(stream) >> 56;
    cudaGraphExec_t const exec = found_from_kernel(handle);
    graph_run* const now = kernel_graph();
    if (exec == nullptr || now == nullptr) return cudaErrorInvalidValue;
    // Limits are those of the programming guide, "Device Graph Launch".
    constexpr std::size_t most_tails = 255, most_beside = 120;
    const std::lock_guard lock(now->mutex);
    if (kind == tail) {
        const bool waits = exec == now->exec && std::find(now->tails.begin(), now->tails.end(),
                                                          exec) != now->tails.end();
        if (waits || now->tails.size() == most_tails) return cudaErrorInvalidValue;
        now->tails.push_back(exec);
        return cudaSuccess;
    }
    if (kind != forgotten && kind != sibling) return cudaErrorInvalidValue;
    for (const graph_run* run = now; run != nullptr; run = run->outer)
        if (run->exec == exec) return cudaErrorInvalidValue;  // it runs already
    if (now->beside == most_beside) return cudaErrorInvalidValue;
    ++now->beside;
    launch_after_grid(
        exec,
        [](const void* made) {
            return run_with_tails(static_cast<cudaGraphExec_t>(const_cast<void*>(made)));
        },
        [](const void*) {}, false);
    return cudaSuccess;
}

}  // namespace

namespace cuset_host {

void allow_launches_from_kernels(cudaGraphExec_t exec) {
    const std::lock_guard lock(launchable_mutex);
    launchable().insert(exec);
}

cudaGraphExec_t current_graph() {
    const graph_run* const now = is_in_kernel() ? kernel_graph() : nullptr;
    return now == nullptr ? nullptr : now->exec;
}

}  // namespace cuset_host

extern "C" {

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    if (exec == nullptr) return set_error(cudaErrorInvalidValue);
    if (is_in_kernel()) return launch_from_kernel(exec, stream);
    if (const cudaError_t error = refused_by_stream(stream); error != cudaSuccess)
        return set_error(error);
    if (is_capturing(stream)) {
        captured(stream, cudaGraphNodeTypeGraph, [steps = exec->steps] { return run(steps); });
        return cudaSuccess;
    }
    if (streams_are_asynchronous()) {
        if (tells_at_launch(*exec))
            return set_error(do_in_stream(stream, [=] { return cudaGraphLaunch(exec, stream); }));
        // One launch of a graph waits for the one before.
        const auto work = [exec, steps = exec->steps, before = exec->last_launch] {
            before.wait();
            return run_with_tails(exec, &steps);
        };
        do_behind(stream, work);
        exec->last_launch = mark_of(stream);
        return set_error(error_that_was_met());
    }
    races::event_awaited(stream, exec);  // the launch before, whatever its stream
    const races::stream_work in_turn(stream);
    constexpr unsigned long long frees_first = 1;  // cudaGraphInstantiateFlagAutoFreeOnLaunch
    for (void* p : exec->memory) {
        if (!is_taken(p)) continue;
        if ((exec->flags & frees_first) == 0) return set_error(cudaErrorInvalidValue);
        const inside_call parts;
        cudaFree(p);
    }
    const cudaError_t error = run_with_tails(exec);
    races::event_recorded(exec, stream);
    return set_error(error);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    if (exec == nullptr) return set_error(cudaErrorInvalidValue);
    set_error(wait_for_all_streams());
    {
        const std::lock_guard lock(launchable_mutex);
        launchable().erase(exec);
    }
    delete exec;
    return cudaSuccess;
}

}  // extern "C"
