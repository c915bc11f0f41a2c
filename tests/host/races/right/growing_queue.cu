// right: persistent threads with a queue that grows as they work, a tree of items. Those that find
// it empty sleep in a loop that has several places, and lanes with work are farther on in it.
#include "checked_calls.h"

const int ITEMS = 255;

struct Queue {
    int head, tail, open, sum, item[ITEMS + 1], ready[ITEMS + 1];
};

__global__ void work(Queue *q) {
    while (atomicAdd(&q->open, 0) != 0) {
        const int head = atomicAdd(&q->head, 0);
        int mine = -1;
        if (head < atomicAdd(&q->tail, 0) && atomicCAS(&q->head, head, head + 1) == head)
            mine = head;
        if (mine < 0) {
            __nanosleep(50);
            continue;
        }
        while (atomicAdd(&q->ready[mine], 0) == 0) __nanosleep(20);
        __threadfence();
        const int value = q->item[mine];
        atomicAdd(&q->sum, value);
        if (value <= ITEMS / 2) {
            const int place = atomicAdd(&q->tail, 2);
            atomicAdd(&q->open, 2);
            q->item[place] = 2 * value;
            q->item[place + 1] = 2 * value + 1;
            __threadfence();
            atomicExch(&q->ready[place], 1);
            atomicExch(&q->ready[place + 1], 1);
        }
        __threadfence();
        atomicSub(&q->open, 1);
    }
}

int main() {
    static Queue h = {0, 1, 1, 0, {1}, {1}};
    Queue *q;
    CHECK(cudaMalloc(&q, sizeof h));
    CHECK(cudaMemcpy(q, &h, sizeof h, cudaMemcpyHostToDevice));
    work<<<4, 32>>>(q);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&h, q, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(q));
    const bool ok = h.sum == ITEMS * (ITEMS + 1) / 2;
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
