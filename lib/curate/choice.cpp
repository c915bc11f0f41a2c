#include <algorithm>
#include <numeric>
#include <tuple>

#include "curation_state.h"

namespace cuset {

namespace {

using entries = std::vector<curated_entry>;

/// The records that are not dropped, sorted by a group's key and then by preference. The order of
/// the input decides last.
template <class Key, class Order>
std::vector<std::uint32_t> sorted(const entries& all, const Key& key, const Order& order) {
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t i = 0; i < all.size(); ++i)
        if (all[i].reason == drop_reason::none) numbers.push_back(i);
    std::sort(numbers.begin(), numbers.end(), [&](std::uint32_t a, std::uint32_t b) {
        return std::tuple(key(a), order(a), all[a].sample, a) <
               std::tuple(key(b), order(b), all[b].sample, b);
    });
    return numbers;
}

template <class Key, class Visit>
void for_groups(std::span<const std::uint32_t> numbers, const Key& key, const Visit& visit) {
    for (std::size_t first = 0, end = 0; first < numbers.size(); first = end) {
        for (end = first + 1; end < numbers.size() && key(numbers[end]) == key(numbers[first]);)
            ++end;
        visit(numbers.subspan(first, end - first));
    }
}

void keep_one_of_each_cluster(const curation_options& options, entries& all,
                              disjoint_sets& clusters) {
    const auto key = [&](std::uint32_t i) { return clusters.root(i); };
    // Of copies, the one whose head still has the licence is the better known.
    const auto numbers = sorted(all, key, [&](std::uint32_t i) {
        return std::pair(all[i].rank, options.pick != pick_rule::first && !all[i].has_license);
    });
    for_groups(numbers, key, [&](std::span<const std::uint32_t> group) {
        curated_entry& kept = all[group.front()];
        for (const std::uint32_t i : group.subspan(1)) {
            all[i].reason = all[i].program == kept.program ? drop_reason::exact_duplicate
                                                           : drop_reason::near_duplicate;
            all[i].of = group.front();
            ++kept.others;
        }
    });
}

/// Those of one task, in the order of preference: the first of them that are kept.
std::size_t kept_of(const curation_options& options, std::size_t choices) {
    if (options.most > 0) return std::min<std::size_t>(options.most, choices);
    return options.pick == pick_rule::all ? choices : 1;
}

/// The rules of ConCuR (arXiv 2510.07356, section 3.5, its parts a and b): the shortest thought of
/// a task, if its program is the fastest of them too, and whatever is fast enough. A task whose
/// shortest thought led to a slower program gives none of the first kind. Where a time is missing,
/// every program counts as the fastest.
void keep_concise(const curation_options& options, entries& all,
                  std::span<const std::uint32_t> group) {
    std::uint32_t shortest = group.front(), fastest = group.front();
    bool timed = true;
    for (const std::uint32_t i : group) {
        const auto length = [&](std::uint32_t j) {
            return std::pair(all[j].thought, all[j].seconds);
        };
        if (length(i) < length(shortest)) shortest = i;
        if (all[i].seconds < all[fastest].seconds) fastest = i;
        timed = timed && all[i].seconds >= 0;
    }
    const bool is_concise = !timed || all[shortest].seconds <= all[fastest].seconds;
    all[shortest].is_concise = is_concise;
    for (const std::uint32_t i : group) {
        if (all[i].is_concise || (options.speed_up > 0 && all[i].speed_up > options.speed_up))
            continue;
        all[i].reason = drop_reason::not_picked;
        if (is_concise) all[i].of = shortest;
    }
}

/// Sets the mean length of the thoughts of each task. As in ConCuR's average reasoning length, all
/// answers count, right or wrong: a task that no answer solves is not an easy one.
void measure_difficulty(entries& all) {
    std::vector<std::pair<double, double>> sums;  // tokens and answers
    const auto counts = [](const curated_entry& e) {
        return e.task != no_number && e.thought != no_number && e.reason != drop_reason::repeated;
    };
    for (const curated_entry& e : all) {
        if (!counts(e)) continue;
        if (e.task >= sums.size()) sums.resize(e.task + std::size_t{1});
        sums[e.task].first += e.thought;
        sums[e.task].second += 1;
    }
    for (curated_entry& e : all)
        if (counts(e)) e.difficulty = sums[e.task].first / sums[e.task].second;
}

}  // namespace

void choose(const curation_options& options, entries& all, disjoint_sets& clusters) {
    const auto task = [&](std::uint32_t i) { return all[i].task; };
    const auto rank = [&](std::uint32_t i) { return all[i].rank; };
    if (options.difficulty) measure_difficulty(all);
    if (options.duplicates != duplicate_search::none)
        keep_one_of_each_cluster(options, all, clusters);
    const auto numbers = sorted(all, task, rank);
    for_groups(numbers, task, [&](std::span<const std::uint32_t> group) {
        if (all[group.front()].task == no_number) return;
        for (const std::uint32_t i : group)
            all[i].choices = static_cast<std::uint32_t>(group.size());
        if (options.concise) return keep_concise(options, all, group);
        for (const std::uint32_t i : group.subspan(kept_of(options, group.size()))) {
            all[i].reason = drop_reason::not_picked;
            all[i].of = group.front();
        }
    });
}

}  // namespace cuset
