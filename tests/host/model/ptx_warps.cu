// Inline PTX within a warp: shuffles, votes, matches and reductions of all lanes and of some;
// dependent launches; loops and branches; against what the host works out.
#include "ptx_operands.h"

// --- Within a warp -------------------------------------------------------------------------------

constexpr int warp_fields = 22;
#define REDUX(k, how) \
    asm volatile("redux.sync." how " %0, %1, %2;" : "=r"(d[k]) : "r"(x), "r"(mask))
__global__ void warp(u32* out) {
    const u32 lane = threadIdx.x, x = (lane * 7919 % 41 - 20) * 3;
    u32* d = out + lane * warp_fields;
    const bool is_upper = lane >= 12;
    const u32 mask = is_upper ? 0xfffff000 : 0xfff;
    if (is_upper) {
        REDUX(0, "add.u32");
    } else {
        REDUX(0, "add.s32");
    }
    REDUX(1, "min.s32");
    REDUX(2, "max.s32");
    REDUX(3, "min.u32");
    REDUX(4, "max.u32");
    REDUX(5, "and.b32");
    REDUX(6, "or.b32");
    REDUX(7, "xor.b32");
    asm volatile("match.any.sync.b64 %0, %1, %2;"
                 : "=r"(d[8])
                 : "l"(u64(lane % 3) << 40), "r"(mask));
    asm volatile("{ .reg .pred p; elect.sync _|p, %1; selp.u32 %0, 1, 0, p; }"
                 : "=r"(d[9])
                 : "r"(mask));
    asm volatile(
        "{ .reg .pred p, q; setp.gt.u32 p, %1, 11; vote.sync.all.pred q, p, %2; selp.u32 %0, 1, 0, "
        "q; }"
        : "=r"(d[10])
        : "r"(lane), "r"(mask));
    asm volatile(
        "{ .reg .pred p, q; setp.eq.u32 p, %1, 14; vote.sync.any.pred q, p, %2; selp.u32 %0, 1, 0, "
        "q; }"
        : "=r"(d[11])
        : "r"(lane), "r"(mask));
    asm volatile("{ .reg .pred p; setp.ge.s32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2; }"
                 : "=r"(d[12])
                 : "r"(x), "r"(mask));
    __syncwarp();
    asm volatile("{ .reg .pred p; match.all.sync.b32 %0|p, %2, %3; selp.u32 %1, 1, 0, p; }"
                 : "=r"(d[13]), "=r"(d[14])
                 : "r"(lane / 32), "r"(~0U));
    d[15] = 0;
    // Segments of 8 lanes: up has the limit 0, the others their last lane.
    asm volatile(
        "{ .reg .pred p; shfl.sync.up.b32 %0|p, %1, 3, 0x1800, 0xffffffff; @p or.b32 %0, %0, 256; }"
        : "=r"(d[16])
        : "r"(lane));
    asm volatile(
        "{ .reg .pred p; shfl.sync.down.b32 %0|p, %1, 3, 0x181f, 0xffffffff; @p or.b32 %0, %0, "
        "256; }"
        : "=r"(d[17])
        : "r"(lane));
    asm volatile(
        "{ .reg .pred p; shfl.sync.bfly.b32 %0|p, %1, 9, 0x1f, 0xffffffff; @p or.b32 %0, %0, 256; }"
        : "=r"(d[18])
        : "r"(lane));
    asm volatile(
        "{ .reg .pred p; shfl.sync.idx.b32 %0|p, %1, %2, 0x1805, 0xffffffff; @p or.b32 %0, %0, "
        "256; }"
        : "=r"(d[19])
        : "r"(lane), "r"(lane % 8));
    float half = lane * 0.5F;
    asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+f"(half));
    d[20] = static_cast<u32>(half * 2);
    asm volatile("activemask.b32 %0;" : "=r"(d[21]));
}
static void check_warp() {
    u32* out = managed<u32>(32 * warp_fields, 0);
    warp<<<1, 32>>>(out);
    wait_for_device();
    for (u32 lane = 0; lane < 32; ++lane) {
        const bool upper = lane >= 12;
        const u32 begin = upper ? 12 : 0, end = upper ? 32 : 12;
        u32 sum = 0, all = ~0U, some = 0, odd = 0, least = ~0U, most = 0, same = 0, positive = 0;
        s32 low = 1000, high = -1000;
        for (u32 l = begin; l < end; ++l) {
            const s32 x = s32(l * 7919 % 41 - 20) * 3;
            const u32 u = static_cast<u32>(x);
            sum += u, all &= u, some |= u, odd ^= u;
            low = x < low ? x : low, high = x > high ? x : high;
            least = u < least ? u : least, most = u > most ? u : most;
            same |= u32(l % 3 == lane % 3) << l, positive |= u32(x >= 0) << l;
        }
        const u32 in = lane % 8;
        const u32 want[warp_fields] = {sum,
                                       u32(low),
                                       u32(high),
                                       least,
                                       most,
                                       all,
                                       some,
                                       odd,
                                       same,
                                       lane == begin,
                                       upper,
                                       upper,
                                       positive,
                                       ~0U,
                                       1,
                                       0,
                                       in >= 3 ? (lane - 3) | 256 : lane,
                                       in < 5 ? (lane + 3) | 256 : lane,
                                       (lane ^ 9) | 256,
                                       in <= 5 ? lane | 256 : lane,
                                       lane ^ 1,
                                       ~0U};
        for (int k = 0; k < warp_fields; ++k)
            expect("warp", static_cast<int>(lane) * 100 + k, out[lane * warp_fields + k], want[k]);
    }
    cudaFree(out);
}

// --- Launches and branches -----------------------------------------------------------------------

__global__ void first_part(u32* data) {
    data[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x * 5 + blockIdx.x;
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
__global__ void second_part(const u32* data, u32* out) {
    asm volatile("griddepcontrol.wait;" ::: "memory");
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = data[gridDim.x * blockDim.x - 1 - i];
}
/// The greatest common divisor and its number of steps; the loop has two ends and a branch over one
/// line.
__global__ void divisor(const u32* in, u32* out) {
    const u32 a = in[2 * threadIdx.x], b = in[2 * threadIdx.x + 1];
    asm("{ .reg .u32 x, y, t; .reg .pred p;"
        "  mov.u32 x, %2; mov.u32 y, %3; mov.u32 %1, 0;"
        "LOOP: setp.eq.u32 p, y, 0; @p bra DONE;"
        "  rem.u32 t, x, y; mov.u32 x, y; mov.u32 y, t; add.u32 %1, %1, 1;"
        "  setp.ne.u32 p, %1, 1000; @p bra.uni LOOP;"
        "  mov.u32 x, 0;"
        "DONE: mov.u32 %0, x; setp.gt.u32 p, x, 1; @!p bra OVER; add.u32 %1, %1, 100;"
        "OVER: }"
        : "=&r"(out[2 * threadIdx.x]), "=&r"(out[2 * threadIdx.x + 1])
        : "r"(a), "r"(b));
}
static void check_launches() {
    u32 *data = managed<u32>(128, 0), *out = managed<u32>(128, 0);
    first_part<<<2, 64>>>(data);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {dim3(2), dim3(64), 0, nullptr, &attribute, 1};
    OK(cudaLaunchKernelEx(&config, second_part, (const u32*)data, out));
    wait_for_device();
    for (u32 i = 0; i < 128; ++i)
        expect("dependent launch", static_cast<int>(i), out[i],
               (127 - i) % 64 * 5 + (127 - i) / 64);
    const u32 numbers[] = {12, 18, 17, 5, 0, 7, 7, 0, 4294967295, 65535, 1000003, 999983};
    std::memcpy(data, numbers, sizeof numbers);
    divisor<<<1, 6>>>(data, out);
    wait_for_device();
    for (int i = 0; i < 6; ++i) {
        u32 a = numbers[2 * i], b = numbers[2 * i + 1], count = 0;
        for (; b != 0; ++count) {
            const u32 rest = a % b;
            a = b, b = rest;
        }
        expect("divisor", i, out[2 * i], a);
        expect("steps", i, out[2 * i + 1], count + (a > 1 ? 100 : 0));
    }
    cudaFree(data), cudaFree(out);
}

int main() {
    check_warp();
    check_launches();
    return verdict();
}
