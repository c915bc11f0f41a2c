// Atomic operations, fields of bits and names that HIP has and CUDA lacks, and the standard headers
// that hip_runtime.h brings.
#include <hip/hip_runtime.h>

__global__ void update(float* f, double* d, unsigned long* l) {
    const int t = threadIdx.x;
    atomicMax(&f[0], static_cast<float>(t) - 5);
    atomicMin(&f[1], -static_cast<float>(t));
    atomicMax(&d[0], t * 0.5);
    atomicMin_system(&d[1], 3 - t * 0.5);
    atomicSub(&d[2], 0.25);
    atomicAdd(&l[0], static_cast<unsigned long>(t) << 32);
    atomicMax_system(&l[1], static_cast<unsigned long>(t) * 3);
    atomicOr(&l[2], 1ul << t);
    if (t == 0) {
        atomicCAS(&l[3], 0ul, 9ul);
        atomicCAS(&f[2], 0.0f, 1.5f);
        atomicCAS(&d[3], 1.0, 8.0);
        l[4] = __bitextract_u32(0xabcd1234, 8, 12) + (__bitinsert_u64(0, 5, 40, 4) >> 36);
    }
}

int main() {
    static_assert(HIP_SUCCESS == hipSuccess, "HIP's first names");
    float f[3] = {-100, 100, 0};
    double d[4] = {-1, 100, 16, 0};
    unsigned long l[5] = {};
    float* on_f;
    double* on_d;
    unsigned long* on_l;
    if (hipMalloc(&on_f, sizeof f) != HIP_SUCCESS || hipMalloc(&on_d, sizeof d) || hipMalloc(&on_l, sizeof l)) return 2;
    hipMemcpy(on_f, f, sizeof f, hipMemcpyHostToDevice);
    hipMemcpy(on_d, d, sizeof d, hipMemcpyHostToDevice);
    hipMemcpy(on_l, l, sizeof l, hipMemcpyHostToDevice);
    hipProfilerStart();
    update<<<1, 64>>>(on_f, on_d, on_l);
    hipProfilerStop();
    hipMemcpy(f, on_f, sizeof f, hipMemcpyDeviceToHost);
    hipMemcpy(d, on_d, sizeof d, hipMemcpyDeviceToHost);
    hipMemcpy(l, on_l, sizeof l, hipMemcpyDeviceToHost);
    const std::array<double, 4> wanted{31.5, -28.5, 0, 0};
    bool is_right = f[0] == 58 && f[1] == -63 && f[2] == 1.5f;
    for (int i = 0; i < 4; ++i) is_right = is_right && d[i] == wanted[i];
    is_right = is_right && l[0] == (63ul * 32) << 32 && l[1] == 189 && l[2] == ~0ul && l[3] == 9;
    is_right = is_right && l[4] == 0xd12 + (5 << 4);
    std::thread([&] { printf(is_right ? "right\n" : "wrong\n"); }).join();
    hipFree(on_f), hipFree(on_d), hipFree(on_l);
    return is_right ? 0 : 1;
}
