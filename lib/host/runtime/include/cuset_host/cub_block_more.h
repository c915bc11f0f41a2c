// CUB's less common collectives: histograms, flags of neighbours, merge sorts, shifts of a block's
// items, and loads and stores of a warp.
#pragma once

#include <cuset_host/cub_block.h>

// What CUB's own headers bring along, and programs rely on.
#include <cassert>
#include <cstdio>
#include <limits>
#include <map>
#include <mutex>
#include <set>

namespace cub {

#define CUSET_HOST_LINE_OF_CALL int line = __builtin_LINE()

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };

template <class T, int X, int Items, int Bins, BlockHistogramAlgorithm = BLOCK_HISTO_SORT,
          int Y = 1, int Z = 1, int = 0>
class BlockHistogram {
    static constexpr int threads = X * Y * Z;

public:
    using TempStorage = cuset_host::collective_storage<T, threads * Items>;
    explicit BlockHistogram(TempStorage& storage) : storage_(storage) {}

    template <class Count>
    void InitHistogram(Count (&bins)[Bins]) {
        for (int b = static_cast<int>(cuset_host::linear_thread()); b < Bins; b += threads)
            bins[b] = 0;
    }
    template <class Count>
    void Histogram(T (&items)[Items], Count (&bins)[Bins], CUSET_HOST_LINE_OF_CALL) {
        InitHistogram(bins);
        Composite(items, bins, line);
    }
    template <class Count>
    void Composite(T (&items)[Items], Count (&bins)[Bins], CUSET_HOST_LINE_OF_CALL) {
        const int self = static_cast<int>(cuset_host::linear_thread());
        for (int i = 0; i < Items; ++i) storage_[self * Items + i] = items[i];
        cuset_host::collective_barrier(line);
        if (self == 0)
            for (int i = 0; i < threads * Items; ++i) ++bins[static_cast<std::size_t>(storage_[i])];
        cuset_host::collective_barrier(line);
    }

private:
    TempStorage& storage_;
};

/// Flags of items that differ from a neighbour. `op` may take the item's number in the block too.
template <class T, int X, int Y = 1, int Z = 1, int = 0>
class BlockDiscontinuity {
    static constexpr int threads = X * Y * Z;

public:
    using TempStorage = cuset_host::collective_storage<T, 2 * threads>;
    explicit BlockDiscontinuity(TempStorage& storage) : storage_(storage) {}

    template <int Items, class Flag, class Op>
    void FlagHeads(Flag (&flags)[Items], T (&in)[Items], Op op, CUSET_HOST_LINE_OF_CALL) {
        share(in, line);
        heads(flags, in, op, nullptr);
    }
    template <int Items, class Flag, class Op>
    void FlagHeads(Flag (&flags)[Items], T (&in)[Items], Op op, T before, CUSET_HOST_LINE_OF_CALL) {
        share(in, line);
        heads(flags, in, op, &before);
    }
    template <int Items, class Flag, class Op>
    void FlagTails(Flag (&flags)[Items], T (&in)[Items], Op op, CUSET_HOST_LINE_OF_CALL) {
        share(in, line);
        tails(flags, in, op, nullptr);
    }
    template <int Items, class Flag, class Op>
    void FlagTails(Flag (&flags)[Items], T (&in)[Items], Op op, T after, CUSET_HOST_LINE_OF_CALL) {
        share(in, line);
        tails(flags, in, op, &after);
    }
    template <int Items, class Flag, class Op>
    void FlagHeadsAndTails(Flag (&first)[Items], Flag (&last)[Items], T (&in)[Items], Op op,
                           CUSET_HOST_LINE_OF_CALL) {
        share(in, line);
        heads(first, in, op, nullptr);
        tails(last, in, op, nullptr);
    }

private:
    static int self() { return static_cast<int>(cuset_host::linear_thread()); }
    template <int Items>
    void share(T (&in)[Items], int line) {
        storage_[self()] = in[0];
        storage_[threads + self()] = in[Items - 1];
        cuset_host::collective_barrier(line);
    }
    template <class Op>
    static bool differ(Op& op, const T& a, const T& b, int index) {
        if constexpr (std::is_invocable_v<Op&, const T&, const T&, int>)
            return op(a, b, index);
        else
            return op(a, b);
    }
    template <int Items, class Flag, class Op>
    void heads(Flag (&flags)[Items], T (&in)[Items], Op& op, const T* before) {
        for (int i = 0; i < Items; ++i) {
            const T* left = i > 0         ? &in[i - 1]
                            : self() == 0 ? before
                                          : &storage_[threads + self() - 1];
            flags[i] = left == nullptr || differ(op, *left, in[i], self() * Items + i);
        }
    }
    template <int Items, class Flag, class Op>
    void tails(Flag (&flags)[Items], T (&in)[Items], Op& op, const T* after) {
        for (int i = 0; i < Items; ++i) {
            const T* right = i + 1 < Items           ? &in[i + 1]
                             : self() + 1 == threads ? after
                                                     : &storage_[self() + 1];
            flags[i] = right == nullptr || differ(op, in[i], *right, self() * Items + i + 1);
        }
    }
    TempStorage& storage_;
};

template <class K, int X, int Items, class V = NullType, int Y = 1, int Z = 1>
class BlockMergeSort {
    static constexpr int threads = X * Y * Z, count = threads * Items;
    struct pair {
        K key;
        V value;
    };

public:
    using TempStorage = cuset_host::collective_storage<pair, count>;
    explicit BlockMergeSort(TempStorage& storage) : storage_(storage) {}

    template <class Less>
    void Sort(K (&keys)[Items], Less less, CUSET_HOST_LINE_OF_CALL) {
        V none[Items];
        sort(keys, none, less, count, line);
    }
    template <class Less>
    void Sort(K (&keys)[Items], Less less, int valid, K, CUSET_HOST_LINE_OF_CALL) {
        V none[Items];
        sort(keys, none, less, valid, line);
    }
    template <class Less>
    void Sort(K (&keys)[Items], V (&values)[Items], Less less, CUSET_HOST_LINE_OF_CALL) {
        sort(keys, values, less, count, line);
    }
    template <class Less>
    void Sort(K (&keys)[Items], V (&values)[Items], Less less, int valid, K,
              CUSET_HOST_LINE_OF_CALL) {
        sort(keys, values, less, valid, line);
    }
    template <class Less>
    void StableSort(K (&keys)[Items], Less less, CUSET_HOST_LINE_OF_CALL) {
        Sort(keys, less, line);
    }
    template <class Less>
    void StableSort(K (&keys)[Items], V (&values)[Items], Less less, CUSET_HOST_LINE_OF_CALL) {
        sort(keys, values, less, count, line);
    }

private:
    template <class Less>
    void sort(K (&keys)[Items], V (&values)[Items], Less less, int valid, int line) {
        const int self = static_cast<int>(cuset_host::linear_thread());
        for (int i = 0; i < Items; ++i) storage_[self * Items + i] = {keys[i], values[i]};
        cuset_host::collective_barrier(line);
        if (self == 0)
            std::stable_sort(&storage_[0], &storage_[0] + valid,
                             [&](const pair& a, const pair& b) { return less(a.key, b.key); });
        cuset_host::collective_barrier(line);
        for (int i = 0; i < Items; ++i) {
            keys[i] = storage_[self * Items + i].key;
            values[i] = storage_[self * Items + i].value;
        }
    }
    TempStorage& storage_;
};

/// Items of other threads of the block.
template <class T, int X, int Y = 1, int Z = 1, int = 0>
class BlockShuffle {
    static constexpr int threads = X * Y * Z;

public:
    using TempStorage = cuset_host::collective_storage<T, threads>;
    explicit BlockShuffle(TempStorage& storage) : storage_(storage) {}

    /// What lies outside of the block leaves `out` as it is.
    void Offset(T in, T& out, int distance = 1, CUSET_HOST_LINE_OF_CALL) {
        share(in, line);
        const int from = self() + distance;
        if (from >= 0 && from < threads) out = storage_[from];
    }
    void Rotate(T in, T& out, unsigned distance = 1, CUSET_HOST_LINE_OF_CALL) {
        share(in, line);
        out = storage_[(self() + static_cast<int>(distance)) % threads];
    }
    template <int Items>
    void Up(T (&in)[Items], T (&out)[Items], CUSET_HOST_LINE_OF_CALL) {
        share(in[Items - 1], line);
        for (int i = Items - 1; i > 0; --i) out[i] = in[i - 1];
        if (self() > 0) out[0] = storage_[self() - 1];
    }
    template <int Items>
    void Down(T (&in)[Items], T (&out)[Items], CUSET_HOST_LINE_OF_CALL) {
        share(in[0], line);
        for (int i = 0; i + 1 < Items; ++i) out[i] = in[i + 1];
        if (self() + 1 < threads) out[Items - 1] = storage_[self() + 1];
    }

private:
    static int self() { return static_cast<int>(cuset_host::linear_thread()); }
    void share(const T& in, int line) {
        storage_[self()] = in;
        cuset_host::collective_barrier(line);
    }
    TempStorage& storage_;
};

enum WarpLoadAlgorithm {
    WARP_LOAD_DIRECT,
    WARP_LOAD_STRIPED,
    WARP_LOAD_VECTORIZE,
    WARP_LOAD_TRANSPOSE
};
enum WarpStoreAlgorithm {
    WARP_STORE_DIRECT,
    WARP_STORE_STRIPED,
    WARP_STORE_VECTORIZE,
    WARP_STORE_TRANSPOSE
};

template <class T, int Items, WarpLoadAlgorithm Algorithm = WARP_LOAD_DIRECT, int Threads = 32,
          int = 0>
class WarpLoad {
public:
    struct TempStorage {};
    WarpLoad() = default;
    explicit WarpLoad(TempStorage&) {}
    template <class In>
    void Load(In from, T (&items)[Items]) {
        for (int i = 0; i < Items; ++i) items[i] = from[place(i)];
    }
    template <class In, class Default = T>
    void Load(In from, T (&items)[Items], int valid, Default otherwise = Default()) {
        for (int i = 0; i < Items; ++i)
            items[i] = place(i) < valid ? static_cast<T>(from[place(i)]) : T(otherwise);
    }

private:
    static int place(int i) {
        const int lane = static_cast<int>(cuset_host::lane_id()) % Threads;
        return Algorithm == WARP_LOAD_STRIPED ? lane + i * Threads : lane * Items + i;
    }
};

template <class T, int Items, WarpStoreAlgorithm Algorithm = WARP_STORE_DIRECT, int Threads = 32,
          int = 0>
class WarpStore {
public:
    struct TempStorage {};
    WarpStore() = default;
    explicit WarpStore(TempStorage&) {}
    template <class Out>
    void Store(Out to, T (&items)[Items], int valid = Threads * Items) {
        const int lane = static_cast<int>(cuset_host::lane_id()) % Threads;
        for (int i = 0; i < Items; ++i) {
            const int at = Algorithm == WARP_STORE_STRIPED ? lane + i * Threads : lane * Items + i;
            if (at < valid) to[at] = items[i];
        }
    }
};

template <class K, int Items, int Threads = 32, class V = NullType, int = 0>
class WarpMergeSort {
    struct pair {
        K key;
        V value;
    };

public:
    using TempStorage = cuset_host::collective_storage<pair, Threads * Items>;
    explicit WarpMergeSort(TempStorage& storage) : storage_(storage) {}

    template <class Less>
    void Sort(K (&keys)[Items], Less less, CUSET_HOST_LINE_OF_CALL) {
        V none[Items];
        Sort(keys, none, less, line);
    }
    template <class Less>
    void Sort(K (&keys)[Items], V (&values)[Items], Less less, CUSET_HOST_LINE_OF_CALL) {
        const int lane = static_cast<int>(cuset_host::lane_id());
        const int self = lane % Threads;
        const unsigned own = Threads == 32 ? ~0U : ((1U << (Threads % 32)) - 1) << (lane - self);
        for (int i = 0; i < Items; ++i) storage_[self * Items + i] = {keys[i], values[i]};
        cuset_host::warp_barrier(own, line);
        if (self == 0)
            std::stable_sort(&storage_[0], &storage_[0] + Threads * Items,
                             [&](const pair& a, const pair& b) { return less(a.key, b.key); });
        cuset_host::warp_barrier(own, line);
        for (int i = 0; i < Items; ++i) {
            keys[i] = storage_[self * Items + i].key;
            values[i] = storage_[self * Items + i].value;
        }
    }

private:
    TempStorage& storage_;
};

/// A number as the unsigned integer by which a radix sort orders it, and back.
template <class T>
struct NumericTraits {
    static_assert(std::is_arithmetic_v<T>, "cub::Traits of this type");
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

#undef CUSET_HOST_LINE_OF_CALL

}  // namespace cub
