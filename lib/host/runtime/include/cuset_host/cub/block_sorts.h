// CUB's sorts of a block's and a warp's items, and the order of a radix sort.
#pragma once

#include <cuset_host/cub/block_reductions.h>
#include <cuset_host/library_work.h>

#include <cstring>
#include <limits>

namespace cub {

struct NullType {
    friend bool operator==(NullType, NullType) { return true; }
    friend bool operator!=(NullType, NullType) { return false; }
};

/// A number as the unsigned integer by which a radix sort orders it, and back.
template <class T>
struct NumericTraits {
    static_assert(std::is_arithmetic_v<T>, "cuset-host: unsupported: cub::Traits of this type");
    using UnsignedBits = std::conditional_t<
        sizeof(T) == 1, unsigned char,
        std::conditional_t<sizeof(T) == 2, unsigned short,
                           std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>>>;
    static constexpr UnsignedBits HIGH_BIT = UnsignedBits(UnsignedBits(1) << (8 * sizeof(T) - 1));
    static constexpr UnsignedBits LOWEST_KEY = std::is_floating_point_v<T> ? UnsignedBits(-1)
                                               : std::is_signed_v<T>       ? HIGH_BIT
                                                                           : UnsignedBits(0);
    static constexpr UnsignedBits MAX_KEY = UnsignedBits(UnsignedBits(-1) ^ HIGH_BIT) |
                                            (std::is_unsigned_v<T> ? HIGH_BIT : UnsignedBits(0));
    static UnsignedBits TwiddleIn(UnsignedBits key) {
        if (std::is_floating_point_v<T>)
            return key ^ ((key & HIGH_BIT) != 0 ? UnsignedBits(-1) : HIGH_BIT);
        return std::is_signed_v<T> ? UnsignedBits(key ^ HIGH_BIT) : key;
    }
    static UnsignedBits TwiddleOut(UnsignedBits key) {
        if (std::is_floating_point_v<T>)
            return key ^ ((key & HIGH_BIT) != 0 ? HIGH_BIT : UnsignedBits(-1));
        return std::is_signed_v<T> ? UnsignedBits(key ^ HIGH_BIT) : key;
    }
    static T Max() { return std::numeric_limits<T>::max(); }
    static T Lowest() { return std::numeric_limits<T>::lowest(); }
};
template <class T>
struct Traits : NumericTraits<std::remove_cv_t<T>> {};

}  // namespace cub

namespace cuset_host {

/// The bits from `begin` up to `end` of a key, as a radix sort compares them: -0 equals 0, and
/// NaN lies at the end that its sign says. Narrow floating point is compared as float, whole.
template <class K>
auto radix_bits(const K& key, int begin, int end) {
    if constexpr (std::is_arithmetic_v<K>) {
        using traits = cub::NumericTraits<K>;
        using bits = typename traits::UnsignedBits;
        bits raw;
        std::memcpy(&raw, &key, sizeof raw);
        if (std::is_floating_point_v<K> && raw == traits::HIGH_BIT) raw = 0;
        const bits whole = traits::TwiddleIn(raw);
        constexpr int width = 8 * sizeof(K);
        if (end <= begin || begin >= width) return bits(0);
        const int count = end - begin;
        const bits part = static_cast<bits>(whole >> begin);
        return count >= width ? part
                              : static_cast<bits>(part & ((static_cast<bits>(1) << count) - 1));
    } else {
        static_assert(std::is_convertible_v<K, float>,
                      "cuset-host: unsupported: a radix sort of keys of this type");
        if (begin != 0 || end < static_cast<int>(8 * sizeof(K)))
            unmodelled("a radix sort by some bits of keys of this type");
        return radix_bits(static_cast<float>(key), 0, 32);
    }
}

template <class K, bool Descending>
struct radix_order {
    int begin = 0, end = 8 * sizeof(K);
    bool operator()(const K& a, const K& b) const {
        const auto bits_a = radix_bits(a, begin, end), bits_b = radix_bits(b, begin, end);
        return Descending ? bits_b < bits_a : bits_a < bits_b;
    }
};

/// Items and their order. Keys and values lie apart: between those of a pair there may be bytes
/// that nobody writes.
template <class K, class V, int Count>
struct sort_storage {
    collective_storage<K, Count> keys;
    collective_storage<V, std::is_empty_v<V> ? 1 : Count> values;
    collective_storage<unsigned short, Count> order;
    static_assert(Count <= 65536, "cuset-host: unsupported: a sort of so many items by a block");

    void put(int at, const K& key, const V& value) {
        keys[at] = key;
        if constexpr (!std::is_empty_v<V>) values[at] = value;
        order[at] = static_cast<unsigned short>(at);
    }
    /// less(key, key)
    template <class Less>
    void sort(const Less& less) {
        std::stable_sort(&order[0], &order[0] + Count, [&](unsigned short a, unsigned short b) {
            return less(keys[a], keys[b]);
        });
    }
    void get(int at, K& key, V& value) {
        key = keys[order[at]];
        if constexpr (!std::is_empty_v<V>) value = values[order[at]];
    }
};

}  // namespace cuset_host

namespace cub {

#define CUSET_HOST_LINE_OF_CALL cuset_host::call_line line = cuset_host::call_line(__builtin_LINE())

/// Sorts by keys, and keeps the order of equal ones, as a radix sort does.
template <class K, int X, int Items, class V = NullType, int = 4, bool = true,
          BlockScanAlgorithm = BLOCK_SCAN_WARP_SCANS, int = 0, int Y = 1, int Z = 1, int = 0>
class BlockRadixSort {
    static constexpr int threads = X * Y * Z, count = threads * Items;
    static constexpr int all_bits = 8 * sizeof(K);

public:
    using TempStorage = cuset_host::sort_storage<K, V, count>;
    BlockRadixSort() : storage_(cuset_host::private_room<TempStorage, BlockRadixSort>()) {}
    explicit BlockRadixSort(TempStorage& storage) : storage_(storage) {}

    void Sort(K (&keys)[Items], int begin = 0, int end = all_bits, CUSET_HOST_LINE_OF_CALL) {
        V none[Items];
        sort<false, false>(keys, none, begin, end, line);
    }
    void SortDescending(K (&keys)[Items], int begin = 0, int end = all_bits,
                        CUSET_HOST_LINE_OF_CALL) {
        V none[Items];
        sort<true, false>(keys, none, begin, end, line);
    }
    void SortBlockedToStriped(K (&keys)[Items], int begin = 0, int end = all_bits,
                              CUSET_HOST_LINE_OF_CALL) {
        V none[Items];
        sort<false, true>(keys, none, begin, end, line);
    }
    void SortDescendingBlockedToStriped(K (&keys)[Items], int begin = 0, int end = all_bits,
                                        CUSET_HOST_LINE_OF_CALL) {
        V none[Items];
        sort<true, true>(keys, none, begin, end, line);
    }
    void Sort(K (&keys)[Items], V (&values)[Items], int begin = 0, int end = all_bits,
              CUSET_HOST_LINE_OF_CALL) {
        sort<false, false>(keys, values, begin, end, line);
    }
    void SortDescending(K (&keys)[Items], V (&values)[Items], int begin = 0, int end = all_bits,
                        CUSET_HOST_LINE_OF_CALL) {
        sort<true, false>(keys, values, begin, end, line);
    }
    void SortBlockedToStriped(K (&keys)[Items], V (&values)[Items], int begin = 0,
                              int end = all_bits, CUSET_HOST_LINE_OF_CALL) {
        sort<false, true>(keys, values, begin, end, line);
    }
    void SortDescendingBlockedToStriped(K (&keys)[Items], V (&values)[Items], int begin = 0,
                                        int end = all_bits, CUSET_HOST_LINE_OF_CALL) {
        sort<true, true>(keys, values, begin, end, line);
    }

private:
    template <bool Descending, bool Striped>
    void sort(K (&keys)[Items], V (&values)[Items], int begin, int end,
              cuset_host::call_line line) {
        const int self = static_cast<int>(cuset_host::linear_thread());
        for (int i = 0; i < Items; ++i) storage_.put(self * Items + i, keys[i], values[i]);
        cuset_host::collective_barrier(line);
        if (self == 0) storage_.sort(cuset_host::radix_order<K, Descending>{begin, end});
        cuset_host::collective_barrier(line);
        for (int i = 0; i < Items; ++i) {
            storage_.get(Striped ? self + i * threads : self * Items + i, keys[i], values[i]);
        }
    }

    TempStorage& storage_;
};

}  // namespace cub

namespace cuset_host {

struct block_group {
    static int self() { return static_cast<int>(linear_thread()); }
    static void meet(call_line line) { collective_barrier(line); }
};
/// `Threads` neighbours of a warp.
template <int Threads>
struct lane_group {
    static int self() { return static_cast<int>(lane_id()) % Threads; }
    static void meet(call_line line) {
        const int first = static_cast<int>(lane_id()) - self();
        warp_barrier(Threads == 32 ? ~0U : ((1U << (Threads % 32)) - 1) << first, line);
    }
};

/// The merge sort of a group's threads, which Group numbers and lets wait for one another. Places
/// from `valid` on take part as `beyond`, which the caller orders after all others.
template <class K, int Threads, int Items, class V, class Group>
class group_merge_sort {
    static constexpr int count = Threads * Items;

public:
    using TempStorage = sort_storage<K, V, count>;
    explicit group_merge_sort(TempStorage& storage) : storage_(storage) {}

    template <class Less>
    void Sort(K (&keys)[Items], Less less, CUSET_HOST_LINE_OF_CALL) {
        V none[Items];
        sort(keys, none, less, count, keys[0], line);
    }
    template <class Less>
    void Sort(K (&keys)[Items], Less less, int valid, K beyond, CUSET_HOST_LINE_OF_CALL) {
        V none[Items];
        sort(keys, none, less, valid, beyond, line);
    }
    template <class Less>
    void Sort(K (&keys)[Items], V (&values)[Items], Less less, CUSET_HOST_LINE_OF_CALL) {
        sort(keys, values, less, count, keys[0], line);
    }
    template <class Less>
    void Sort(K (&keys)[Items], V (&values)[Items], Less less, int valid, K beyond,
              CUSET_HOST_LINE_OF_CALL) {
        sort(keys, values, less, valid, beyond, line);
    }
    template <class... Rest>
    void StableSort(K (&keys)[Items], Rest&&... rest) {
        Sort(keys, std::forward<Rest>(rest)...);
    }

private:
    template <class Less>
    void sort(K (&keys)[Items], V (&values)[Items], Less less, int valid, const K& beyond,
              call_line line) {
        const int self = Group::self();
        for (int i = 0; i < Items; ++i) {
            const int at = self * Items + i;
            storage_.put(at, at < valid ? keys[i] : beyond, values[i]);
        }
        Group::meet(line);
        if (self == 0) storage_.sort([&](K& a, K& b) { return less(a, b); });
        Group::meet(line);
        for (int i = 0; i < Items; ++i) {
            storage_.get(self * Items + i, keys[i], values[i]);
        }
    }
    TempStorage& storage_;
};

}  // namespace cuset_host

namespace cub {

template <class K, int X, int Items, class V = NullType, int Y = 1, int Z = 1>
class BlockMergeSort
    : public cuset_host::group_merge_sort<K, X * Y * Z, Items, V, cuset_host::block_group> {
public:
    using merging = cuset_host::group_merge_sort<K, X * Y * Z, Items, V, cuset_host::block_group>;
    using merging::merging;
    BlockMergeSort()
        : merging(cuset_host::private_room<typename merging::TempStorage, BlockMergeSort>()) {}
};

template <class K, int Items, int Threads = 32, class V = NullType, int = 0>
class WarpMergeSort
    : public cuset_host::group_merge_sort<K, Threads, Items, V, cuset_host::lane_group<Threads>> {
public:
    using cuset_host::group_merge_sort<K, Threads, Items, V,
                                       cuset_host::lane_group<Threads>>::group_merge_sort;
};

#undef CUSET_HOST_LINE_OF_CALL

}  // namespace cub
