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

void keep_one_of_each_cluster(entries& all, disjoint_sets& clusters) {
    const auto key = [&](std::uint32_t i) { return clusters.root(i); };
    const auto numbers = sorted(all, key, [&](std::uint32_t i) { return all[i].rank; });
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

/// The shortest thought among the faster half (rounded up) of a task's records, those of the same
/// time included; all count as fast where a time is missing. With it, whatever is fast enough.
void keep_concise(const curation_options& options, entries& all,
                  std::span<const std::uint32_t> group) {
    std::vector<double> times;
    for (const std::uint32_t i : group) times.push_back(all[i].seconds);
    std::sort(times.begin(), times.end());
    const bool timed = times.front() >= 0;
    const double limit = times[(times.size() - 1) / 2];
    std::uint32_t chosen = no_number;
    for (const std::uint32_t i : group)
        if ((!timed || all[i].seconds <= limit) &&
            (chosen == no_number || all[i].thought < all[chosen].thought))
            chosen = i;
    for (const std::uint32_t i : group) {
        if (i == chosen || (options.speed_up > 0 && all[i].speed_up >= options.speed_up)) continue;
        all[i].reason = drop_reason::not_picked;
        all[i].of = chosen;
    }
}

}  // namespace

void choose(const curation_options& options, entries& all, disjoint_sets& clusters) {
    const auto task = [&](std::uint32_t i) { return all[i].task; };
    const auto rank = [&](std::uint32_t i) { return all[i].rank; };
    if (options.difficulty) {
        // Of all answers that are right, before duplicates go.
        const auto numbers = sorted(all, task, rank);
        for_groups(numbers, task, [&](std::span<const std::uint32_t> group) {
            if (all[group.front()].task == no_number) return;
            double sum = 0;
            for (const std::uint32_t i : group) sum += all[i].thought;
            for (const std::uint32_t i : group)
                all[i].difficulty = sum / static_cast<double>(group.size());
        });
    }
    if (options.duplicates != duplicate_search::none) keep_one_of_each_cluster(all, clusters);
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
