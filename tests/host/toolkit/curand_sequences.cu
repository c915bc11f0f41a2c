// cuRAND's sequences far from their start, against the published recurrences jumped ahead by powers
// of matrices, and how the host API
// orders them.
#include <curand.h>
#include <curand_kernel.h>

#include <array>
#include <bitset>

#include "check.h"

using word = unsigned;
using wide = unsigned long long;

// Marsaglia's xorwow ("Xorshift RNGs", 2003): five words of shifts, and a counter in steps of
// 362437. The shifts are linear over GF(2), so that 2^k steps are the step's matrix squared k
// times.
namespace xorwow {
using bits = std::bitset<160>;
using matrix = std::vector<bits>;  // by columns

struct state {
    std::array<word, 5> x{123456789, 362436069, 521288629, 88675123, 5783321};
    word counter = 6615241;
};
static word next(state& s) {
    const word t = s.x[0] ^ (s.x[0] >> 2), v = s.x[4];
    for (int i = 0; i < 4; ++i) s.x[i] = s.x[i + 1];
    s.x[4] = (v ^ (v << 4)) ^ (t ^ (t << 1));
    s.counter += 362437;
    return s.x[4] + s.counter;
}
static bits packed(const state& s) {
    bits b;
    for (int i = 0; i < 160; ++i) b[i] = s.x[i / 32] >> (i % 32) & 1;
    return b;
}
static void unpack(const bits& b, state& s) {
    s.x = {};
    for (int i = 0; i < 160; ++i) s.x[i / 32] |= word{b[i]} << (i % 32);
}
static bits product(const matrix& m, const bits& b) {
    bits sum;
    for (int i = 0; i < 160; ++i)
        if (b[i]) sum ^= m[i];
    return sum;
}
/// The matrix of 2^k steps.
static const matrix& steps(int k) {
    static std::vector<matrix> powers;
    if (powers.empty()) {
        matrix one(160);
        for (int i = 0; i < 160; ++i) {
            state s;
            unpack(bits().set(i), s);
            next(s);
            one[i] = packed(s);
        }
        powers.push_back(one);
    }
    while (int(powers.size()) <= k) {
        const matrix m = powers.back();
        matrix square;
        for (const bits& column : m) square.push_back(product(m, column));
        powers.push_back(square);
    }
    return powers[k];
}
/// Goes `count` * 2^k steps on.
static void jump(state& s, wide count, int k) {
    bits b = packed(s);
    for (int i = 0; i < 64; ++i)
        if (count >> i & 1) b = product(steps(k + i), b);
    unpack(b, s);
    s.counter += k < 32 ? word(count << k) * 362437 : 0;
}
}  // namespace xorwow

// L'Ecuyer's MRG32k3a ("Good parameters and implementations for combined multiple recursive random
// number generators", 1999), with all of its seeds 12345.
namespace mrg {
constexpr wide m1 = 4294967087, m2 = 4294944443;
using vector = std::array<wide, 3>;
using matrix = std::array<vector, 3>;  // by rows

static matrix product(const matrix& a, const matrix& b, wide m) {
    matrix c{};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k) c[i][j] = (c[i][j] + a[i][k] * b[k][j] % m) % m;
    return c;
}
struct state {
    vector x{12345, 12345, 12345}, y{12345, 12345, 12345};
};
static wide next(state& s) {
    const wide x = (1403580 * s.x[1] + 810728 * (m1 - s.x[0])) % m1;
    const wide y = (527612 * s.y[2] % m2 + 1370589 * (m2 - s.y[0])) % m2;
    s.x = {s.x[1], s.x[2], x}, s.y = {s.y[1], s.y[2], y};
    return x > y ? x - y : x - y + m1;
}
static void jump(vector& v, matrix step, wide m, wide count, int k) {
    for (int i = 0; i < k; ++i) step = product(step, step, m);
    for (; count != 0; count >>= 1, step = product(step, step, m)) {
        if (count % 2 == 0) continue;
        vector sum{};
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) sum[i] = (sum[i] + step[i][j] * v[j] % m) % m;
        v = sum;
    }
}
static void jump(state& s, wide count, int k) {
    jump(s.x, {{{0, 1, 0}, {0, 0, 1}, {m1 - 810728, 1403580, 0}}}, m1, count, k);
    jump(s.y, {{{0, 1, 0}, {0, 0, 1}, {m2 - 1370589, 0, 527612}}}, m2, count, k);
}
}  // namespace mrg
/// cuRAND's 32 bits of such a number.
static word stretched(wide z) { return word(double(z) * 1.000000048662); }

// Philox4x32-10 (Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", 2011).
static uint4 philox(wide key, wide low, wide high) {
    word c[] = {word(low), word(low >> 32), word(high), word(high >> 32)};
    word k[] = {word(key), word(key >> 32)};
    for (int round = 0; round < 10; ++round, k[0] += 0x9e3779b9, k[1] += 0xbb67ae85) {
        const wide p = wide{0xd2511f53} * c[0], q = wide{0xcd9e8d57} * c[2];
        const word mixed[] = {word(q >> 32) ^ c[1] ^ k[0], word(q), word(p >> 32) ^ c[3] ^ k[1],
                              word(p)};
        for (int i = 0; i < 4; ++i) c[i] = mixed[i];
    }
    return make_uint4(c[0], c[1], c[2], c[3]);
}
static word part(uint4 x, wide i) { return i == 0 ? x.x : i == 1 ? x.y : i == 2 ? x.z : x.w; }

struct place {
    wide seed, subsequence, offset;
};
constexpr int count = 9;
// The seed with which cuRAND's xorwow begins as Marsaglia's.
constexpr wide published = 0xf7dcefddaad26b49;

template <class State>
__global__ void draw(place p, word* direct, word* skipped) {
    State s;
    curand_init(p.seed, p.subsequence, p.offset, &s);
    for (int i = 0; i < count; ++i) direct[i] = curand(&s);
    // The same place by skips from the start of the seed's sequence, and from number 1 of it.
    curand_init(p.seed, 0, 0, &s);
    curand(&s);
    skipahead(p.offset, &s);
    if constexpr (std::is_same_v<State, curandStateMRG32k3a_t>)
        skipahead_subsequence(p.subsequence, &s);
    else
        skipahead_sequence(p.subsequence, &s);
    for (int i = 1; i < count; ++i) skipped[i] = curand(&s);
}
__global__ void draw_mrg(place p, double* out) {
    curandStateMRG32k3a_t s;
    curand_init(p.seed, p.subsequence, p.offset, &s);
    for (int i = 0; i < count; ++i) out[i] = curand_uniform_double(&s);
    skipahead_sequence(5, &s);
    out[count] = curand_uniform_double(&s);
}

static void sequences() {
    word *direct = managed<word>(count), *skipped = managed<word>(count);
    double* uniform = managed<double>(count + 1);
    const auto is_far = [&](auto wanted) {
        cudaDeviceSynchronize();
        for (int i = 0; i < count; ++i) {
            const word w = wanted(i);
            MUST(direct[i] == w && (i == 0 || skipped[i] == w));
        }
    };
    for (const wide subsequence : {0ull, 1ull, 6ull, (1ull << 33) + 5})
        for (const wide offset : {0ull, 1ull, 1000ull, (5ull << 40) + 3}) {
            draw<curandStateXORWOW_t><<<1, 1>>>({published, subsequence, offset}, direct, skipped);
            xorwow::state x;
            xorwow::jump(x, subsequence, 67);
            xorwow::jump(x, offset, 0);
            is_far([&](int) { return xorwow::next(x); });

            const wide key = 0x123456789abcdef;
            draw<curandStatePhilox4_32_10_t><<<1, 1>>>({key, subsequence, offset}, direct, skipped);
            is_far([&](int i) {
                return part(philox(key, (offset + i) / 4, subsequence), (offset + i) % 4);
            });

            mrg::state m;
            mrg::jump(m, subsequence, 76);
            mrg::jump(m, offset, 0);
            draw<curandStateMRG32k3a_t><<<1, 1>>>({0, subsequence, offset}, direct, skipped);
            draw_mrg<<<1, 1>>>({0, subsequence, offset}, uniform);
            cudaDeviceSynchronize();
            for (int i = 0; i < count; ++i) {
                const wide z = mrg::next(m);
                MUST(std::fabs(uniform[i] * mrg::m1 / z - 1) < 1e-14);
                MUST(direct[i] == stretched(z));
                MUST(i == 0 || direct[i] == skipped[i]);
            }
            mrg::jump(m, 5, 127);
            MUST(std::fabs(uniform[count] * mrg::m1 / mrg::next(m) - 1) < 1e-14);
        }
    draw_mrg<<<1, 1>>>({0, 0, 0}, uniform);
    cudaDeviceSynchronize();
    // The first of L'Ecuyer's RngStreams, who divides by m1 + 1.
    MUST(std::fabs(uniform[0] * mrg::m1 / (mrg::m1 + 1) - 0.127011122046577) < 1e-14);
}

// Random123's known answers: counters that no single offset reaches.
__global__ void known_answers(place p, uint4* out) {
    curandStatePhilox4_32_10_t s;
    curand_init(p.seed, p.subsequence, 0, &s);
    for (int i = 0; i < 4; ++i) skipahead(p.offset, &s);
    out[0] = curand4(&s);
    curand(&s);
    out[1] = curand4(&s);  // across two counters
}
static void check_known_answers() {
    uint4* out = managed<uint4>(2);
    constexpr wide ones = ~0ull;
    const struct {
        place p;  // whose offset is the counter's low half
        word answer[4];
    } table[] = {
        {{0, 0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{ones, ones, ones}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x299f31d0a4093822, 0x0370734413198a2e, 0x85a308d3243f6a88},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (const auto& row : table) {
        known_answers<<<1, 1>>>(row.p, out);
        cudaDeviceSynchronize();
        for (int i = 0; i < 4; ++i) MUST(part(out[0], i) == row.answer[i]);
        // The counter's halves are one number.
        const wide low = row.p.offset + 1, high = row.p.subsequence + (low == 0);
        for (wide i = 1; i < 5; ++i)
            MUST(part(out[1], i - 1) == part(philox(row.p.seed, low + i / 4, high), i % 4));
    }
}

// The host API's number n is number n / 4096 of subsequence n mod 4096 ("Generator Ordering" in
// cuRAND's guide); MRG32k3a has that order if it is asked for the older one.
static void host_order() {
    constexpr int n = 3 * 4096;
    word* x = managed<word>(n);
    const auto generate = [&](curandRngType_t type, curandOrdering_t ordering, wide seed) {
        curandGenerator_t generator;
        OK(curandCreateGenerator(&generator, type));
        OK(curandSetGeneratorOrdering(generator, ordering));
        OK(curandSetPseudoRandomGeneratorSeed(generator, seed));
        OK(curandGenerate(generator, x, 5));
        OK(curandGenerate(generator, x + 5, n - 5));  // goes on
        OK(curandDestroyGenerator(generator));
        cudaDeviceSynchronize();
    };
    for (const auto ordering : {CURAND_ORDERING_PSEUDO_DEFAULT, CURAND_ORDERING_PSEUDO_BEST,
                                CURAND_ORDERING_PSEUDO_LEGACY}) {
        generate(CURAND_RNG_PSEUDO_XORWOW, ordering, published);
        for (const int i : {0, 1, 4, 5, 4095, 4096, 4097, n - 1}) {
            xorwow::state s;
            xorwow::jump(s, i % 4096, 67);
            xorwow::jump(s, i / 4096, 0);
            MUST(x[i] == xorwow::next(s));
        }
    }
    generate(CURAND_RNG_PSEUDO_MRG32K3A, CURAND_ORDERING_PSEUDO_LEGACY, 0);
    for (const int i : {0, 1, 4, 5, 4095, 4096, 4097, n - 1}) {
        mrg::state s;
        mrg::jump(s, i % 4096, 76);
        mrg::jump(s, i / 4096, 0);
        MUST(x[i] == stretched(mrg::next(s)));
    }
    // The first numbers of seed 1234, as the host generators of libcurand 10.4 give them.
    const struct {
        curandRngType_t type;
        word first[3];
    } table[] = {{CURAND_RNG_PSEUDO_XORWOW, {0x253d5e15, 0xd1f7605a, 0x8ce6f6f8}},
                 {CURAND_RNG_PSEUDO_MRG32K3A, {0xc96891f0, 0x26f0d612, 0xef269080}}};
    for (const auto& row : table) {
        generate(row.type, CURAND_ORDERING_PSEUDO_DEFAULT, 1234);
        for (int i = 0; i < 3; ++i) MUST(x[i] == row.first[i]);
    }
}

int main() {
    sequences();
    check_known_answers();
    host_order();
    return verdict();
}
