// mbarrier objects of inline PTX, with loops of labels that wait for them, and bulk copies.
#include <cstdint>

#include "check.h"

__device__ std::uint32_t in_shared(const void* p) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}
__device__ void begin(std::uint64_t* b, int count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(in_shared(b)), "r"(count));
}
__device__ void wait(std::uint64_t* b, int parity) {
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "WAIT:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@done bra DONE;\n"
        "bra WAIT;\n"
        "DONE:\n"
        "}\n" ::"r"(in_shared(b)),
        "r"(parity)
        : "memory");
}
/// The same with a number of its own in each label, and a loop of the program.
__device__ bool has_passed(std::uint64_t* b, std::uint64_t state) {
    std::uint32_t passed;
    asm volatile(
        "{ .reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2; @!p bra NO_%=; "
        "mov.u32 %0, 1; bra.uni END_%=; NO_%=: mov.u32 %0, 0; END_%=: }"
        : "=r"(passed)
        : "r"(in_shared(b)), "l"(state)
        : "memory");
    return passed != 0;
}

/// All threads arrive in each round, and the last one of a warp a little later.
__global__ void rounds(int* out, int count) {
    __shared__ std::uint64_t b;
    __shared__ int s[96];
    const int t = threadIdx.x;
    if (t == 0) begin(&b, 96);
    __syncthreads();
    int value = t;
    for (int i = 0; i < count; ++i) {
        s[t] = value;
        std::uint64_t state;
        asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];"
                     : "=l"(state)
                     : "r"(in_shared(&b))
                     : "memory");
        while (!has_passed(&b, state)) __nanosleep(20);
        value += s[(t + 1) % 96];
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], 1;" ::"r"(in_shared(&b)) : "memory");
        wait(&b, 1);
    }
    out[t] = value;
}

/// A thread expects what two bulk copies bring; all wait for it. Then the way back.
__global__ void copies(const int* in, int* out, int tiles) {
    __shared__ alignas(16) int s[64];
    __shared__ std::uint64_t full;
    const int t = threadIdx.x;
    if (t == 0) {
        begin(&full, 1);
        asm volatile("fence.mbarrier_init.release.cluster;");
    }
    __syncthreads();
    for (int tile = 0; tile < tiles; ++tile) {
        if (t == 0) {
            asm volatile(
                "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(in_shared(&full)),
                "r"(256)
                : "memory");
            for (int half = 0; half < 2; ++half)
                asm volatile(
                    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], "
                    "%2, [%3];" ::"r"(in_shared(s + 32 * half)),
                    "l"(in + tile * 64 + 32 * half), "r"(128), "r"(in_shared(&full))
                    : "memory");
        }
        wait(&full, tile % 2);
        const int turned = s[63 - t] + tile;
        __syncthreads();
        s[t] = turned;
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (t == 0) {
            asm volatile(
                "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(out +
                                                                                      tile * 64),
                "r"(in_shared(s))
                : "memory");
            asm volatile("cp.async.bulk.commit_group;");
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        }
        __syncthreads();
    }
}

int main() {
    int *in = managed<int>(5 * 64), *out = managed<int>(5 * 64);
    rounds<<<2, 96>>>(out, 3);
    wait_for_device();
    int now[96], next[96];
    for (int t = 0; t < 96; ++t) now[t] = t;
    for (int i = 0; i < 3; ++i) {
        for (int t = 0; t < 96; ++t) next[t] = now[t] + now[(t + 1) % 96];
        for (int t = 0; t < 96; ++t) now[t] = next[t];
    }
    for (int t = 0; t < 96; ++t) MUST(out[t] == now[t]);
    for (int i = 0; i < 5 * 64; ++i) in[i] = i * i % 89;
    copies<<<1, 64>>>(in, out, 5);
    wait_for_device();
    for (int i = 0; i < 5 * 64; ++i) MUST(out[i] == in[i / 64 * 64 + 63 - i % 64] + i / 64);
    return verdict();
}
