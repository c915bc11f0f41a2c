// wrong: a scan in one buffer reads and writes it between the same barriers, and zeros stay zeros, so
// that the values never tell.
#include "checked_calls.h"

const int N = 64;

__global__ void scan(int *a) {
    __shared__ int sums[N];
    const int i = threadIdx.x;
    sums[i] = a[i];
    for (int d = 1; d < N; d *= 2) {
        __syncthreads();
        if (i >= d) sums[i] += sums[i - d];  // race
    }
    a[i] = sums[i];
}

int main() {
    int got[N], *a;
    CHECK(cudaMalloc(&a, sizeof got));
    CHECK(cudaMemset(a, 0, sizeof got));
    scan<<<1, N>>>(a);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, a, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(a));
    return puts("ran"), 0;
}
