// Scans over tiles and coalesced groups.
#pragma once

#include "cooperative_groups.h"
#include "cuset_host/threads/group_operators.h"

namespace cooperative_groups {

namespace details {

template <class Group>
inline constexpr bool is_large = false;
template <unsigned Size, class Parent>
inline constexpr bool is_large<thread_block_tile<Size, Parent>> = (Size > 32);

/// Combines the thread's own value with those of the ranks below it. The exclusive form combines
/// only those below, and gives rank 0 an empty value.
template <bool Is_exclusive, class Group, class T, class F>
inline T scan(const Group& group, const T& value, F& combine, int line) {
    static_assert(Group::_group_id == coalesced_group_id,
                  "scans take a coalesced_group or a thread_block_tile");
    static_assert(cuset_host::works_on<cuset_host::value_type<F>, T>::value,
                  "Operator and argument types differ");
    static_assert(std::is_same_v<cuset_host::value_type<decltype(combine(value, value))>, T>,
                  "Operator input and output types differ");
    cuset_host::note_uncounted("reductions and scans of cooperative groups");
    if constexpr (is_large<Group>) {
        constexpr unsigned threads = Group::size();
        const void* const* all =
            cuset_host::tile_exchange(threads, &value, "a scan of cooperative_groups", line);
        const unsigned last = group.thread_rank() + (Is_exclusive ? 0 : 1);
        T sum{};
        for (unsigned rank = 0; rank < last; ++rank) {
            const T next = cuset_host::value_of_thread<T>(all[rank]);
            sum = rank == 0 ? next : combine(next, sum);  // as CUDA's does
        }
        cuset_host::tile_barrier(threads, "a scan of cooperative_groups", line);
        return sum;
    }
    const unsigned mask = group_access::mask(group);
    const cuset_host::lane_values<T> values(mask, value, "a scan of cooperative_groups", line);
    const unsigned rank = cuset_host::rank_of_lane(mask, cuset_host::lane_id());
    if (Is_exclusive && rank == 0) return T{};
    const cuset_host::ranked_values<T> ranked(values, mask);
    return cuset_host::scanned<32>(ranked, rank - Is_exclusive, combine);
}

/// The last thread of the group adds its inclusive sum to `atomic`; all get what that held before.
template <class Group, class Atomic, class T, class F>
inline T held_before(const Group& group, Atomic& atomic, const T& sum, F& combine, int line) {
    constexpr const char* operation = "a scan of cooperative_groups";
    T held{};
    if constexpr (is_large<Group>) {
        constexpr unsigned threads = Group::size();
        const unsigned last = cuset_host::tile_threads(threads) - 1;
        if (group.thread_rank() == last) held = combine_into(atomic, sum, combine);
        const T before = cuset_host::value_of_thread<T>(
            cuset_host::tile_exchange(threads, &held, operation, line)[last]);
        cuset_host::tile_barrier(threads, operation, line);
        return before;
    } else {
        const unsigned mask = group_access::mask(group);
        const unsigned lanes = cuset_host::lane_values<T>(mask, sum, operation, line).present();
        const unsigned last = 31U - static_cast<unsigned>(__builtin_clz(lanes & mask));
        if (cuset_host::lane_id() == last) held = combine_into(atomic, sum, combine);
        return cuset_host::value_from(mask, held, last, operation, line);
    }
}

}  // namespace details

template <class Group, class T, class F,
          class = decltype(std::declval<F&>()(std::declval<T&>(), std::declval<T&>()))>
inline cuset_host::value_type<T> inclusive_scan(const Group& group, T&& value, F&& combine,
                                                CUSET_HOST_LINE) {
    return details::scan<false, Group, cuset_host::value_type<T>>(group, value, combine, line);
}
template <class Group, class T, class F,
          class = decltype(std::declval<F&>()(std::declval<T&>(), std::declval<T&>()))>
inline cuset_host::value_type<T> exclusive_scan(const Group& group, T&& value, F&& combine,
                                                CUSET_HOST_LINE) {
    return details::scan<true, Group, cuset_host::value_type<T>>(group, value, combine, line);
}

template <class Group, class T>
inline cuset_host::value_type<T> inclusive_scan(const Group& group, T&& value, CUSET_HOST_LINE) {
    plus<cuset_host::value_type<T>> add;
    return details::scan<false, Group, cuset_host::value_type<T>>(group, value, add, line);
}
template <class Group, class T>
inline cuset_host::value_type<T> exclusive_scan(const Group& group, T&& value, CUSET_HOST_LINE) {
    plus<cuset_host::value_type<T>> add;
    return details::scan<true, Group, cuset_host::value_type<T>>(group, value, add, line);
}

// A scan that goes on from what an atomic object holds, to which all values of the group are added.
// Operators get their operands in the order in which CUDA's header gives them.
template <class Group, class Atomic, class T, class F,
          class = decltype(std::declval<F&>()(std::declval<T&>(), std::declval<T&>()))>
inline cuset_host::value_type<T> inclusive_scan_update(const Group& group, Atomic&& atomic,
                                                       T&& value, F&& combine, CUSET_HOST_LINE) {
    const cuset_host::value_type<T> sum = inclusive_scan(group, value, combine, line);
    const auto held = details::held_before(group, atomic, sum, combine, line);
    return details::is_large<Group> ? combine(sum, held) : combine(held, sum);
}
template <class Group, class Atomic, class T, class F,
          class = decltype(std::declval<F&>()(std::declval<T&>(), std::declval<T&>()))>
inline cuset_host::value_type<T> exclusive_scan_update(const Group& group, Atomic&& atomic,
                                                       T&& value, F&& combine, CUSET_HOST_LINE) {
    const cuset_host::value_type<T> below = exclusive_scan(group, value, combine, line);
    const bool is_first = group.thread_rank() == 0;
    const cuset_host::value_type<T> sum = is_first ? value : combine(value, below);
    const auto held = details::held_before(group, atomic, sum, combine, line);
    // Rank 0 of a small group combines what `atomic` held with an empty value.
    if constexpr (!details::is_large<Group>) return combine(held, below);
    return is_first ? held : combine(below, held);
}

template <class Group, class Atomic, class T>
inline cuset_host::value_type<T> inclusive_scan_update(const Group& group, Atomic&& atomic,
                                                       T&& value, CUSET_HOST_LINE) {
    plus<cuset_host::value_type<T>> add;
    return inclusive_scan_update(group, atomic, value, add, line);
}
template <class Group, class Atomic, class T>
inline cuset_host::value_type<T> exclusive_scan_update(const Group& group, Atomic&& atomic,
                                                       T&& value, CUSET_HOST_LINE) {
    plus<cuset_host::value_type<T>> add;
    return exclusive_scan_update(group, atomic, value, add, line);
}

}  // namespace cooperative_groups
