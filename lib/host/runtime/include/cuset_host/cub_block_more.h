// CUB's less common collectives: histograms, flags of neighbours, shifts of a block's items, and
// loads and stores of a warp.
#pragma once

#include <cuset_host/cub_block_data.h>
#include <cuset_host/cub_sorts.h>
#include <cuset_host/cub_threads.h>
#include <cuset_host/cub_warp.h>

// What CUB's own headers bring along, and programs rely on.
#include <algorithm>
#include <cassert>
#include <cstdio>
#include <limits>
#include <map>
#include <mutex>
#include <set>

namespace cub {

#define CUSET_HOST_LINE_OF_CALL \
    cuset_host::line_of_call line = cuset_host::line_of_call(__builtin_LINE())

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };

template <class T, int X, int Items, int Bins, BlockHistogramAlgorithm = BLOCK_HISTO_SORT,
          int Y = 1, int Z = 1, int = 0>
class BlockHistogram {
    static constexpr int threads = X * Y * Z;

public:
    using TempStorage = cuset_host::collective_storage<T, threads * Items>;
    BlockHistogram() : storage_(cuset_host::private_room<TempStorage, BlockHistogram>()) {}
    explicit BlockHistogram(TempStorage& storage) : storage_(storage) {}

    template <class Count>
    void InitHistogram(Count* bins) {
        for (int b = static_cast<int>(cuset_host::linear_thread()); b < Bins; b += threads)
            bins[b] = 0;
    }
    template <class Count>
    void Histogram(T (&items)[Items], Count* bins, CUSET_HOST_LINE_OF_CALL) {
        InitHistogram(bins);
        Composite(items, bins, line);
    }
    template <class Count>
    void Composite(T (&items)[Items], Count* bins, CUSET_HOST_LINE_OF_CALL) {
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
    BlockDiscontinuity() : storage_(cuset_host::private_room<TempStorage, BlockDiscontinuity>()) {}
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
    template <int Items, class Flag, class Op>
    void FlagHeadsAndTails(Flag (&first)[Items], Flag (&last)[Items], T after, T (&in)[Items],
                           Op op, CUSET_HOST_LINE_OF_CALL) {
        share(in, line);
        heads(first, in, op, nullptr);
        tails(last, in, op, &after);
    }
    template <int Items, class Flag, class Op>
    void FlagHeadsAndTails(Flag (&first)[Items], T before, Flag (&last)[Items], T (&in)[Items],
                           Op op, CUSET_HOST_LINE_OF_CALL) {
        share(in, line);
        heads(first, in, op, &before);
        tails(last, in, op, nullptr);
    }
    template <int Items, class Flag, class Op>
    void FlagHeadsAndTails(Flag (&first)[Items], T before, Flag (&last)[Items], T after,
                           T (&in)[Items], Op op, CUSET_HOST_LINE_OF_CALL) {
        share(in, line);
        heads(first, in, op, &before);
        tails(last, in, op, &after);
    }

private:
    static int self() { return static_cast<int>(cuset_host::linear_thread()); }
    template <int Items>
    void share(T (&in)[Items], cuset_host::line_of_call line) {
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

/// Items of other threads of the block.
template <class T, int X, int Y = 1, int Z = 1, int = 0>
class BlockShuffle {
    static constexpr int threads = X * Y * Z;

public:
    using TempStorage = cuset_host::collective_storage<T, threads>;
    BlockShuffle() : storage_(cuset_host::private_room<TempStorage, BlockShuffle>()) {}
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
    /// `last` becomes the block's last item, for all threads.
    template <int Items>
    void Up(T (&in)[Items], T (&out)[Items], T& last, CUSET_HOST_LINE_OF_CALL) {
        Up(in, out, line);
        last = storage_[threads - 1];
    }
    /// `first` becomes the block's first item, for all threads.
    template <int Items>
    void Down(T (&in)[Items], T (&out)[Items], T& first, CUSET_HOST_LINE_OF_CALL) {
        Down(in, out, line);
        first = storage_[0];
    }
    template <int Items>
    void Down(T (&in)[Items], T (&out)[Items], CUSET_HOST_LINE_OF_CALL) {
        share(in[0], line);
        for (int i = 0; i + 1 < Items; ++i) out[i] = in[i + 1];
        if (self() + 1 < threads) out[Items - 1] = storage_[self() + 1];
    }

private:
    static int self() { return static_cast<int>(cuset_host::linear_thread()); }
    void share(const T& in, cuset_host::line_of_call line) {
        storage_[self()] = in;
        cuset_host::collective_barrier(line);
    }
    TempStorage& storage_;
};

/// The items that runs stand for. A thread brings Runs of them, and gets DecodedItems.
template <class T, int X, int Runs, int DecodedItems, class Offset = unsigned, int Y = 1, int Z = 1>
class BlockRunLengthDecode {
    static constexpr int threads = X * Y * Z, count = threads * Runs;

public:
    struct TempStorage {
        cuset_host::collective_storage<T, count> values;
        cuset_host::collective_storage<Offset, count + 1> offsets;
    };
    /// From the runs' lengths; `all` becomes the number of decoded items.
    template <class Length, class All>
    BlockRunLengthDecode(TempStorage& storage, T (&values)[Runs], Length (&lengths)[Runs], All& all,
                         CUSET_HOST_LINE_OF_CALL)
        : storage_(storage) {
        put(values, lengths, line);
        if (self() == 0) {
            Offset sum = 0;
            for (int i = 0; i < count; ++i) {
                const Offset length = storage_.offsets[i];
                storage_.offsets[i] = sum;
                sum += length;
            }
            storage_.offsets[count] = sum;
        }
        cuset_host::collective_barrier(line);
        all = static_cast<All>(storage_.offsets[count]);
    }
    /// From the number of decoded items before each run.
    template <class RunOffset>
    BlockRunLengthDecode(TempStorage& storage, T (&values)[Runs], RunOffset (&offsets)[Runs],
                         CUSET_HOST_LINE_OF_CALL)
        : storage_(storage) {
        put(values, offsets, line);
    }
    /// The block's items from number `begin` on, and each one's number in its run.
    template <class Number>
    void RunLengthDecode(T (&items)[DecodedItems], Number (&in_run)[DecodedItems],
                         Offset begin = 0) {
        const Offset* const offsets = &storage_.offsets[0];
        for (int i = 0; i < DecodedItems; ++i) {
            const Offset at = begin + static_cast<Offset>(self() * DecodedItems + i);
            const int run =
                static_cast<int>(std::upper_bound(offsets, offsets + count, at) - offsets) - 1;
            items[i] = storage_.values[run];
            in_run[i] = static_cast<Number>(at - offsets[run]);
        }
    }
    void RunLengthDecode(T (&items)[DecodedItems], Offset begin = 0) {
        Offset in_run[DecodedItems];
        RunLengthDecode(items, in_run, begin);
    }

private:
    static int self() { return static_cast<int>(cuset_host::linear_thread()); }
    template <class U>
    void put(T (&values)[Runs], U (&numbers)[Runs], cuset_host::line_of_call line) {
        for (int i = 0; i < Runs; ++i) {
            storage_.values[self() * Runs + i] = values[i];
            storage_.offsets[self() * Runs + i] = static_cast<Offset>(numbers[i]);
        }
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
    /// What lies beyond `valid` leaves the items as they are.
    template <class In>
    void Load(In from, T (&items)[Items], int valid) {
        for (int i = 0; i < Items; ++i)
            if (place(i) < valid) items[i] = from[place(i)];
    }
    template <class In, class Default>
    void Load(In from, T (&items)[Items], int valid, Default otherwise) {
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

#undef CUSET_HOST_LINE_OF_CALL

}  // namespace cub
