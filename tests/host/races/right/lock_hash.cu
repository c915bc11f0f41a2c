// right: every bucket's list and count are touched only under that bucket's lock,
// with fences inside; lanes of one warp may want the same or different locks.
#include "checked_calls.h"

const int BUCKETS = 37;

struct Table {
    int *lock, *head, *count;  // one a bucket
    int *key, *next;           // one a node
};

__global__ void insert(Table t, const int *keys, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    t.key[i] = keys[i];
    int b = keys[i] % BUCKETS;
    bool done = false;
    while (!done) {
        if (atomicCAS(&t.lock[b], 0, 1) == 0) {
            __threadfence();
            t.next[i] = t.head[b];
            t.head[b] = i;
            t.count[b] = t.count[b] + 1;
            __threadfence();
            atomicExch(&t.lock[b], 0);
            done = true;
        }
    }
}

int main() {
    const int n = 2000, block = 64;
    std::vector<int> keys(n), want(BUCKETS, 0);
    for (int i = 0; i < n; ++i) {
        keys[i] = i * 31 % 4001;
        want[keys[i] % BUCKETS]++;
    }
    Table t;
    int *dkeys;
    CHECK(cudaMalloc(&t.lock, BUCKETS * sizeof(int)));
    CHECK(cudaMalloc(&t.head, BUCKETS * sizeof(int)));
    CHECK(cudaMalloc(&t.count, BUCKETS * sizeof(int)));
    CHECK(cudaMalloc(&t.key, n * sizeof(int)));
    CHECK(cudaMalloc(&t.next, n * sizeof(int)));
    CHECK(cudaMalloc(&dkeys, n * sizeof(int)));
    CHECK(cudaMemset(t.lock, 0, BUCKETS * sizeof(int)));
    CHECK(cudaMemset(t.head, 0xff, BUCKETS * sizeof(int)));
    CHECK(cudaMemset(t.count, 0, BUCKETS * sizeof(int)));
    CHECK(cudaMemcpy(dkeys, keys.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    insert<<<(n + block - 1) / block, block>>>(t, dkeys, n);
    CHECK(cudaGetLastError());
    std::vector<int> head(BUCKETS), count(BUCKETS), key(n), next(n);
    CHECK(cudaMemcpy(head.data(), t.head, BUCKETS * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(count.data(), t.count, BUCKETS * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(key.data(), t.key, n * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(next.data(), t.next, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int b = 0; b < BUCKETS; ++b) {
        int found = 0;
        for (int i = head[b]; i >= 0 && found <= n; i = next[i], ++found)
            ok = ok && key[i] % BUCKETS == b;
        ok = ok && found == want[b] && count[b] == want[b];
    }
    for (int *q : {t.lock, t.head, t.count, t.key, t.next, dkeys}) CHECK(cudaFree(q));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
