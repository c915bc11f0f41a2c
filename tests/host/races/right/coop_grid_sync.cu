// right: an in-place tree sum over the whole grid, with grid.sync() between the
// steps; in each step the cells read and the cells written are apart.
#include "checked_calls.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void tree_sum(int *a, int n, int *total) {
    cg::grid_group grid = cg::this_grid();
    for (int half = n / 2; half > 0; half /= 2) {
        for (int i = grid.thread_rank(); i < half; i += grid.size())
            a[i] += a[i + half];
        grid.sync();
    }
    // any thread may read the result now
    if (grid.thread_rank() == grid.size() - 1) *total = a[0];
}

int main() {
    int n = 4096, want = 0, got = 0;
    std::vector<int> h(n);
    for (int i = 0; i < n; ++i) want += h[i] = i % 29 - 11;
    int *a, *total;
    CHECK(cudaMalloc(&a, n * sizeof(int)));
    CHECK(cudaMalloc(&total, sizeof(int)));
    CHECK(cudaMemcpy(a, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    void *args[] = {&a, &n, &total};
    CHECK(cudaLaunchCooperativeKernel((void *)tree_sum, dim3(8), dim3(96), args, 0, 0));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&got, total, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(a));
    CHECK(cudaFree(total));
    bool ok = got == want;
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
