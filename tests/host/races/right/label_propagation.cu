// right: labels change in place by atomicMin while others read them by relaxed atomic
// loads; the changed flag gets the same value from all and is read by the host later.
#include "checked_calls.h"
#include <cuda/atomic>

__global__ void propagate(int *label, const int2 *edge, int m, int *changed) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m) return;
    int a = edge[e].x, b = edge[e].y;
    using Label = cuda::atomic_ref<int, cuda::thread_scope_device>;
    int la = Label(label[a]).load(cuda::memory_order_relaxed);
    int lb = Label(label[b]).load(cuda::memory_order_relaxed);
    if (la < lb) {
        atomicMin(&label[b], la);
        *changed = 1;
    } else if (lb < la) {
        atomicMin(&label[a], lb);
        *changed = 1;
    }
}

int main() {
    const int n = 900, parts = 6, block = 128;
    std::vector<int> h(n), got(n);
    std::vector<int2> edges;
    for (int v = 0; v < n; ++v) {
        h[v] = v;
        if (v + parts < n) edges.push_back(make_int2(v, v + parts));
        if (v + 30 * parts < n) edges.push_back(make_int2(v + 30 * parts, v));
    }
    const int m = (int)edges.size();
    int *label, *changed, again = 1;
    int2 *edge;
    CHECK(cudaMalloc(&label, n * sizeof(int)));
    CHECK(cudaMalloc(&changed, sizeof(int)));
    CHECK(cudaMalloc(&edge, m * sizeof(int2)));
    CHECK(cudaMemcpy(label, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(edge, edges.data(), m * sizeof(int2), cudaMemcpyHostToDevice));
    while (again) {
        CHECK(cudaMemset(changed, 0, sizeof(int)));
        propagate<<<(m + block - 1) / block, block>>>(label, edge, m, changed);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(&again, changed, sizeof(int), cudaMemcpyDeviceToHost));
    }
    CHECK(cudaMemcpy(got.data(), label, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int v = 0; v < n; ++v) ok = ok && got[v] == v % parts;
    CHECK(cudaFree(label));
    CHECK(cudaFree(changed));
    CHECK(cudaFree(edge));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
