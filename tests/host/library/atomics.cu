// Atomic functions, called by many threads of many blocks: totals, old values that are all
// different, and the results of one call by one thread.
#include "check.h"

constexpr int blocks = 64, threads = 96, every = blocks * threads;

struct totals {
    int sum, difference, least, most, all_bits, any_bits, parity;
    unsigned unsigned_sum, round, back, ticket, lock, unsigned_most;
    unsigned long long wide_sum, wide_least, wide_swapped;
    long long signed_most;
    float single;
    double twice;
    float2 pair;
    float4 quad;
    unsigned short narrow[2];
    unsigned char seen[every];
};

__global__ void count(totals* t) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&t->sum, i);
    atomicSub(&t->difference, 2);
    atomicMin(&t->least, i - 5);
    atomicMax(&t->most, i);
    atomicAnd(&t->all_bits, ~(1 << (i % 8)));
    atomicOr(&t->any_bits, 1 << (i % 16));
    atomicXor(&t->parity, 1 << (i % 31));
    atomicAdd(&t->unsigned_sum, 3);  // an int for an unsigned
    atomicInc(&t->round, 9);
    atomicDec(&t->back, 6);
    atomicMax(&t->unsigned_most, 0x80000000u + i);
    atomicAdd(&t->wide_sum, 1ull << 33);
    atomicMin(&t->wide_least, (1ull << 40) - i);
    atomicMax(&t->signed_most, -1ll - i);
    atomicAdd(&t->single, 1);  // an int for a float
    atomicAdd(&t->twice, 0.5f);
    atomicAdd_block(&t->sum, 0);
    atomicAdd_system(&t->sum, 1);
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    atomicAdd(&t->pair, make_float2(1.0f, 2.0f));
    atomicAdd(&t->quad, make_float4(1.0f, 2.0f, 3.0f, 4.0f));
#endif
    t->seen[atomicAdd(&t->ticket, 1u)] += 1;

    unsigned long long old = t->wide_swapped, seen;
    do {
        seen = old;
        old = atomicCAS(&t->wide_swapped, seen, seen + 5);
    } while (old != seen);
    unsigned short before = t->narrow[1], was;
    do {
        was = before;
        before = atomicCAS(&t->narrow[1], was, (unsigned short)(was + 1));
    } while (before != was);
}

// Each call once: the value before, and the value after.
__global__ void once(unsigned* out) {
    unsigned u = 7;
    __shared__ unsigned shared;
    __shared__ float real;
    __shared__ int whole;
    shared = u;
    real = 1.5f;
    whole = -3;
    int i = 0;
    out[i++] = atomicInc(&shared, 7);  // 7 is the end: back to 0
    out[i++] = shared;
    out[i++] = atomicDec(&shared, 5);  // 0: up to 5
    out[i++] = shared;
    shared = 9;
    out[i++] = atomicDec(&shared, 5);  // above 5: to 5
    out[i++] = shared;
    out[i++] = atomicInc(&shared, 9);
    out[i++] = shared;
    out[i++] = atomicExch(&shared, 100u);
    out[i++] = shared;
    out[i++] = atomicCAS(&shared, 99u, 1u);  // is not 99: stays
    out[i++] = shared;
    out[i++] = atomicCAS(&shared, 100u, 1u);
    out[i++] = shared;
    out[i++] = __float_as_uint(atomicExch(&real, -0.0f));
    out[i++] = __float_as_uint(real);
    out[i++] = __float_as_uint(atomicAdd(&real, 2.5f));
    out[i++] = __float_as_uint(real);
    out[i++] = (unsigned)atomicMin(&whole, -7);
    out[i++] = (unsigned)whole;
    out[i++] = (unsigned)atomicMax(&whole, 4);
    out[i++] = (unsigned)whole;
    out[i++] = (unsigned)atomicXor(&whole, 6);
    out[i++] = (unsigned)whole;
}
constexpr unsigned expected_once[] = {
    7,          0,          0,          5,          9,          5, 5,          6,
    6,          100,        100,        100,        100,        1, 0x3fc00000, 0x80000000,
    0x80000000, 0x40200000, 0xfffffffd, 0xfffffff9, 0xfffffff9, 4, 4,          2};
constexpr int calls = sizeof(expected_once) / sizeof(expected_once[0]);

static void expect(const char* what, double value, double expected) {
    expect(what, 0, value, expected);
}

/// nvcc's functions, with an order and a scope.
__global__ void by_functions(int* x) {
    __nv_atomic_add(&x[0], 2, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_fetch_max(&x[1], static_cast<int>(threadIdx.x), __NV_ATOMIC_ACQ_REL);
    __nv_atomic_or(&x[2], 1 << threadIdx.x % 8, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
    int seen = __nv_atomic_load_n(&x[3], __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
    while (!__nv_atomic_compare_exchange_n(&x[3], &seen, seen + 3, false, __NV_ATOMIC_ACQ_REL,
                                           __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE)) {
    }
    auto* const f = reinterpret_cast<float*>(x + 5);
    float before;
    __nv_atomic_load(f, &before, __NV_ATOMIC_RELAXED);
    for (float after = before + 0.5f;
         !__nv_atomic_compare_exchange(f, &before, &after, false, __NV_ATOMIC_RELAXED,
                                       __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
         after = before + 0.5f) {
    }
    if (threadIdx.x == 0)
        __nv_atomic_store_n(&x[4], 9, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_SYSTEM);
}

static bool functions_are_right() {
    int *x, got[6];
    cudaMalloc(&x, sizeof got);
    cudaMemset(x, 0, sizeof got);
    by_functions<<<4, 64>>>(x);
    if (cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost) != cudaSuccess) return false;
    cudaFree(x);
    return got[0] == 512 && got[1] == 63 && got[2] == 255 && got[3] == 768 && got[4] == 9 &&
           got[5] == 0x43000000;  // 128.0f
}

int main() {
    MUST(functions_are_right());
    static totals t = {};
    t.least = 1000;
    t.all_bits = -1;
    t.most = -1;
    t.wide_least = ~0ull;
    t.signed_most = -1ll << 40;
    totals* on_device;
    cudaMalloc(&on_device, sizeof(t));
    cudaMemcpy(on_device, &t, sizeof(t), cudaMemcpyHostToDevice);
    count<<<blocks, threads>>>(on_device);
    OK(cudaMemcpy(&t, on_device, sizeof(t), cudaMemcpyDeviceToHost));
    cudaFree(on_device);
    const double n = every;  // 6144
    expect("atomicAdd of int", t.sum, n * (n - 1) / 2 + n);
    expect("atomicSub", t.difference, -2 * n);
    expect("atomicMin", t.least, -5);
    expect("atomicMax", t.most, n - 1);
    expect("atomicAnd", t.all_bits, -256);
    expect("atomicOr", t.any_bits, 65535);
    // 6144 = 198 * 31 + 6: bits 0 to 5 are turned 199 times, the others 198 times.
    expect("atomicXor", t.parity, 63);
    expect("atomicAdd of unsigned", t.unsigned_sum, 3 * n);
    expect("atomicInc", t.round, 4);  // 6144 mod 10
    // 0, 6, 5, 4, 3, 2, 1, 0 …: after 6144 = 877 * 7 + 5 steps
    expect("atomicDec", t.back, 2);
    expect("atomicMax of unsigned", t.unsigned_most, 2147483648.0 + n - 1);
    expect("atomicAdd of 64 bits", (double)t.wide_sum, n * 8589934592.0);
    expect("atomicMin of 64 bits", (double)t.wide_least, 1099511627776.0 - (n - 1));
    expect("atomicMax of signed 64 bits", (double)t.signed_most, -1);
    expect("atomicAdd of float", t.single, n);
    expect("atomicAdd of double", t.twice, n / 2);
    expect("atomicAdd of float2", t.pair.x + t.pair.y, 3 * n);
    expect("atomicAdd of float4", t.quad.x + t.quad.y + t.quad.z + t.quad.w, 10 * n);
    expect("atomicCAS of 64 bits", (double)t.wide_swapped, 5 * n);
    expect("atomicCAS of 16 bits", t.narrow[1], n);
    expect("its neighbour", t.narrow[0], 0);
    int once_each = 0;
    for (int i = 0; i < every; ++i) once_each += t.seen[i] == 1;
    expect("different old values", once_each, n);

    unsigned* out = device<unsigned>(calls);
    once<<<1, 1>>>(out);
    const std::vector<unsigned> got = taken(out, calls);
    for (int i = 0; i < calls; ++i) expect("value", i, got[i], expected_once[i]);
    return verdict();
}
