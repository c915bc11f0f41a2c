// Functions of both sides, templates, function objects and a class that kernels take.
#include <hip/hip_runtime.h>

#include <cstdio>

struct clamp {
    float low, high;
    __host__ __device__ float operator()(float x) const { return x < low ? low : x > high ? high : x; }
};

template <class F>
__global__ void apply(float* x, int n, F f) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = f(x[i]);
}

__host__ __device__ inline int side() {
#if defined(__HIPCC__) && defined(__HIP_DEVICE_COMPILE__) && __HIP_DEVICE_COMPILE__
    return 1;
#else
    return 2;
#endif
}

__global__ void tell(int* out) { *out = side(); }

int main() {
    float host[40], *x;
    for (int i = 0; i < 40; ++i) host[i] = i;
    hipMalloc(&x, sizeof host);
    hipMemcpy(x, host, sizeof host, hipMemcpyHostToDevice);
    const clamp f{5, 25};
    apply<<<2, 32>>>(x, 40, f);
    hipLaunchKernelGGL(apply<clamp>, 2, 32, 0, 0, x, 40, clamp{6, 24});
    hipMemcpy(host, x, sizeof host, hipMemcpyDeviceToHost);
    std::printf("%g %g %g %g\n", host[0], host[10], host[39], f(100));
    int device = 0, *out;
    hipMalloc(&out, sizeof device);
    tell<<<1, 1>>>(out);
    hipMemcpy(&device, out, sizeof device, hipMemcpyDeviceToHost);
    std::printf("%d %d\n", device, side());
    hipFree(x);
    hipFree(out);
}
