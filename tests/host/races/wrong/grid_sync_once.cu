// wrong: a step has one grid.sync() where it needs two; the next step's reads follow the
// stores at once, the two lines that race: the read of a[i - 1] and the store of a[i].
#include "checked_calls.h"
#include <algorithm>
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

const int SEGMENT = 8, SHIFT = 4;  // some segments lie across two blocks

__global__ void running_max(int *a, int steps) {
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank();
    bool first = i == 0 || i % SEGMENT == SHIFT;
    for (int s = 0; s < steps; ++s) {
        int left = first ? 0 : a[i - 1];  // race A
        grid.sync();
        if (left > a[i]) a[i] = left;  // race B
        // missing: grid.sync() before the next step reads
    }
}

int main() {
    int steps = 2 * SEGMENT;  // enough even where every read is a step late
    const int grid = 8, block = 64, n = grid * block;
    std::vector<int> h(n), got(n);
    for (int i = 0; i < n; ++i) h[i] = i * 83 % 251;
    int *a;
    CHECK(cudaMalloc(&a, n * sizeof(int)));
    CHECK(cudaMemcpy(a, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    void *args[] = {&a, &steps};
    CHECK(cudaLaunchCooperativeKernel((void *)running_max, dim3(grid), dim3(block), args, 0, 0));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got.data(), a, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 1; i < n; ++i)
        if (i % SEGMENT != SHIFT) h[i] = std::max(h[i], h[i - 1]);
    bool ok = got == h;
    CHECK(cudaFree(a));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
