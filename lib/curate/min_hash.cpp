#include "cuset/curate/min_hash.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "cuset/base/random_key.h"

namespace cuset {

namespace {

constexpr unsigned most_rows = 12, all_bands = 32;
constexpr unsigned most_functions = most_rows * all_bands;

/// Function i maps x to (x ^ flip[i]) * factor[i] modulo 2^32: a bijection, since factors are odd.
struct hash_functions {
    alignas(64) std::uint32_t flip[most_functions];
    alignas(64) std::uint32_t factor[most_functions];
    hash_functions() {
        for (unsigned i = 0; i < most_functions; ++i) {
            flip[i] = static_cast<std::uint32_t>(mixed_key(1, i));
            factor[i] = static_cast<std::uint32_t>(mixed_key(2, i)) | 1U;
        }
    }
};
const hash_functions functions;

// Minima of a block stay in registers while all elements pass. Blocks are of one size, so that the
// compiler unrolls them.
constexpr unsigned block = 32;

[[gnu::always_inline]] inline void take_minima(const std::uint64_t* set, std::size_t size,
                                               unsigned first, std::uint32_t* minima) {
    std::uint32_t least[block], flip[block], factor[block];
    for (unsigned j = 0; j < block; ++j) {
        least[j] = UINT32_MAX;
        flip[j] = functions.flip[first + j];
        factor[j] = functions.factor[first + j];
    }
    for (std::size_t i = 0; i < size; ++i) {
        const auto x = static_cast<std::uint32_t>(set[i] >> 32);
        for (unsigned j = 0; j < block; ++j) {
            const std::uint32_t hash = (x ^ flip[j]) * factor[j];
            least[j] = hash < least[j] ? hash : least[j];
        }
    }
    for (unsigned j = 0; j < block; ++j) minima[j] = least[j];
}

void minima_portable(const std::uint64_t* set, std::size_t size, unsigned first,
                     std::uint32_t* minima) {
    take_minima(set, size, first, minima);
}
#if defined(__x86_64__)
[[gnu::target("avx2")]] void minima_avx2(const std::uint64_t* set, std::size_t size, unsigned first,
                                         std::uint32_t* minima) {
    take_minima(set, size, first, minima);
}
[[gnu::target("avx512f,avx512dq,avx512vl,prefer-vector-width=512")]] void minima_avx512(
    const std::uint64_t* set, std::size_t size, unsigned first, std::uint32_t* minima) {
    take_minima(set, size, first, minima);
}
#endif

using minima_function = void(const std::uint64_t*, std::size_t, unsigned, std::uint32_t*);

minima_function* chosen() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return minima_avx512;
    if (__builtin_cpu_supports("avx2")) return minima_avx2;
#endif
    return minima_portable;
}

}  // namespace

band_plan plan_for(double similar) {
    band_plan plan{all_bands, 1};
    for (unsigned rows = 1; rows <= most_rows; ++rows)
        if (1 - std::pow(1 - std::pow(similar, rows), all_bands) >= 0.999) plan.rows = rows;
    return plan;
}

void hash_bands(std::span<const std::uint64_t> set, const band_plan& plan,
                std::vector<std::uint32_t>& minima, std::span<std::uint64_t> bands) {
    static minima_function* const take = chosen();
    minima.resize(plan.size());  // a multiple of the block, since there are 32 bands
    for (unsigned first = 0; first < plan.size(); first += block)
        take(set.data(), set.size(), first, minima.data() + first);
    for (unsigned band = 0; band < plan.bands; ++band) {
        std::uint64_t hash = 0;
        for (unsigned row = 0; row < plan.rows; ++row)
            hash = mixed_key(hash, minima[band * plan.rows + row]);
        bands[band] = hash;
    }
}

void make_set(std::vector<std::uint64_t>& elements) {
    // Elements are hashes: their first bits spread them over buckets of a few.
    constexpr std::size_t bits = 9, least = 256;
    if (elements.size() >= least) {
        std::array<std::uint32_t, (std::size_t{1} << bits) + 1> ends{};
        for (const std::uint64_t x : elements) ++ends[(x >> (64 - bits)) + 1];
        for (std::size_t i = 1; i < ends.size(); ++i) ends[i] += ends[i - 1];
        const auto begins = ends;
        std::vector<std::uint64_t> spread(elements.size());
        for (const std::uint64_t x : elements) spread[ends[x >> (64 - bits)]++] = x;
        elements.swap(spread);
        for (std::size_t i = 0; i + 1 < begins.size(); ++i)
            std::sort(elements.begin() + begins[i], elements.begin() + begins[i + 1]);
    } else {
        std::sort(elements.begin(), elements.end());
    }
    elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
}

double jaccard(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
    if (a.empty() && b.empty()) return 1;
    std::size_t i = 0, j = 0, shared = 0;
    while (i < a.size() && j < b.size()) {
        const std::uint64_t x = a[i], y = b[j];
        shared += x == y;
        i += x <= y;
        j += y <= x;
    }
    return static_cast<double>(shared) / static_cast<double>(a.size() + b.size() - shared);
}

bool is_jaccard_at_least(double least, std::span<const std::uint64_t> a,
                         std::span<const std::uint64_t> b) {
    const std::size_t all = a.size() + b.size();
    if (all == 0) return true;
    std::size_t i = 0, j = 0, shared = 0;
    // What is in one set alone; each such element lowers what the index can be.
    std::size_t alone = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
    const auto can_reach = [&](std::size_t apart) {
        const std::size_t most_shared = (all - apart) / 2;
        return static_cast<double>(most_shared) >=
               least * static_cast<double>(all - most_shared) - 1e-9;
    };
    if (!can_reach(alone)) return false;
    constexpr std::size_t stride = 64;
    while (i < a.size() && j < b.size()) {
        const std::size_t end = i + j + stride;
        while (i < a.size() && j < b.size() && i + j < end) {
            const std::uint64_t x = a[i], y = b[j];
            shared += x == y;
            i += x <= y;
            j += y <= x;
        }
        alone = i + j - 2 * shared;
        const std::size_t rest_a = a.size() - i, rest_b = b.size() - j;
        if (!can_reach(alone + (rest_a > rest_b ? rest_a - rest_b : rest_b - rest_a))) return false;
    }
    return static_cast<double>(shared) / static_cast<double>(all - shared) >= least;
}

}  // namespace cuset
