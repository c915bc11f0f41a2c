// Parts of cooperative groups, and functions that one thread of a group runs for all of it.
#pragma once

#include "cooperative_groups.h"

namespace cooperative_groups {

template <unsigned Size, class Parent>
inline thread_block_tile<Size, Parent> tiled_partition(const Parent&, CUSET_HOST_LINE) {
    static_assert(details::is_tiled_parent<Parent>::value,
                  "tiled_partition<Size> takes a thread_block or a thread_block_tile");
    static_assert(Size < details::is_tiled_parent<Parent>::size,
                  "Tile size bigger or equal to the parent group size");
    static_cast<void>(line);
    return details::group_access::tile<Size, Parent>();
}

inline coalesced_group tiled_partition(const coalesced_group& parent, unsigned size,
                                       CUSET_HOST_LINE) {
    if (size == 0 || size > 32 || (size & (size - 1)) != 0)
        cuset_host::trap_at_tile_size(size, line);
    if (parent.size() <= size) return parent;
    const unsigned part = parent.thread_rank() / size;
    unsigned lanes = 0, rank = 0;
    for (unsigned rest = details::group_access::mask(parent); rest != 0; rest &= rest - 1, ++rank)
        if (rank / size == part) lanes |= rest & (~rest + 1);
    return details::group_access::lanes(lanes, part, (parent.size() + size - 1) / size);
}
inline thread_group tiled_partition(const thread_block&, unsigned size, CUSET_HOST_LINE) {
    if (size == 0 || size > 32 || (size & (size - 1)) != 0)
        cuset_host::trap_at_tile_size(size, line);
    const unsigned first = cuset_host::linear_thread() & ~(size - 1);
    const unsigned left = cuset_host::block_threads() - first, count = left < size ? left : size;
    return details::group_access::lanes(~0U >> (32 - count) << first % 32, first / size,
                                        (cuset_host::block_threads() + size - 1) / size);
}
inline thread_group tiled_partition(const thread_group& parent, unsigned size, CUSET_HOST_LINE) {
    if (parent.get_type() == details::coalesced_group_id)
        return tiled_partition(details::group_access::as_coalesced(parent), size, line);
    return tiled_partition(this_thread_block(), size, line);
}

namespace details {

inline coalesced_group binary_partition_of(unsigned mask, bool predicate, int line) {
    const unsigned set = __ballot_sync(mask, predicate, line);
    if (set == mask || set == 0) return group_access::lanes(mask);
    return group_access::lanes(predicate ? set : mask & ~set, predicate ? 1 : 0, 2);
}

template <class Label>
inline coalesced_group labeled_partition_of(unsigned mask, Label label, int line) {
    static_assert(std::is_integral_v<Label> || std::is_pointer_v<Label>,
                  "labeled_partition predicate must be an integral or pointer type");
    if constexpr (std::is_same_v<Label, bool>) {
        return binary_partition_of(mask, label, line);
    } else if constexpr (std::is_pointer_v<Label>) {
        return labeled_partition_of(mask, reinterpret_cast<unsigned long long>(label), line);
    } else {
        const unsigned same = __match_any_sync(mask, label, line);
        const auto first = static_cast<unsigned>(__builtin_ctz(same));
        const unsigned firsts = __ballot_sync(mask, first == cuset_host::lane_id(), line);
        return group_access::lanes(same, cuset_host::rank_of_lane(firsts, first),
                                   static_cast<unsigned>(__builtin_popcount(firsts)));
    }
}

}  // namespace details

inline coalesced_group binary_partition(const coalesced_group& group, bool predicate,
                                        CUSET_HOST_LINE) {
    return details::binary_partition_of(details::group_access::mask(group), predicate, line);
}
template <unsigned Size, class Parent>
inline coalesced_group binary_partition(const thread_block_tile<Size, Parent>& tile, bool predicate,
                                        CUSET_HOST_LINE) {
    static_assert(Size <= 32, "Binary partition is available only for tiles of at most 32 threads");
    return details::binary_partition_of(details::group_access::mask(tile), predicate, line);
}
template <class Label>
inline coalesced_group labeled_partition(const coalesced_group& group, Label label,
                                         CUSET_HOST_LINE) {
    return details::labeled_partition_of(details::group_access::mask(group), label, line);
}
template <class Label, unsigned Size, class Parent>
inline coalesced_group labeled_partition(const thread_block_tile<Size, Parent>& tile, Label label,
                                         CUSET_HOST_LINE) {
    static_assert(Size <= 32,
                  "Labeled partition is available only for tiles of at most 32 threads");
    return details::labeled_partition_of(details::group_access::mask(tile), label, line);
}

/// Only the thread of rank 0 calls it; the others do not wait.
template <class Group, class F, class... A>
inline void invoke_one(const Group& group, F&& call, A&&... arguments) {
    if (group.thread_rank() == 0) std::forward<F>(call)(std::forward<A>(arguments)...);
}

/// Gives all threads the result of rank 0's call. After so many arguments there is no room for the
/// caller's line.
template <class Group, class F, class... A>
inline auto invoke_one_broadcast(const Group& group, F&& call, A&&... arguments)
    -> std::remove_reference_t<decltype(std::forward<F>(call)(std::forward<A>(arguments)...))> {
    using result =
        cuset_host::value_type<decltype(std::forward<F>(call)(std::forward<A>(arguments)...))>;
    static_assert(!std::is_void_v<result>,
                  "For invocables returning void invoke_one should be used instead");
    static_assert(Group::_group_id == details::coalesced_group_id,
                  "invoke_one_broadcast takes a coalesced_group or a thread_block_tile");
    result value{};
    if (group.thread_rank() == 0) value = std::forward<F>(call)(std::forward<A>(arguments)...);
    return group.shfl(value, 0, 0);
}

}  // namespace cooperative_groups
