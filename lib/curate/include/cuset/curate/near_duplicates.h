// Clusters of near duplicates: the connected components of all pairs whose Jaccard index reaches a
// threshold.
//
// Candidates are the pairs that agree in a band of MinHash (min_hash.h); each is verified by its
// exact Jaccard index. Bands lie in a temporary file, and one band is sorted in memory at a time:
// so that memory grows by 20 bytes a set, whatever is in it, where all bands would take 256.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/curate/min_hash.h"
#include "cuset/curate/spool.h"

namespace cuset {

/// Disjoint sets of the numbers below a size. The root of a set is its least number, so that the
/// order of joining does not matter.
class disjoint_sets {
public:
    explicit disjoint_sets(std::size_t size);
    std::uint32_t root(std::uint32_t i);
    void join(std::uint32_t a, std::uint32_t b);
    std::size_t size() const { return parent_.size(); }

private:
    std::vector<std::uint32_t> parent_;
};

/// The bands of each set, in the order of the sets.
class band_file {
public:
    static result<band_file> make(const band_plan& plan);
    /// The bands of the next set: plan.bands of them.
    status append(std::span<const std::uint64_t> bands);
    /// Sets `hashes` to this band of every set.
    status read(unsigned band, std::vector<std::uint64_t>& hashes);
    std::size_t size() const { return sets_; }
    const band_plan& plan() const { return plan_; }

private:
    band_file(const band_plan& plan, spool file) : plan_(plan), file_(std::move(file)) {}
    band_plan plan_;
    spool file_;
    std::size_t sets_ = 0;
    std::vector<std::uint64_t> rows_;  // of the block that is not full yet
};

struct near_options {
    double similar = 0.8;
    /// Whether set i takes part.
    std::function<bool(std::uint32_t)> takes_part;
    /// The elements of set i, as they come.
    std::function<status(std::uint32_t, std::vector<std::uint64_t>&)> elements;
};

struct near_summary {
    std::uint64_t verified = 0;  ///< pairs whose index was computed
};

/// Joins in `clusters` what is similar. The result depends only on the sets and the plan.
result<near_summary> join_near_duplicates(band_file& bands, const near_options& options,
                                          disjoint_sets& clusters);

}  // namespace cuset
