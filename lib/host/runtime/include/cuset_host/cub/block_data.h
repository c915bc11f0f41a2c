// CUB's collectives that move a block's items: loads, stores, exchanges, differences of neighbours.
#pragma once

#include <cuset_host/cub/threads.h>

namespace cub {

#define CUSET_HOST_LINE_OF_CALL cuset_host::call_line line = cuset_host::call_line(__builtin_LINE())

template <class T, int X, int Items, BlockLoadAlgorithm Algorithm = BLOCK_LOAD_DIRECT, int Y = 1,
          int Z = 1, int = 0>
class BlockLoad {
public:
    struct TempStorage {
        unsigned char unused;
    };
    BlockLoad() = default;
    explicit BlockLoad(TempStorage&) {}

    template <class In, class... Guard>
    void Load(In from, T (&items)[Items], Guard... guard) {
        const int self = static_cast<int>(cuset_host::linear_thread());
        if constexpr (Algorithm == BLOCK_LOAD_STRIPED)
            LoadDirectStriped<X * Y * Z>(self, from, items, guard...);
        else
            LoadDirectBlocked(self, from, items, guard...);
    }
};

template <class T, int X, int Items, BlockStoreAlgorithm Algorithm = BLOCK_STORE_DIRECT, int Y = 1,
          int Z = 1, int = 0>
class BlockStore {
public:
    struct TempStorage {
        unsigned char unused;
    };
    BlockStore() = default;
    explicit BlockStore(TempStorage&) {}

    template <class Out, class... Guard>
    void Store(Out to, T (&items)[Items], Guard... guard) {
        const int self = static_cast<int>(cuset_host::linear_thread());
        if constexpr (Algorithm == BLOCK_STORE_STRIPED)
            StoreDirectStriped<X * Y * Z>(self, to, items, guard...);
        else
            StoreDirectBlocked(self, to, items, guard...);
    }
};

/// Rearranges a block's items between blocked, striped, and striped within each warp.
template <class T, int X, int Items, bool = false, int Y = 1, int Z = 1, int = 0>
class BlockExchange {
    static constexpr int threads = X * Y * Z, count = threads * Items;

public:
    using TempStorage = cuset_host::collective_storage<T, count>;
    BlockExchange() : storage_(cuset_host::private_room<TempStorage, BlockExchange>()) {}
    explicit BlockExchange(TempStorage& storage) : storage_(storage) {}

    template <class U>
    void BlockedToStriped(const T (&in)[Items], U (&out)[Items], CUSET_HOST_LINE_OF_CALL) {
        exchange(in, out, line, blocked, striped);
    }
    template <class U>
    void StripedToBlocked(const T (&in)[Items], U (&out)[Items], CUSET_HOST_LINE_OF_CALL) {
        exchange(in, out, line, striped, blocked);
    }
    template <class U>
    void BlockedToWarpStriped(const T (&in)[Items], U (&out)[Items], CUSET_HOST_LINE_OF_CALL) {
        exchange(in, out, line, blocked, warp_striped);
    }
    template <class U>
    void WarpStripedToBlocked(const T (&in)[Items], U (&out)[Items], CUSET_HOST_LINE_OF_CALL) {
        exchange(in, out, line, warp_striped, blocked);
    }
    /// The item with rank r goes to place r. Guarded: a negative rank drops it; flagged: so does a
    /// flag that is not set.
    template <class U, class Rank>
    void ScatterToBlocked(const T (&in)[Items], U (&out)[Items], Rank (&ranks)[Items],
                          CUSET_HOST_LINE_OF_CALL) {
        exchange(
            in, out, line, [&](int i) { return static_cast<int>(ranks[i]); }, blocked);
    }
    template <class U, class Rank>
    void ScatterToStriped(const T (&in)[Items], U (&out)[Items], Rank (&ranks)[Items],
                          CUSET_HOST_LINE_OF_CALL) {
        exchange(
            in, out, line, [&](int i) { return static_cast<int>(ranks[i]); }, striped);
    }
    template <class U, class Rank>
    void ScatterToStripedGuarded(const T (&in)[Items], U (&out)[Items], Rank (&ranks)[Items],
                                 CUSET_HOST_LINE_OF_CALL) {
        ScatterToStriped(in, out, ranks, line);
    }
    template <class U, class Rank, class Flag>
    void ScatterToStripedFlagged(const T (&in)[Items], U (&out)[Items], Rank (&ranks)[Items],
                                 Flag (&valid)[Items], CUSET_HOST_LINE_OF_CALL) {
        const auto rank = [&](int i) { return valid[i] ? static_cast<int>(ranks[i]) : -1; };
        exchange(in, out, line, rank, striped);
    }
    void BlockedToStriped(T (&items)[Items]) { BlockedToStriped(items, items); }
    void StripedToBlocked(T (&items)[Items]) { StripedToBlocked(items, items); }
    void BlockedToWarpStriped(T (&items)[Items]) { BlockedToWarpStriped(items, items); }
    void WarpStripedToBlocked(T (&items)[Items]) { WarpStripedToBlocked(items, items); }
    template <class Rank>
    void ScatterToBlocked(T (&items)[Items], Rank (&ranks)[Items]) {
        ScatterToBlocked(items, items, ranks);
    }
    template <class Rank>
    void ScatterToStriped(T (&items)[Items], Rank (&ranks)[Items]) {
        ScatterToStriped(items, items, ranks);
    }
    template <class Rank>
    void ScatterToStripedGuarded(T (&items)[Items], Rank (&ranks)[Items]) {
        ScatterToStriped(items, items, ranks);
    }

private:
    static int self() { return static_cast<int>(cuset_host::linear_thread()); }
    static int blocked(int i) { return self() * Items + i; }
    static int striped(int i) { return self() + i * threads; }
    static int warp_striped(int i) {
        const int first = self() / 32 * 32, lanes = std::min(32, threads - first);
        return first * Items + (self() - first) + i * lanes;
    }
    /// A place that no item was put into gives what the storage held.
    template <class U, class From, class To>
    void exchange(const T (&in)[Items], U (&out)[Items], cuset_host::call_line line, From from,
                  To to) {
        for (int i = 0; i < Items; ++i)
            if (const int at = from(i); at >= 0) storage_[at] = in[i];
        cuset_host::collective_barrier(line);
        for (int i = 0; i < Items; ++i) out[i] = storage_[to(i)];
    }
    TempStorage& storage_;
};

/// Differences of neighbours in a block's items.
template <class T, int X, int Y = 1, int Z = 1, int = 0>
class BlockAdjacentDifference {
    static constexpr int threads = X * Y * Z;

public:
    using TempStorage = cuset_host::collective_storage<T, threads>;
    BlockAdjacentDifference()
        : storage_(cuset_host::private_room<TempStorage, BlockAdjacentDifference>()) {}
    explicit BlockAdjacentDifference(TempStorage& storage) : storage_(storage) {}

    template <int Items, class Out, class Op>
    void SubtractLeft(T (&in)[Items], Out (&out)[Items], Op op, CUSET_HOST_LINE_OF_CALL) {
        subtract_left(in, out, op, line, [&](T& first) { return first; });
    }
    template <int Items, class Out, class Op>
    void SubtractLeft(T (&in)[Items], Out (&out)[Items], Op op, T before, CUSET_HOST_LINE_OF_CALL) {
        subtract_left(in, out, op, line, [&](T& first) { return op(first, before); });
    }
    template <int Items, class Out, class Op>
    void SubtractRight(T (&in)[Items], Out (&out)[Items], Op op, CUSET_HOST_LINE_OF_CALL) {
        subtract_right(in, out, op, line, [&](T& last) { return last; });
    }
    template <int Items, class Out, class Op>
    void SubtractRight(T (&in)[Items], Out (&out)[Items], Op op, T after, CUSET_HOST_LINE_OF_CALL) {
        subtract_right(in, out, op, line, [&](T& last) { return op(last, after); });
    }
    /// Items from `valid` on are copied; so is the one before them, which has no right neighbour.
    template <int Items, class Out, class Op>
    void SubtractLeftPartialTile(T (&in)[Items], Out (&out)[Items], Op op, int valid,
                                 CUSET_HOST_LINE_OF_CALL) {
        copy_from(valid, in, out, [&](auto& all) { SubtractLeft(in, all, op, line); });
    }
    template <int Items, class Out, class Op>
    void SubtractLeftPartialTile(T (&in)[Items], Out (&out)[Items], Op op, int valid, T before,
                                 CUSET_HOST_LINE_OF_CALL) {
        copy_from(valid, in, out, [&](auto& all) { SubtractLeft(in, all, op, before, line); });
    }
    template <int Items, class Out, class Op>
    void SubtractRightPartialTile(T (&in)[Items], Out (&out)[Items], Op op, int valid,
                                  CUSET_HOST_LINE_OF_CALL) {
        copy_from(valid - 1, in, out, [&](auto& all) { SubtractRight(in, all, op, line); });
    }

private:
    template <int Items, class Out, class Work>
    static void copy_from(int begin, T (&in)[Items], Out (&out)[Items], Work work) {
        const int first = static_cast<int>(cuset_host::linear_thread()) * Items;
        Out all[Items];
        work(all);
        for (int i = 0; i < Items; ++i)
            out[i] = first + i < begin ? all[i] : static_cast<Out>(in[i]);
    }
    template <int Items, class Out, class Op, class Last>
    void subtract_right(T (&in)[Items], Out (&out)[Items], Op op, cuset_host::call_line line,
                        Last of_last) {
        const int self = static_cast<int>(cuset_host::linear_thread());
        storage_[self] = in[0];
        cuset_host::collective_barrier(line);
        T last = in[Items - 1];
        for (int i = 0; i + 1 < Items; ++i) out[i] = op(in[i], in[i + 1]);
        out[Items - 1] = self + 1 < threads ? static_cast<Out>(op(last, storage_[self + 1]))
                                            : static_cast<Out>(of_last(last));
    }
    template <int Items, class Out, class Op, class First>
    void subtract_left(T (&in)[Items], Out (&out)[Items], Op op, cuset_host::call_line line,
                       First of_first) {
        const int self = static_cast<int>(cuset_host::linear_thread());
        storage_[self] = in[Items - 1];
        cuset_host::collective_barrier(line);
        T first = in[0];  // functions may take references
        for (int i = Items - 1; i > 0; --i) out[i] = op(in[i], in[i - 1]);
        out[0] = self == 0 ? of_first(first) : op(first, storage_[self - 1]);
    }

    TempStorage& storage_;
};

#undef CUSET_HOST_LINE_OF_CALL

}  // namespace cub
