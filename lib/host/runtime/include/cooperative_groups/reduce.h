// Reductions over tiles and coalesced groups.
#pragma once

#include "cooperative_groups.h"
#include "cuset_host/threads/group_operators.h"

namespace cooperative_groups {

template <unsigned Size, class Parent, class T, class F>
inline auto reduce(const thread_block_tile<Size, Parent>& tile, T&& value, F&& combine,
                   CUSET_HOST_LINE) -> cuset_host::value_type<decltype(combine(value, value))> {
    using type = cuset_host::value_type<T>;
    static_assert(cuset_host::works_on<cuset_host::value_type<F>, type>::value,
                  "Operator and argument types differ");
    cuset_host::note_uncounted("reductions and scans of cooperative groups");
    if constexpr (Size > 32) {
        const void* const* all =
            cuset_host::tile_exchange(Size, &value, "cooperative_groups::reduce", line);
        type sum = cuset_host::value_of_thread<type>(all[0]);
        for (unsigned rank = 1; rank < cuset_host::tile_threads(Size); ++rank)
            sum = combine(sum, cuset_host::value_of_thread<type>(all[rank]));
        cuset_host::tile_barrier(Size, "cooperative_groups::reduce", line);
        return sum;
    }
    const unsigned mask = details::group_access::mask(tile);
    const cuset_host::lane_values<type> values(mask, value, "cooperative_groups::reduce", line);
    if ((values.present() & mask) != mask) {  // a block that the tiles do not fill
        const cuset_host::ranked_values<type> ranked(values, values.present());
        return cuset_host::scanned<32>(
            ranked, static_cast<unsigned>(__builtin_popcount(values.present())) - 1, combine);
    }
    return cuset_host::butterfly<(Size < 32 ? Size : 32), 1>(values, cuset_host::lane_id(),
                                                             combine);
}

template <class T, class F>
inline auto reduce(const coalesced_group& group, T&& value, F&& combine, CUSET_HOST_LINE)
    -> cuset_host::value_type<decltype(combine(value, value))> {
    using type = cuset_host::value_type<T>;
    static_assert(cuset_host::works_on<cuset_host::value_type<F>, type>::value,
                  "Operator and argument types differ");
    cuset_host::note_uncounted("reductions and scans of cooperative groups");
    const cuset_host::lane_values<type> values(details::group_access::mask(group), value,
                                               "cooperative_groups::reduce", line);
    if (values.present() == ~0U)
        return cuset_host::butterfly<32, 1>(values, cuset_host::lane_id(), combine);
    const cuset_host::ranked_values<type> ranked(values, values.present());
    return cuset_host::scanned<32>(
        ranked, static_cast<unsigned>(__builtin_popcount(values.present())) - 1, combine);
}

// One thread of the group stores the result, at once: a program may not look before it has waited.
template <class Group, class T, class Value, class F>
inline void reduce_store_async(const Group& group, T* to, Value&& value, F&& combine,
                               CUSET_HOST_LINE) {
    const auto sum = reduce(group, value, combine, line);
    if (group.thread_rank() == 0) *to = sum;
}
template <class Group, class Atomic, class Value, class F>
inline auto reduce_store_async(const Group& group, Atomic&& to, Value&& value, F&& combine,
                               CUSET_HOST_LINE) -> decltype(to.store(value)) {
    const auto sum = reduce(group, value, combine, line);
    if (group.thread_rank() == 0) to.store(sum);
}
template <class Group, class Atomic, class Value, class F>
inline void reduce_update_async(const Group& group, Atomic&& atomic, Value&& value, F&& combine,
                                CUSET_HOST_LINE) {
    const auto sum = reduce(group, value, combine, line);
    if (group.thread_rank() == 0) details::combine_into(atomic, sum, combine);
}

}  // namespace cooperative_groups
