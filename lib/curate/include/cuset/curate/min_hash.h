// MinHash signatures and their bands: which sets may be similar, without comparing all with all.
//
// The signature of a set has one minimum for each of k hash functions; two sets share each minimum
// with a probability of their Jaccard index J = |A and B| / |A or B| (Broder, 1997). The minima are
// divided into bands; sets that agree in all rows of a band are candidates. A pair of index J is
// found with probability 1 - (1 - J^rows)^bands.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cuset {

struct band_plan {
    unsigned bands = 32, rows = 7;
    unsigned size() const { return bands * rows; }
};

/// 32 bands, and as many rows (1 to 12) as find a pair of index `similar` (above 0, to 1) with a
/// probability of 0.999.
band_plan plan_for(double similar);

/// Sets `bands` (one for each band of the plan) to hashes of the set's minima. Duplicates and order
/// of the elements do not matter; `set` is not empty. The same on every processor.
void hash_bands(std::span<const std::uint64_t> set, const band_plan& plan,
                std::vector<std::uint32_t>& minima, std::span<std::uint64_t> bands);

/// Sorts the elements and removes duplicates, for jaccard().
void make_set(std::vector<std::uint64_t>& elements);

/// The Jaccard index of two sorted sets; 1 if both are empty.
double jaccard(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);

/// Whether it is `least` or more; it stops as soon as that is known to be false.
bool is_jaccard_at_least(double least, std::span<const std::uint64_t> a,
                         std::span<const std::uint64_t> b);

}  // namespace cuset
