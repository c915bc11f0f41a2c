#include "cuset/curate/near_duplicates.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace cuset {

disjoint_sets::disjoint_sets(std::size_t size) : parent_(size) {
    std::iota(parent_.begin(), parent_.end(), 0U);
}

std::uint32_t disjoint_sets::root(std::uint32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
}

void disjoint_sets::join(std::uint32_t a, std::uint32_t b) {
    a = root(a);
    b = root(b);
    parent_[std::max(a, b)] = std::min(a, b);
}

namespace {
// A block of this many sets lies in the file band after band, so that one band is read in runs.
constexpr std::size_t block = 4096;
}  // namespace

result<band_file> band_file::make(const band_plan& plan) {
    CUSET_ASSIGN(spool file, spool::make());
    return band_file(plan, std::move(file));
}

status band_file::append(std::span<const std::uint64_t> bands) {
    rows_.insert(rows_.end(), bands.begin(), bands.end());
    if (++sets_ % block != 0) return {};
    std::vector<std::uint64_t> columns(rows_.size());
    for (std::size_t i = 0; i < block; ++i)
        for (std::size_t b = 0; b < plan_.bands; ++b)
            columns[b * block + i] = rows_[i * plan_.bands + b];
    rows_.clear();
    CUSET_ASSIGN(std::uint64_t ignored,
                 file_.append({reinterpret_cast<const char*>(columns.data()), columns.size() * 8}));
    static_cast<void>(ignored);
    return {};
}

status band_file::read(unsigned band, std::vector<std::uint64_t>& hashes) {
    hashes.resize(sets_);
    std::string bytes;
    for (std::size_t first = 0; first < sets_; first += block) {
        if (sets_ - first < block) {
            for (std::size_t i = 0; first + i < sets_; ++i)
                hashes[first + i] = rows_[i * plan_.bands + band];
            break;
        }
        CUSET_TRY(file_.read((first * plan_.bands + band * block) * 8, block * 8, bytes));
        std::memcpy(&hashes[first], bytes.data(), bytes.size());
    }
    return {};
}

namespace {

/// The sets that were looked at last.
class set_cache {
public:
    explicit set_cache(const near_options& options) : options_(options) {}
    using held = std::shared_ptr<const std::vector<std::uint64_t>>;

    result<held> of(std::uint32_t i) {
        if (const auto found = sets_.find(i); found != sets_.end()) return found->second;
        if (elements_ > most_elements) {
            sets_.clear();
            elements_ = 0;
        }
        auto made = std::make_shared<std::vector<std::uint64_t>>();
        CUSET_TRY(options_.elements(i, *made));
        make_set(*made);
        elements_ += made->size();
        sets_.emplace(i, made);
        return held(made);
    }

private:
    static constexpr std::size_t most_elements = std::size_t{4} << 20;  // 32 MiB
    const near_options& options_;
    std::unordered_map<std::uint32_t, held> sets_;
    std::size_t elements_ = 0;
};

/// Pairs that are known not to be similar: they may agree in several bands.
class known_pairs {
public:
    static std::uint64_t key(std::uint32_t a, std::uint32_t b) {
        return std::uint64_t{std::min(a, b)} << 32 | std::max(a, b);
    }
    bool contains(std::uint32_t a, std::uint32_t b) const { return pairs_.contains(key(a, b)); }
    void add(std::uint32_t a, std::uint32_t b) {
        constexpr std::size_t most = std::size_t{1} << 20;
        if (pairs_.size() == most) pairs_.clear();
        pairs_.insert(key(a, b));
    }

private:
    std::unordered_set<std::uint64_t> pairs_;
};

}  // namespace

result<near_summary> join_near_duplicates(band_file& bands, const near_options& options,
                                          disjoint_sets& clusters) {
    near_summary summary;
    set_cache sets(options);
    known_pairs apart;
    std::vector<std::uint64_t> hashes;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
    for (unsigned band = 0; band < bands.plan().bands; ++band) {
        CUSET_TRY(bands.read(band, hashes));
        order.clear();
        for (std::uint32_t i = 0; i < hashes.size(); ++i)
            if (options.takes_part(i)) order.emplace_back(hashes[i], i);
        std::sort(order.begin(), order.end());
        for (std::size_t first = 0, end = 0; first < order.size(); first = end) {
            for (end = first + 1; end < order.size() && order[end].first == order[first].first;)
                ++end;
            for (std::size_t a = first; a + 1 < end; ++a) {
                set_cache::held mine;
                for (std::size_t b = a + 1; b < end; ++b) {
                    const std::uint32_t i = order[a].second, j = order[b].second;
                    if (clusters.root(i) == clusters.root(j) || apart.contains(i, j)) continue;
                    if (!mine) {
                        CUSET_ASSIGN(mine, sets.of(i));
                    }
                    CUSET_ASSIGN(const set_cache::held other, sets.of(j));
                    ++summary.verified;
                    if (is_jaccard_at_least(options.similar, *mine, *other))
                        clusters.join(i, j);
                    else
                        apart.add(i, j);
                }
            }
        }
    }
    return summary;
}

}  // namespace cuset
