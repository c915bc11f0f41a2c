// Copies by a group. They are done when the call returns; a program may rely on them after wait().
#pragma once

#include <cstddef>

#include "cooperative_groups.h"

namespace cooperative_groups {

namespace details {

/// Each thread of the group copies every size()-th element.
template <class Group, class T>
inline void copy_elements(const Group& group, T* to, const T* from, std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T>, "memcpy_async copies bytes");
    for (std::size_t i = group.thread_rank(); i < count; i += group.size()) to[i] = from[i];
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
    const auto bytes = static_cast<std::size_t>(count);
    if constexpr (std::is_void_v<T>) {
        details::copy_elements(group, static_cast<char*>(to), static_cast<const char*>(from),
                               bytes);
    } else {
        details::copy_elements(group, to, from, bytes / sizeof(T));
        const std::size_t done = bytes / sizeof(T) * sizeof(T);
        details::copy_elements(group, reinterpret_cast<char*>(to) + done,
                               reinterpret_cast<const char*>(from) + done, bytes - done);
    }
}

/// Both counts are in elements; the smaller one is copied.
template <class Group, class T, class To_count, class From_count>
inline void memcpy_async(const Group& group, T* to, const To_count& to_count, const T* from,
                         const From_count& from_count) {
    details::check_copying_group<Group>();
    const auto most = static_cast<std::size_t>(to_count);
    const auto given = static_cast<std::size_t>(from_count);
    details::copy_elements(group, to, from, most < given ? most : given);
}

template <unsigned Stage, class Group>
inline void wait_prior(const Group& group, CUSET_HOST_LINE) {
    group.sync(line);
}
template <class Group>
inline void wait(const Group& group, CUSET_HOST_LINE) {
    group.sync(line);
}

}  // namespace cooperative_groups
