// Graphs that kernels launch: a graph that relaunches itself, one that waits behind the whole
// graph, one that runs at once, and what is refused.
#include <cstdio>

#include "check.h"

struct record {
    int count, rounds, steps[64];
    cudaError_t error;
};

__global__ void step(record* r, int what) { r->steps[r->count++] = what; }
__global__ void again(record* r, int limit) {
    if (++r->rounds < limit)
        r->error = cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphTailLaunch);
}
__global__ void launches(record* r, cudaGraphExec_t one, cudaStream_t how) {
    r->error = cudaGraphLaunch(one, how);
}
__global__ void itself(record* r) {
    r->error = cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphFireAndForget);
}
__global__ void itself_twice(record* r) {
    if (r->rounds++ > 0) return;
    const cudaGraphExec_t now = cudaGetCurrentGraphExec();
    r->error = cudaGraphLaunch(now, cudaStreamGraphTailLaunch);
    if (r->error == cudaSuccess) r->error = cudaGraphLaunch(now, cudaStreamGraphTailLaunch);
}
__global__ void twice(record* r, cudaGraphExec_t one, cudaGraphExec_t other) {
    r->error = cudaGraphLaunch(one, cudaStreamGraphTailLaunch);
    if (r->error == cudaSuccess) r->error = cudaGraphLaunch(other, cudaStreamGraphTailLaunch);
}

static cudaStream_t stream;
static record* r;

template <class F>
static cudaGraphExec_t graph_of(unsigned long long flags, const F& work) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    work();
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphInstantiate(&exec, graph, flags));
    OK(cudaGraphDestroy(graph));
    if ((flags & cudaGraphInstantiateFlagDeviceLaunch) != 0) OK(cudaGraphUpload(exec, stream));
    return exec;
}

template <class... Steps>
static bool ran(cudaGraphExec_t exec, Steps... wanted) {
    *r = {};
    r->error = cudaErrorUnknown;
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    const int steps[] = {wanted..., 0};
    bool same = r->count == static_cast<int>(sizeof...(wanted));
    for (int i = 0; i < r->count; ++i) {
        same = same && r->steps[i] == steps[i];
        if (!same) std::printf("step %d: %d\n", i, r->steps[i]);
    }
    return same;
}

int main() {
    OK(cudaStreamCreate(&stream));
    OK(cudaMallocManaged(&r, sizeof *r));
    constexpr unsigned long long device = cudaGraphInstantiateFlagDeviceLaunch;
    const cudaGraphExec_t loop = graph_of(device, [] {
        step<<<1, 1, 0, stream>>>(r, 1);
        again<<<1, 1, 0, stream>>>(r, 3);
        step<<<1, 1, 0, stream>>>(r, 2);
    });
    MUST(ran(loop, 1, 2, 1, 2, 1, 2) && r->error == cudaSuccess && r->rounds == 3);

    const cudaGraphExec_t inner = graph_of(device, [] { step<<<1, 1, 0, stream>>>(r, 7); });
    const cudaGraphExec_t tail = graph_of(0, [&] {
        launches<<<1, 1, 0, stream>>>(r, inner, cudaStreamGraphTailLaunch);
        step<<<1, 1, 0, stream>>>(r, 1);
    });
    MUST(ran(tail, 1, 7) && r->error == cudaSuccess);
    // What runs beside the graph that launched it has run when that one's tails run, at the latest.
    const cudaGraphExec_t beside =
        graph_of(0, [&] { launches<<<1, 1, 0, stream>>>(r, inner, cudaStreamGraphFireAndForget); });
    MUST(ran(beside, 7) && r->error == cudaSuccess);
    // Tails run in order, and one's own tails before those of the graph that it is behind.
    const cudaGraphExec_t first = graph_of(device, [&] {
        step<<<1, 1, 0, stream>>>(r, 3);
        launches<<<1, 1, 0, stream>>>(r, inner, cudaStreamGraphTailLaunch);
    });
    const cudaGraphExec_t last = graph_of(device, [] { step<<<1, 1, 0, stream>>>(r, 4); });
    const cudaGraphExec_t both = graph_of(0, [&] { twice<<<1, 1, 0, stream>>>(r, first, last); });
    MUST(ran(both, 3, 7, 4) && r->error == cudaSuccess);

    // It runs already, or waits already.
    const cudaGraphExec_t self = graph_of(device, [] { itself<<<1, 1, 0, stream>>>(r); });
    MUST(ran(self) && r->error == cudaErrorInvalidValue);
    const cudaGraphExec_t waiting = graph_of(device, [] { itself_twice<<<1, 1, 0, stream>>>(r); });
    MUST(ran(waiting) && r->error == cudaErrorInvalidValue && r->rounds == 2);

    // No graph for kernels, no such stream, no graph that launches.
    const cudaGraphExec_t plain = graph_of(0, [] { step<<<1, 1, 0, stream>>>(r, 7); });
    const cudaGraphExec_t wrong =
        graph_of(0, [&] { launches<<<1, 1, 0, stream>>>(r, plain, cudaStreamGraphTailLaunch); });
    MUST(ran(wrong) && r->error == cudaErrorInvalidValue);
    const cudaGraphExec_t nowhere =
        graph_of(0, [&] { launches<<<1, 1, 0, stream>>>(r, inner, cudaStream_t{}); });
    MUST(ran(nowhere) && r->error == cudaErrorInvalidValue);
    r->error = cudaSuccess;
    launches<<<1, 1, 0, stream>>>(r, inner, cudaStreamGraphTailLaunch);
    MUST(cudaStreamSynchronize(stream) == cudaSuccess && r->error == cudaErrorInvalidValue);
    for (const cudaGraphExec_t exec :
         {loop, inner, tail, beside, first, last, both, self, waiting, plain, wrong, nowhere})
        OK(cudaGraphExecDestroy(exec));
    return verdict();
}
