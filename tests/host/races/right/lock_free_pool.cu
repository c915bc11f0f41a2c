// right: threads take nodes from a stack without locks and give them back. There are fewer nodes
// than threads, so that some take again and again until another one gives its node back. The head
// counts its changes: no ABA.
#include <cuda/atomic>

#include "checked_calls.h"

const unsigned NONE = ~0u;
const int NODES = 24, ROUNDS = 3;

template <class T>
using ref = cuda::atomic_ref<T, cuda::thread_scope_device>;

__device__ unsigned take(unsigned long long *head, unsigned *next) {
    ref<unsigned long long> top(*head);
    unsigned long long old = top.load(cuda::memory_order_acquire), mine;
    do {
        if (unsigned(old) == NONE) return NONE;
        unsigned behind = ref<unsigned>(next[unsigned(old)]).load(cuda::memory_order_relaxed);
        mine = ((old >> 32) + 1) << 32 | behind;
    } while (!top.compare_exchange_weak(old, mine, cuda::memory_order_acq_rel, cuda::memory_order_acquire));
    return unsigned(old);
}

__device__ void give(unsigned long long *head, unsigned *next, unsigned node) {
    ref<unsigned long long> top(*head);
    unsigned long long old = top.load(cuda::memory_order_relaxed), mine;
    do {
        ref<unsigned>(next[node]).store(unsigned(old), cuda::memory_order_relaxed);
        mine = ((old >> 32) + 1) << 32 | node;
    } while (!top.compare_exchange_weak(old, mine, cuda::memory_order_release, cuda::memory_order_relaxed));
}

__global__ void use(unsigned long long *head, unsigned *next, int *count) {
    for (int i = 0; i < ROUNDS; ++i) {
        unsigned node;
        while ((node = take(head, next)) == NONE) {
        }
        ++count[node];
        give(head, next, node);
    }
}

int main() {
    std::vector<unsigned> h(NODES);
    for (int i = 0; i < NODES; ++i) h[i] = i + 1 < NODES ? i + 1 : NONE;
    unsigned long long *head;
    unsigned *next;
    int *count;
    CHECK(cudaMalloc(&head, sizeof *head));
    CHECK(cudaMalloc(&next, NODES * sizeof *next));
    CHECK(cudaMalloc(&count, NODES * sizeof *count));
    CHECK(cudaMemset(head, 0, sizeof *head));
    CHECK(cudaMemset(count, 0, NODES * sizeof *count));
    CHECK(cudaMemcpy(next, h.data(), NODES * sizeof *next, cudaMemcpyHostToDevice));
    use<<<4, 64>>>(head, next, count);
    CHECK(cudaGetLastError());
    std::vector<int> got(NODES);
    CHECK(cudaMemcpy(got.data(), count, NODES * sizeof *count, cudaMemcpyDeviceToHost));
    int sum = 0;
    for (int c : got) sum += c;
    CHECK(cudaFree(head));
    CHECK(cudaFree(next));
    CHECK(cudaFree(count));
    printf(sum == 4 * 64 * ROUNDS ? "passed\n" : "failed\n");
    return sum == 4 * 64 * ROUNDS ? 0 : 1;
}
