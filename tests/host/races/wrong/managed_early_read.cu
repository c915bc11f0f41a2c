// wrong: the host reads managed memory after the launch but before any synchronisation,
// the two lines that race: the kernel's store of a[i] and the host's read of a[i].
#include "checked_calls.h"

__global__ void triangle(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = i * (i + 1) / 2;  // race A
}

static int count_bad(const int *a, int n) {
    int bad = 0;
    for (int i = 0; i < n; ++i)
        if (a[i] != i * (i + 1) / 2) ++bad;  // race B
    return bad;
}

int main() {
    const int n = 2000, block = 128;
    int *a;
    CHECK(cudaMallocManaged(&a, n * sizeof(int)));
    for (int i = 0; i < n; ++i) a[i] = -1;
    triangle<<<(n + block - 1) / block, block>>>(a, n);
    CHECK(cudaGetLastError());
    // missing: cudaDeviceSynchronize()
    int bad = count_bad(a, n);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(a));
    bool ok = bad == 0;
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
