// right: many threads store the same value (1) to the same byte or flag and none
// reads it in that kernel; readers run in a later kernel or on the host.
#include "checked_calls.h"

__global__ void strike(unsigned char *composite, int n, int *found) {
    int d = blockIdx.x * blockDim.x + threadIdx.x + 2;
    if (d * d > n) return;
    for (int m = d * d; m < n; m += d) composite[m] = 1;
    if (n % d == 0) *found = 1;
}

__global__ void count(const unsigned char *composite, int n, int *primes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 2 && i < n && !composite[i]) atomicAdd(primes, 1);
}

int main() {
    const int n = 5040;
    int want = 0;
    for (int i = 2; i < n; ++i) {
        bool prime = true;
        for (int d = 2; d * d <= i; ++d) prime = prime && i % d != 0;
        want += prime;
    }
    unsigned char *composite;
    int *found, *primes, hit = 0, got = 0;
    CHECK(cudaMalloc(&composite, n));
    CHECK(cudaMalloc(&found, sizeof(int)));
    CHECK(cudaMalloc(&primes, sizeof(int)));
    CHECK(cudaMemset(composite, 0, n));
    CHECK(cudaMemset(found, 0, sizeof(int)));
    CHECK(cudaMemset(primes, 0, sizeof(int)));
    strike<<<3, 32>>>(composite, n, found);
    CHECK(cudaGetLastError());
    count<<<(n + 127) / 128, 128>>>(composite, n, primes);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&hit, found, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&got, primes, sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = hit == 1 && got == want;
    CHECK(cudaFree(composite));
    CHECK(cudaFree(found));
    CHECK(cudaFree(primes));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}
