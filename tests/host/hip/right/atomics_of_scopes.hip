// hipcc's atomic functions with an order and a scope.
#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void k(int* x, float* f, unsigned long long* l) {
    __hip_atomic_fetch_add(x, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    __hip_atomic_fetch_max(x + 1, (int)threadIdx.x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    __hip_atomic_fetch_min(x + 2, -(int)threadIdx.x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
    __hip_atomic_fetch_or(l, 1ull << threadIdx.x, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_WORKGROUP);
    __hip_atomic_fetch_add(f, 0.5f, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    if (threadIdx.x == 0) {
        __hip_atomic_store(x + 3, 5, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
        x[4] = __hip_atomic_load(x + 3, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
        x[5] = __hip_atomic_exchange(x + 3, 6, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
        int e = 6;
        x[6] = __hip_atomic_compare_exchange_strong(x + 3, &e, 9, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    }
}
int main() {
    int h[7]; int* d; hipMalloc(&d, sizeof h); hipMemset(d, 0, sizeof h);
    float* f; hipMalloc(&f, 4); hipMemset(f, 0, 4); unsigned long long* l; hipMalloc(&l, 8); hipMemset(l, 0, 8);
    k<<<1, 64>>>(d, f, l);
    hipMemcpy(h, d, sizeof h, hipMemcpyDeviceToHost);
    const int wanted[7] = {64, 63, -63, 9, 5, 5, 1};
    for (int i = 0; i < 7; ++i)
        if (h[i] != wanted[i]) return 1;
    float sum; unsigned long long bits;
    hipMemcpy(&sum, f, sizeof sum, hipMemcpyDeviceToHost);
    hipMemcpy(&bits, l, sizeof bits, hipMemcpyDeviceToHost);
    if (sum != 32 || bits != ~0ull) return 1;
    printf("right\n");
}
