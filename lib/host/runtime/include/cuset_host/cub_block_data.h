// CUB's collectives that move a block's items: loads, stores, exchanges, differences of neighbours.
#pragma once

#include <cuset_host/cub_block.h>

namespace cub {

#define CUSET_HOST_LINE_OF_CALL \
    cuset_host::line_of_call line = cuset_host::line_of_call(__builtin_LINE())

template <class T, int X, int Items, BlockLoadAlgorithm Algorithm = BLOCK_LOAD_DIRECT, int Y = 1,
          int Z = 1, int = 0>
class BlockLoad {
    static constexpr int threads = X * Y * Z;

public:
    struct TempStorage {
        unsigned char unused;
    };
    BlockLoad() = default;
    explicit BlockLoad(TempStorage&) {}

    template <class In>
    void Load(In from, T (&items)[Items]) {
        for (int i = 0; i < Items; ++i) items[i] = from[place(i)];
    }
    template <class In>
    void Load(In from, T (&items)[Items], int valid) {
        for (int i = 0; i < Items; ++i)
            if (place(i) < valid) items[i] = from[place(i)];
    }
    template <class In, class Default>
    void Load(In from, T (&items)[Items], int valid, Default other) {
        for (int i = 0; i < Items; ++i)
            items[i] = place(i) < valid ? static_cast<T>(from[place(i)]) : static_cast<T>(other);
    }

private:
    static int place(int i) {
        const int self = static_cast<int>(cuset_host::linear_thread());
        return Algorithm == BLOCK_LOAD_STRIPED ? self + i * threads : self * Items + i;
    }
};

template <class T, int X, int Items, BlockStoreAlgorithm Algorithm = BLOCK_STORE_DIRECT, int Y = 1,
          int Z = 1, int = 0>
class BlockStore {
    static constexpr int threads = X * Y * Z;

public:
    struct TempStorage {
        unsigned char unused;
    };
    BlockStore() = default;
    explicit BlockStore(TempStorage&) {}

    template <class Out>
    void Store(Out to, T (&items)[Items]) {
        for (int i = 0; i < Items; ++i) to[place(i)] = items[i];
    }
    template <class Out>
    void Store(Out to, T (&items)[Items], int valid) {
        for (int i = 0; i < Items; ++i)
            if (place(i) < valid) to[place(i)] = items[i];
    }

private:
    static int place(int i) {
        const int self = static_cast<int>(cuset_host::linear_thread());
        return Algorithm == BLOCK_STORE_STRIPED ? self + i * threads : self * Items + i;
    }
};

/// Rearranges a block's items between blocked and striped.
template <class T, int X, int Items, bool = false, int Y = 1, int Z = 1, int = 0>
class BlockExchange {
    static constexpr int threads = X * Y * Z;

public:
    using TempStorage = cuset_host::collective_storage<T, threads * Items>;
    explicit BlockExchange(TempStorage& storage) : storage_(storage) {}

    template <class U>
    void BlockedToStriped(const T (&in)[Items], U (&out)[Items], CUSET_HOST_LINE_OF_CALL) {
        for (int i = 0; i < Items; ++i) storage_[self() * Items + i] = in[i];
        cuset_host::collective_barrier(line);
        for (int i = 0; i < Items; ++i) out[i] = storage_[self() + i * threads];
    }
    template <class U>
    void StripedToBlocked(const T (&in)[Items], U (&out)[Items], CUSET_HOST_LINE_OF_CALL) {
        for (int i = 0; i < Items; ++i) storage_[self() + i * threads] = in[i];
        cuset_host::collective_barrier(line);
        for (int i = 0; i < Items; ++i) out[i] = storage_[self() * Items + i];
    }
    void BlockedToStriped(T (&items)[Items]) { BlockedToStriped(items, items); }
    void StripedToBlocked(T (&items)[Items]) { StripedToBlocked(items, items); }

private:
    static int self() { return static_cast<int>(cuset_host::linear_thread()); }
    TempStorage& storage_;
};

/// Differences of neighbours in a block's items.
template <class T, int X, int Y = 1, int Z = 1, int = 0>
class BlockAdjacentDifference {
    static constexpr int threads = X * Y * Z;

public:
    using TempStorage = cuset_host::collective_storage<T, threads>;
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

private:
    template <int Items, class Out, class Op, class Last>
    void subtract_right(T (&in)[Items], Out (&out)[Items], Op op, cuset_host::line_of_call line,
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
    void subtract_left(T (&in)[Items], Out (&out)[Items], Op op, cuset_host::line_of_call line,
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

template <class T, int Items, class In>
inline void LoadDirectBlocked(int thread, In from, T (&items)[Items]) {
    for (int i = 0; i < Items; ++i) items[i] = from[thread * Items + i];
}
template <class T, int Items, class Out>
inline void StoreDirectBlocked(int thread, Out to, T (&items)[Items]) {
    for (int i = 0; i < Items; ++i) to[thread * Items + i] = items[i];
}
template <int Threads, class T, int Items, class In>
inline void LoadDirectStriped(int thread, In from, T (&items)[Items]) {
    for (int i = 0; i < Items; ++i) items[i] = from[thread + i * Threads];
}
template <int Threads, class T, int Items, class Out>
inline void StoreDirectStriped(int thread, Out to, T (&items)[Items]) {
    for (int i = 0; i < Items; ++i) to[thread + i * Threads] = items[i];
}

enum CacheLoadModifier {
    LOAD_DEFAULT,
    LOAD_CA,
    LOAD_CG,
    LOAD_CS,
    LOAD_CV,
    LOAD_LDG,
    LOAD_VOLATILE
};
template <CacheLoadModifier, class In>
inline auto ThreadLoad(In from) {
    return *from;
}
inline unsigned LaneId() { return cuset_host::lane_id(); }
inline int RowMajorTid(int, int, int) { return static_cast<int>(cuset_host::linear_thread()); }
template <class A, class B>
constexpr auto DivideAndRoundUp(A a, B b) {
    return (a + b - 1) / b;
}

#undef CUSET_HOST_LINE_OF_CALL

}  // namespace cub
