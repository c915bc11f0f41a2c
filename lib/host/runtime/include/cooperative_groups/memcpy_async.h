// Copies by a group, each of which is done at the wait for it.
#pragma once

#include <cuset_host/threads/asynchronous_copies.h>

#include <cstddef>

#include "cooperative_groups.h"

namespace cooperative_groups {

namespace details {

/// Each thread of the group copies every size()-th part of `each` bytes.
template <class Group>
inline void copy_parts(const Group& group, void* to, const void* from, std::size_t bytes,
                       std::size_t each) {
    for (std::size_t at = group.thread_rank() * each; at < bytes; at += group.size() * each)
        cuset_host::copy_asynchronously(static_cast<char*>(to) + at,
                                        static_cast<const char*>(from) + at,
                                        bytes - at < each ? bytes - at : each);
    cuset_host::commit_copies();
}
/// Bytes and halves go by words where they can, as on a device.
template <class T>
constexpr std::size_t part_of() {
    if constexpr (std::is_void_v<T>) {
        return 4;
    } else {
        static_assert(std::is_trivially_copyable_v<T>, "memcpy_async copies bytes");
        return sizeof(T) < 4 ? 4 : sizeof(T);
    }
}

template <class Group>
constexpr void check_copying_group() {
    static_assert(Group::_group_id != grid_group_id,
                  "memcpy_async takes a thread_block, a tile or a coalesced_group");
}

}  // namespace details

/// `count`: bytes; a whole number of elements, unless they are void.
template <class Group, class T, class Size>
inline void memcpy_async(const Group& group, T* to, const T* from, const Size& count) {
    details::check_copying_group<Group>();
    details::copy_parts(group, to, from, static_cast<std::size_t>(count), details::part_of<T>());
}

/// Both counts are in elements; the smaller one is copied.
template <class Group, class T, class To_count, class From_count>
inline void memcpy_async(const Group& group, T* to, const To_count& to_count, const T* from,
                         const From_count& from_count) {
    details::check_copying_group<Group>();
    const auto most = static_cast<std::size_t>(to_count);
    const auto given = static_cast<std::size_t>(from_count);
    details::copy_parts(group, to, from, (most < given ? most : given) * sizeof(T),
                        details::part_of<T>());
}

template <unsigned Stage, class Group>
inline void wait_prior(const Group& group, CUSET_HOST_LINE) {
    cuset_host::wait_for_copies(Stage);
    group.sync(line);
}
template <class Group>
inline void wait(const Group& group, CUSET_HOST_LINE) {
    cuset_host::wait_for_copies(0);
    group.sync(line);
}

}  // namespace cooperative_groups
