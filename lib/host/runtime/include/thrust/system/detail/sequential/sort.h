// Thrust's sequential sorts, with one that orders `int`: CCCL 3.0's radix sort widens the key to 64
// bits before it flips the sign of 32, and puts the negative ones last.
#pragma once

#include <thrust/detail/config.h>
#include <thrust/system/detail/sequential/execution_policy.h>
#include <thrust/type_traits/is_contiguous_iterator.h>
#include <thrust/type_traits/unwrap_contiguous_iterator.h>

THRUST_NAMESPACE_BEGIN
namespace system {
namespace detail {
namespace sequential {
namespace sort_detail {

/// Chooses the sorts below, which CCCL's stable_sort() must see before it is defined.
template <bool Descending>
struct sort_of_int {};

template <class Policy, class Keys, class Order, bool Descending>
void stable_sort(sequential::execution_policy<Policy>& policy, Keys first, Keys last, Order,
                 sort_of_int<Descending>);
template <class Policy, class Keys, class Values, class Order, bool Descending>
void stable_sort_by_key(sequential::execution_policy<Policy>& policy, Keys first, Keys last,
                        Values values, Order, sort_of_int<Descending>);

}  // namespace sort_detail
}  // namespace sequential
}  // namespace detail
}  // namespace system
THRUST_NAMESPACE_END

#include_next <thrust/system/detail/sequential/sort.h>

THRUST_NAMESPACE_BEGIN
namespace system {
namespace detail {
namespace sequential {
namespace sort_detail {

template <>
struct use_primitive_sort<int, thrust::less<int>> : sort_of_int<false> {};
template <>
struct use_primitive_sort<int, thrust::greater<int>> : sort_of_int<true> {};

/// Gives `sort` the keys as the unsigned words of the same order.
template <class Sort>
void as_unsigned_words(int* keys, std::ptrdiff_t count, Sort sort) {
    unsigned* const words = reinterpret_cast<unsigned*>(keys);
    for (std::ptrdiff_t i = 0; i < count; ++i) words[i] ^= 0x80000000u;
    sort(words, words + count);
    for (std::ptrdiff_t i = 0; i < count; ++i) words[i] ^= 0x80000000u;
}

template <bool Descending>
using order_of_words =
    ::cuda::std::conditional_t<Descending, thrust::greater<unsigned>, thrust::less<unsigned>>;

template <class Policy, class Keys, class Order, bool Descending>
void stable_sort(sequential::execution_policy<Policy>& policy, Keys first, Keys last, Order order,
                 sort_of_int<Descending>) {
    if constexpr (thrust::is_contiguous_iterator_v<Keys>) {
        as_unsigned_words(thrust::unwrap_contiguous_iterator(first), last - first,
                          [&](unsigned* from, unsigned* to) {
                              sort_detail::stable_sort(policy, from, to,
                                                       order_of_words<Descending>(),
                                                       thrust::detail::true_type());
                          });
    } else {
        sort_detail::stable_sort(policy, first, last, order, thrust::detail::false_type());
    }
}

template <class Policy, class Keys, class Values, class Order, bool Descending>
void stable_sort_by_key(sequential::execution_policy<Policy>& policy, Keys first, Keys last,
                        Values values, Order order, sort_of_int<Descending>) {
    if constexpr (thrust::is_contiguous_iterator_v<Keys>) {
        as_unsigned_words(thrust::unwrap_contiguous_iterator(first), last - first,
                          [&](unsigned* from, unsigned* to) {
                              sort_detail::stable_sort_by_key(policy, from, to, values,
                                                              order_of_words<Descending>(),
                                                              thrust::detail::true_type());
                          });
    } else {
        sort_detail::stable_sort_by_key(policy, first, last, values, order,
                                        thrust::detail::false_type());
    }
}

}  // namespace sort_detail
}  // namespace sequential
}  // namespace detail
}  // namespace system
THRUST_NAMESPACE_END
