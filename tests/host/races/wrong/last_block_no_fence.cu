// wrong: no __threadfence stands between a block's partial sum and its ticket (it is
// after the atomicInc), the two lines that race: the store and the read of partial[].
#include "checked_calls.h"

const int BLOCK = 64, GRID = 20;

__device__ unsigned int retired = 0;

__global__ void reduce(const int *in, int n, int *partial, int *total) {
    __shared__ int s[BLOCK];
    __shared__ bool last;
    int tid = threadIdx.x, sum = 0;
    for (int i = blockIdx.x * BLOCK + tid; i < n; i += BLOCK * gridDim.x)
        sum += in[i];
    s[tid] = sum;
    __syncthreads();
    for (int h = BLOCK / 2; h > 0; h /= 2) {
        if (tid < h) s[tid] += s[tid + h];
        __syncthreads();
    }
    if (tid == 0) {
        partial[blockIdx.x] = s[0];  // race A
        unsigned int ticket = atomicInc(&retired, gridDim.x - 1);
        __threadfence();
        last = ticket == gridDim.x - 1;
    }
    __syncthreads();
    if (last && tid == 0) {
        sum = 0;
        for (int b = 0; b < gridDim.x; ++b) sum += partial[b];  // race B
        *total = sum;
    }
}

int main() {
    const int n = 5000;
    std::vector<int> h(n);
    int want = 0, got = 0;
    for (int i = 0; i < n; ++i) want += h[i] = i % 13 - 4;
    int *in, *partial, *total;
    CHECK(cudaMalloc(&in, n * sizeof(int)));
    CHECK(cudaMalloc(&partial, GRID * sizeof(int)));
    CHECK(cudaMalloc(&total, sizeof(int)));
    CHECK(cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    reduce<<<GRID, BLOCK>>>(in, n, partial, total);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&got, total, sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = got == want;
    CHECK(cudaFree(in));
    CHECK(cudaFree(partial));
    CHECK(cudaFree(total));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
