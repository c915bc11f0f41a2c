// right: a thread lends its block the address of a parameter of __grid_constant__, which is the same
// for all threads.
#include "checked_calls.h"

struct taps {
    int of[8];
};

__global__ void filter(const __grid_constant__ taps t, const int *x, int *y, int n) {
    __shared__ const int *lent;
    if (threadIdx.x == 0) lent = t.of;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int k = 0; k < 8 && i + k < n; ++k) sum += lent[k] * x[i + k];
    __syncthreads();
    if (i < n) y[i] = sum;
}

int main() {
    const int n = 300;
    std::vector<int> h(n), got(n);
    for (int i = 0; i < n; ++i) h[i] = i * 7 % 11;
    taps t;
    for (int k = 0; k < 8; ++k) t.of[k] = k + 1;
    int *x, *y;
    CHECK(cudaMalloc(&x, n * sizeof(int)));
    CHECK(cudaMalloc(&y, n * sizeof(int)));
    CHECK(cudaMemcpy(x, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    filter<<<3, 128>>>(t, x, y, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), y, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; ++i) {
        int want = 0;
        for (int k = 0; k < 8 && i + k < n; ++k) want += (k + 1) * h[i + k];
        ok = ok && got[i] == want;
    }
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
