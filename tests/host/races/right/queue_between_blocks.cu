// right: a bounded queue between two blocks. Each polls by atomic operations in the loop that does
// its work, so that no loop only waits.
#include "checked_calls.h"

struct Queue {
    unsigned head, tail;
    int slot[4];
};

__global__ void handed_on(Queue *q, int *out, int n) {
    int i = 0;
    if (blockIdx.x == 0) {
        while (i < n) {
            const unsigned tail = atomicAdd(&q->tail, 0), head = atomicAdd(&q->head, 0);
            if (tail - head < 4) {
                q->slot[tail % 4] = i++ * 3;
                __threadfence();
                atomicAdd(&q->tail, 1);
            }
        }
    } else {
        while (i < n) {
            const unsigned head = atomicAdd(&q->head, 0), tail = atomicAdd(&q->tail, 0);
            if (head != tail) {
                __threadfence();
                out[i++] = q->slot[head % 4];
                __threadfence();
                atomicAdd(&q->head, 1);
            }
        }
    }
}

int main() {
    const int n = 40;
    int *out, got[n];
    Queue *q;
    CHECK(cudaMalloc(&q, sizeof(Queue)));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemset(q, 0, sizeof(Queue)));
    handed_on<<<2, 1>>>(q, out, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; ++i) ok = ok && got[i] == 3 * i;
    CHECK(cudaFree(q));
    CHECK(cudaFree(out));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
