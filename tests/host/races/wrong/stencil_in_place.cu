// wrong: a stencil updates its array in place, so a cell may be read before or after
// its owner's store, the two lines that race: the read of a[i + 1] and the store of a[i].
#include "checked_calls.h"

__global__ void upwind(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1) {
        int next = a[i + 1];  // race A
        a[i] = (3 * a[i] + next) / 4;  // race B
    }
}

int main() {
    const int n = 4000, block = 128, steps = 3;
    std::vector<int> h(n), t(n), got(n);
    for (int i = 0; i < n; ++i) h[i] = i * 37 % 1000;
    int *a;
    CHECK(cudaMalloc(&a, n * sizeof(int)));
    CHECK(cudaMemcpy(a, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    for (int s = 0; s < steps; ++s) {
        upwind<<<(n + block - 1) / block, block>>>(a, n);
        CHECK(cudaGetLastError());
        t = h;
        for (int i = 0; i < n - 1; ++i) t[i] = (3 * h[i] + h[i + 1]) / 4;
        h.swap(t);
    }
    CHECK(cudaMemcpy(got.data(), a, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = got == h;
    CHECK(cudaFree(a));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
