#include <nv/target>

#include "check.h"
__host__ __device__ int t() { NV_IF_ELSE_TARGET(NV_IS_DEVICE, (return 1;), (return 0;)) }
__host__ __device__ int u() {
    int r = 0;
    NV_IF_TARGET(NV_PROVIDES_SM_70, (r = 70;)) return r;
}
__global__ void k(int* x) {
    x[0] = t();
    x[1] = u();
}
int main() {
    int* x = device<int>(2);
    k<<<1, 1>>>(x);
    auto h = taken(x, 2);
    MUST(h[0] == 1);
    MUST(h[1] == 70);
    MUST(t() == 0);
    MUST(u() == 0);
#ifndef __CUDACC__
    MUST(false);
#endif
#ifdef __CUDA_ARCH_LIST__
    int list[] = {__CUDA_ARCH_LIST__};
    MUST(list[0] >= 500);
#else
    MUST(false);
#endif
    return verdict();
}
