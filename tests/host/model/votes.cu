// Votes, matches and the warp reductions, with full and partial masks and exited lanes.
#include "check.h"

__device__ __host__ int predicate(int warp, int lane) {
    switch (warp) {
        case 0: return 0;
        case 1: return 1 << lane;
        case 2: return lane % 3 == 0;
        case 3: return lane == 31 ? -5 : 0;
        default: return lane == 17 ? 0 : 2;
    }
}

__global__ void vote(unsigned* out) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int p = predicate(warp, lane);
    unsigned* o = out + threadIdx.x * 8;
    o[0] = __any_sync(0xffffffffu, p) != 0;
    o[1] = __all_sync(0xffffffffu, p) != 0;
    o[2] = __ballot_sync(0xffffffffu, p);
    if (lane >= 20) {
        o[3] = __any_sync(0xfff00000u, p) != 0;
        o[4] = __all_sync(0xfff00000u, p) != 0;
        o[5] = __ballot_sync(0xfff00000u, p);
    } else {
        o[3] = __any_sync(0x000fffffu, p) != 0;
        o[4] = __all_sync(0x000fffffu, p) != 0;
        o[5] = __ballot_sync(0x000fffffu, p);
    }
    const unsigned active = __activemask();
    o[6] = active >> lane & 1;
    if (lane % 4 != 1) return;
    // Lanes that have left are no part of it any more.
    o[7] = __ballot_sync(0xffffffffu, p);
}

__global__ void match(unsigned* out) {
    const int lane = threadIdx.x;
    unsigned* o = out + lane * 6;
    int all = 7;
    o[0] = __match_any_sync(0xffffffffu, lane % 5);
    o[1] = __match_any_sync(0xffffffffu, lane < 10 ? 0x100000000ULL : 0x200000000ULL);
    o[2] = __match_all_sync(0xffffffffu, 42.5f, &all);
    o[3] = all != 0;
    o[4] = __match_all_sync(0xffffffffu, lane == 3 ? 1.0 : 2.0, &all);
    o[5] = all != 0;
}

__global__ void reduce(unsigned* out) {
    const int lane = threadIdx.x;
    const unsigned u = lane * 0x01000193u ^ 0x811c9dc5u;
    unsigned* o = out + lane * 9;
    o[0] = __reduce_add_sync(0xffffffffu, u);
    o[1] = __reduce_min_sync(0xffffffffu, u);
    o[2] = __reduce_max_sync(0xffffffffu, u);
    o[3] = __reduce_and_sync(0xffffffffu, u | 0x40u);
    o[4] = __reduce_or_sync(0xffffffffu, u & 0xfffffffeu);
    o[5] = __reduce_xor_sync(0xffffffffu, u);
    const int s = lane - 16;
    o[6] = __reduce_add_sync(0xffffffffu, s);
    o[7] = __reduce_min_sync(0xffffffffu, s);
    o[8] = lane < 6 ? __reduce_max_sync(0x3fu, s) : __reduce_max_sync(0xffffffc0u, s);
}

__global__ void alone(unsigned* out) { *out = __activemask(); }

int main() {
    const int warps = 5, threads = warps * 32;
    unsigned* out = device<unsigned>(threads * 8);
    vote<<<1, threads>>>(out);
    std::vector<unsigned> got = taken(out, threads * 8);
    for (int t = 0; t < threads; ++t) {
        unsigned ballot = 0;
        for (int l = 0; l < 32; ++l) ballot |= unsigned(predicate(t / 32, l) != 0) << l;
        const int lane = t % 32;
        const unsigned part = lane >= 20 ? 0xfff00000u : 0xfffffu;
        const unsigned* g = &got[t * 8];
        expect("any", t, g[0], ballot != 0);
        expect("all", t, g[1], ballot == 0xffffffffu);
        expect("ballot", t, g[2], ballot);
        expect("any of a part", t, g[3], (ballot & part) != 0);
        expect("all of a part", t, g[4], (ballot & part) == part);
        expect("ballot of a part", t, g[5], ballot & part);
        expect("itself active", t, g[6], 1);
        expect("after a return", t, g[7], lane % 4 == 1 ? ballot & 0x22222222u : 0xffffffffu);
    }
    out = device<unsigned>(32 * 6);
    match<<<1, 32>>>(out);
    got = taken(out, 32 * 6);
    out = device<unsigned>(32 * 9);
    reduce<<<1, 32>>>(out);
    const std::vector<unsigned> sums = taken(out, 32 * 9);
    unsigned add = 0, least = ~0u, most = 0, all = ~0u, any = 0, odd = 0;
    for (unsigned l = 0; l < 32; ++l) {
        const unsigned u = l * 0x01000193u ^ 0x811c9dc5u;
        add += u, odd ^= u, all &= u | 0x40u, any |= u & 0xfffffffeu;
        least = u < least ? u : least, most = u > most ? u : most;
    }
    const unsigned fifths[5] = {0x42108421u, 0x84210842u, 0x08421084u, 0x10842108u, 0x21084210u};
    for (int l = 0; l < 32; ++l) {
        expect("match_any of 5", l, got[l * 6], fifths[l % 5]);
        expect("match_any of 64 bits", l, got[l * 6 + 1], l < 10 ? 0x3ffu : 0xfffffc00u);
        expect("match_all, the same", l, got[l * 6 + 2], 0xffffffffu);
        expect("its predicate", l, got[l * 6 + 3], 1);
        expect("match_all, not the same", l, got[l * 6 + 4], 0);
        expect("its predicate", l, got[l * 6 + 5], 0);
        const unsigned want[9] = {add,           least,         most,
                                  all,           any,           odd,
                                  unsigned(-16), unsigned(-16), unsigned(l < 6 ? -11 : 15)};
        for (int k = 0; k < 9; ++k) expect("reduce", l * 10 + k, sums[l * 9 + k], want[k]);
    }
    out = device<unsigned>(1);
    alone<<<1, 1>>>(out);
    expect("one thread active", 0, taken(out, 1)[0], 1);
    return verdict();
}
