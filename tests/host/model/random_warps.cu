// Warps at random: lanes are cut into groups, each does operations of its own, regroups, and some
// end early. What each operation gives is worked out on the host. An argument is another seed.
#include <cstdio>
#include <cstdlib>

#include "check.h"

enum kind {
    index_shuffle,
    up_shuffle,
    down_shuffle,
    xor_shuffle,
    vote_ballot,
    vote_any,
    vote_all,
    match_any,
    match_all,
    sum,
    least,
    through_memory,
    kinds,
    barrier
};
/// What a thread does next. Where a shuffle's source takes no part the result is not looked at.
struct step {
    int kind;
    unsigned mask;
    int argument, width;
    unsigned value;
};

__global__ void run(const step* steps, const int* begin, unsigned long long* out, unsigned* cells) {
    const int t = threadIdx.x + blockIdx.x * blockDim.x;
    for (int i = begin[t]; i < begin[t + 1]; ++i) {
        const step s = steps[i];
        unsigned long long r = 0;
        int same = 0;
        switch (s.kind) {
            case index_shuffle: r = __shfl_sync(s.mask, s.value, s.argument, s.width); break;
            case up_shuffle: r = __shfl_up_sync(s.mask, s.value, s.argument, s.width); break;
            case down_shuffle:
                r = __shfl_down_sync(s.mask, s.value * 0x100000001ull, s.argument, s.width);
                break;
            case xor_shuffle: r = __shfl_xor_sync(s.mask, s.value, s.argument, s.width); break;
            case vote_ballot: r = __ballot_sync(s.mask, s.value % 3 == 0); break;
            case vote_any: r = __any_sync(s.mask, s.value % 9 == 0) != 0; break;
            case vote_all: r = __all_sync(s.mask, s.value % 9 != 0) != 0; break;
            case match_any: r = __match_any_sync(s.mask, s.value % 4); break;
            case match_all:
                r = __match_all_sync(s.mask, s.value / 300 % 2, &same);
                r = r * 2 + (same != 0);
                break;
            case sum: r = __reduce_add_sync(s.mask, s.value); break;
            case least: r = unsigned(__reduce_min_sync(s.mask, int(s.value) - 500)); break;
            case through_memory:
                cells[t] = s.value;
                __syncwarp(s.mask);
                r = cells[t - threadIdx.x % 32 + s.argument];
                __syncwarp(s.mask);
                break;
            default: r = __syncthreads_count(s.value % 2);
        }
        out[i] = r;
    }
}

static unsigned long long random_state = 0;
static unsigned below(unsigned n) {
    random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<unsigned>(random_state >> 33) % n;
}
static unsigned bits() { return below(1u << 16) << 16 | below(1u << 16); }

/// What the threads of a launch do, and what they are to find.
struct program {
    std::vector<std::vector<step>> steps;
    std::vector<std::vector<unsigned long long>> want;
    std::vector<std::vector<bool>> defined;
    void add(int thread, const step& s, unsigned long long result, bool is_defined = true) {
        steps[thread].push_back(s);
        want[thread].push_back(result);
        defined[thread].push_back(is_defined);
    }
};

static int source_of(const step& s, int lane) {
    const int first = lane / s.width * s.width, n = s.argument;
    switch (s.kind) {
        case index_shuffle: return first + n % s.width;
        case up_shuffle: return lane - n < first ? lane : lane - n;
        case down_shuffle: return lane + n >= first + s.width ? lane : lane + n;
        default: return (lane ^ n) >= first + s.width ? lane : lane ^ n;
    }
}

/// One operation of the lanes of `mask` in the warp that begins at thread `base`; those not in
/// `alive` have ended.
static void add_operation(program& p, int base, unsigned mask, unsigned alive) {
    step s{int(below(kinds)), mask, 0, 1, 0};
    const unsigned lanes = mask & alive;
    unsigned value[32];
    const bool are_equal = below(3) == 0;
    for (int l = 0; l < 32; ++l) value[l] = are_equal ? 41 : below(1000);
    unsigned multiples = 0, nines = 0, total = 0, lowest = ~0u;
    bool same = true;
    for (int l = 0; l < 32; ++l) {
        if ((lanes >> l & 1) == 0) continue;
        multiples |= unsigned(value[l] % 3 == 0) << l;
        nines += value[l] % 9 == 0;
        total += value[l];
        lowest = value[l] < lowest ? value[l] : lowest;
        same = same && value[l] / 300 % 2 == value[__builtin_ctz(lanes)] / 300 % 2;
    }
    for (int l = 0; l < 32; ++l) {
        if ((lanes >> l & 1) == 0) continue;
        s.value = value[l];
        s.argument = below(32);
        s.width = 1 << below(6);
        unsigned long long r = 0;
        bool is_defined = true;
        switch (s.kind) {
            case index_shuffle:
            case up_shuffle:
            case down_shuffle:
            case xor_shuffle: {
                const int source = source_of(s, l);
                is_defined = (lanes >> source & 1) != 0;
                r = value[source] * (s.kind == down_shuffle ? 0x100000001ull : 1ull);
                break;
            }
            case vote_ballot: r = multiples; break;
            case vote_any: r = nines != 0; break;
            case vote_all: r = nines == 0; break;
            case match_any:
                for (int j = 0; j < 32; ++j)
                    r |= unsigned((lanes >> j & 1) != 0 && value[j] % 4 == value[l] % 4) << j;
                break;
            case match_all: r = same ? lanes * 2ull + 1 : 0; break;
            case sum: r = total; break;
            case least: r = lowest - 500; break;
            default:
                while ((lanes >> s.argument & 1) == 0) s.argument = below(32);
                r = value[s.argument];
        }
        p.add(base + l, s, r, is_defined);
    }
}

static void add_block(program& p, int first, int threads) {
    std::vector<unsigned> alive((threads + 31) / 32);
    for (int i = 0; i < threads; ++i) alive[i / 32] |= 1u << i % 32;
    for (int phases = below(6); phases >= 0; --phases) {
        for (unsigned w = 0; w < alive.size(); ++w) {
            for (int regroup = below(4); regroup >= 0; --regroup) {
                unsigned mask[5] = {};
                const unsigned groups = 1 + below(5);
                for (int l = 0; l < 32; ++l) mask[below(groups)] |= 1u << l;
                for (unsigned g = 0; g < groups; ++g)
                    for (int many = below(6); many >= 0; --many)
                        add_operation(p, first + w * 32, mask[g], alive[w]);
            }
            if (below(3) == 0) alive[w] &= bits() | bits();
            if (below(10) == 0) alive[w] = 0;
        }
        if (below(2) == 0) continue;
        std::vector<step> steps;
        unsigned odd = 0;
        for (int i = 0; i < threads; ++i) {
            steps.push_back({barrier, 0, 0, 1, below(1000)});
            if ((alive[i / 32] >> i % 32 & 1) != 0) odd += steps.back().value % 2;
        }
        for (int i = 0; i < threads; ++i)
            if ((alive[i / 32] >> i % 32 & 1) != 0) p.add(first + i, steps[i], odd);
    }
}

static void check(unsigned seed) {
    random_state = seed;
    const int blocks = 1 + below(4), threads = below(5) == 0 ? 1024 : 1 + below(200);
    program p;
    p.steps.resize(blocks * threads);
    p.want.resize(blocks * threads);
    p.defined.resize(blocks * threads);
    for (int b = 0; b < blocks; ++b) add_block(p, b * threads, threads);
    std::vector<step> all_steps;
    std::vector<int> begin = {0};
    for (const std::vector<step>& s : p.steps) {
        all_steps.insert(all_steps.end(), s.begin(), s.end());
        begin.push_back(all_steps.size());
    }
    step* steps = device<step>(all_steps.size());
    int* begins = device<int>(begin.size());
    unsigned long long* out = device<unsigned long long>(all_steps.size());
    unsigned* cells = device<unsigned>(blocks * threads + 32);
    OK(cudaMemcpy(steps, all_steps.data(), all_steps.size() * sizeof(step),
                  cudaMemcpyHostToDevice));
    OK(cudaMemcpy(begins, begin.data(), begin.size() * sizeof(int), cudaMemcpyHostToDevice));
    run<<<blocks, threads>>>(steps, begins, out, cells);
    const std::vector<unsigned long long> got = taken(out, all_steps.size());
    OK(cudaFree(steps));
    OK(cudaFree(begins));
    OK(cudaFree(cells));
    const int before = failures;
    for (int t = 0; t < blocks * threads; ++t)
        for (std::size_t i = 0; i < p.want[t].size(); ++i)
            if (p.defined[t][i])
                expect("operation", all_steps[begin[t] + i].kind, got[begin[t] + i], p.want[t][i]);
    if (failures != before) std::printf("seed %u\n", seed);
}

int main(int argc, char** argv) {
    const unsigned first = argc > 1 ? std::atoi(argv[1]) : 1;
    for (unsigned seed = first; seed < first + 24; ++seed) check(seed);
    return verdict();
}
