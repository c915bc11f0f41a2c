// CUB's reductions and scans of a block. What CUB's collectives give is CUB's; how they compute it
// is not: threads leave their values in the temporary storage, and after a barrier each reads what
// it needs.
#pragma once

#include <cuset_host/threads/execution.h>
#include <cuset_host/threads/warp.h>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace cub {

enum BlockReduceAlgorithm {
    BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
    BLOCK_REDUCE_RAKING,
    BLOCK_REDUCE_WARP_REDUCTIONS
};
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm {
    BLOCK_LOAD_DIRECT,
    BLOCK_LOAD_STRIPED,
    BLOCK_LOAD_VECTORIZE,
    BLOCK_LOAD_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
    BLOCK_STORE_DIRECT,
    BLOCK_STORE_STRIPED,
    BLOCK_STORE_VECTORIZE,
    BLOCK_STORE_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

struct Sum {
    template <class A, class B>
    auto operator()(A a, B b) const {
        return a + b;
    }
};
struct Max {
    template <class A, class B>
    std::common_type_t<A, B> operator()(A a, B b) const {
        return a < b ? b : a;
    }
};
struct Min {
    template <class A, class B>
    std::common_type_t<A, B> operator()(A a, B b) const {
        return b < a ? b : a;
    }
};
struct Equality {
    template <class A, class B>
    bool operator()(A a, B b) const {
        return a == b;
    }
};
struct Inequality {
    template <class A, class B>
    bool operator()(A a, B b) const {
        return a != b;
    }
};
template <class K, class V>
struct KeyValuePair {
    using Key = K;
    using Value = V;
    K key;
    V value;
    KeyValuePair() = default;
    KeyValuePair(const K& k, const V& v) : key(k), value(v) {}
    bool operator!=(const KeyValuePair& other) const {
        return value != other.value || key != other.key;
    }
};
struct ArgMax {
    template <class K, class V>
    KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a, const KeyValuePair<K, V>& b) const {
        return b.value > a.value || (b.value == a.value && b.key < a.key) ? b : a;
    }
};
struct ArgMin {
    template <class K, class V>
    KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a, const KeyValuePair<K, V>& b) const {
        return b.value < a.value || (b.value == a.value && b.key < a.key) ? b : a;
    }
};

}  // namespace cub

namespace cuset_host {

/// A place for a value of each thread. It is trivial, so that programs may put it into a union.
template <class T, int Count>
struct alignas(alignof(T) > 16 ? alignof(T) : 16) collective_storage {
    unsigned char bytes[sizeof(T) * Count];
    T& operator[](int i) { return reinterpret_cast<T*>(bytes)[i]; }
};

/// The temporary storage of a block's collective that is given none: one for all calls of its type.
template <class Storage, class Collective>
Storage& private_room() {
    constexpr int not_a_variable = -1;
    return shared<Storage, Collective, not_a_variable>("the private storage of a collective");
}

/// The line of a call. No number converts to it, so that it never stands for an argument.
struct call_line {
    explicit constexpr call_line(int line) : number(line) {}
    int number;
};

inline void collective_barrier(call_line line) {
    block_barrier(0, "a block's collective", line.number);
}
inline void warp_barrier(unsigned mask, call_line line) {
    warp_exchange(mask, 0, "a warp's collective", line.number);
}

}  // namespace cuset_host

namespace cub {

#define CUSET_HOST_LINE_OF_CALL cuset_host::call_line line = cuset_host::call_line(__builtin_LINE())

template <class T, int X, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1,
          int = 0>
class BlockReduce {
    static constexpr int threads = X * Y * Z;

public:
    using TempStorage = cuset_host::collective_storage<T, threads>;
    BlockReduce() : storage_(cuset_host::private_room<TempStorage, BlockReduce>()) {}
    explicit BlockReduce(TempStorage& storage) : storage_(storage) {}

    /// The result is the first thread's alone.
    template <class Op>
    T Reduce(T value, Op op, int valid, CUSET_HOST_LINE_OF_CALL) {
        const int self = static_cast<int>(cuset_host::linear_thread());
        if (self < threads) storage_[self] = value;
        cuset_host::collective_barrier(line);
        if (self != 0) return value;
        T sum = storage_[0];
        for (int i = 1; i < std::min(valid, threads); ++i) sum = op(sum, storage_[i]);
        return sum;
    }
    template <class Op>
    T Reduce(T value, Op op) {
        return Reduce(value, op, threads);
    }
    template <int Items, class Op>
    T Reduce(T (&values)[Items], Op op) {
        T own = values[0];
        for (int i = 1; i < Items; ++i) own = op(own, values[i]);
        return Reduce(own, op, threads);
    }
    T Sum(T value) { return Reduce(value, cub::Sum(), threads); }
    T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }
    template <int Items>
    T Sum(T (&values)[Items]) {
        return Reduce(values, cub::Sum());
    }

private:
    TempStorage& storage_;
};

template <class T, int X, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int = 0>
class BlockScan {
    static constexpr int threads = X * Y * Z;

public:
    using TempStorage = cuset_host::collective_storage<T, threads + 1>;
    BlockScan() : storage_(cuset_host::private_room<TempStorage, BlockScan>()) {}
    explicit BlockScan(TempStorage& storage) : storage_(storage) {}

    template <class Op>
    void InclusiveScan(T in, T& out, Op op, T& all, CUSET_HOST_LINE_OF_CALL) {
        scan(in, op, line);
        out = storage_[self()];
        all = storage_[threads - 1];
    }
    template <class Op>
    void InclusiveScan(T in, T& out, Op op) {
        T all;
        InclusiveScan(in, out, op, all);
    }
    template <class Op>
    void ExclusiveScan(T in, T& out, T first, Op op, T& all, CUSET_HOST_LINE_OF_CALL) {
        scan(in, op, line);
        out = self() == 0 ? first : static_cast<T>(op(first, storage_[self() - 1]));
        all = storage_[threads - 1];
    }
    template <class Op>
    void ExclusiveScan(T in, T& out, T first, Op op) {
        T all;
        ExclusiveScan(in, out, first, op, all);
    }
    /// Without a first value the first thread's result is left as it is.
    template <class Op>
    void ExclusiveScan(T in, T& out, Op op, CUSET_HOST_LINE_OF_CALL) {
        scan(in, op, line);
        if (self() > 0) out = storage_[self() - 1];
    }
    template <class Op>
    void ExclusiveScan(T in, T& out, Op op, T& all, CUSET_HOST_LINE_OF_CALL) {
        ExclusiveScan(in, out, op, line);
        all = storage_[threads - 1];
    }
    /// `prefix` is called by the first warp, and its first lane's result counts.
    template <class Op, class Prefix>
    void ExclusiveScan(T in, T& out, Op op, Prefix& prefix, CUSET_HOST_LINE_OF_CALL) {
        scan(in, op, line);
        const T first = before_all(prefix, line);
        out = self() == 0 ? first : static_cast<T>(op(first, storage_[self() - 1]));
    }
    template <class Op, class Prefix>
    void InclusiveScan(T in, T& out, Op op, Prefix& prefix, CUSET_HOST_LINE_OF_CALL) {
        scan(in, op, line);
        const T first = before_all(prefix, line);
        out = op(first, storage_[self()]);
    }

    void InclusiveSum(T in, T& out) { InclusiveScan(in, out, cub::Sum()); }
    void InclusiveSum(T in, T& out, T& all) { InclusiveScan(in, out, cub::Sum(), all); }
    template <class Prefix, class = decltype(std::declval<Prefix&>()(std::declval<T>()))>
    void InclusiveSum(T in, T& out, Prefix& prefix) {
        InclusiveScan(in, out, cub::Sum(), prefix);
    }
    void ExclusiveSum(T in, T& out) { ExclusiveScan(in, out, T(), cub::Sum()); }
    void ExclusiveSum(T in, T& out, T& all) { ExclusiveScan(in, out, T(), cub::Sum(), all); }
    template <class Prefix, class = decltype(std::declval<Prefix&>()(std::declval<T>()))>
    void ExclusiveSum(T in, T& out, Prefix& prefix) {
        ExclusiveScan(in, out, cub::Sum(), prefix);
    }

    template <int Items, class Op>
    void InclusiveScan(T (&in)[Items], T (&out)[Items], Op op, T& all) {
        T own[Items];
        own[0] = in[0];
        for (int i = 1; i < Items; ++i) own[i] = op(own[i - 1], in[i]);
        T sum;
        InclusiveScan(own[Items - 1], sum, op, all);
        for (int i = 0; i < Items; ++i)
            out[i] = self() == 0 ? own[i] : static_cast<T>(op(storage_[self() - 1], own[i]));
    }
    template <int Items, class Op>
    void InclusiveScan(T (&in)[Items], T (&out)[Items], Op op) {
        T all;
        InclusiveScan(in, out, op, all);
    }
    template <int Items, class Op>
    void ExclusiveScan(T (&in)[Items], T (&out)[Items], T first, Op op, T& all) {
        T sums[Items];
        InclusiveScan(in, sums, op, all);
        T before = self() == 0 ? first : static_cast<T>(op(first, storage_[self() - 1]));
        for (int i = 0; i < Items; ++i) {
            out[i] = before;
            before = op(first, sums[i]);
        }
    }
    template <int Items, class Op>
    void ExclusiveScan(T (&in)[Items], T (&out)[Items], T first, Op op) {
        T all;
        ExclusiveScan(in, out, first, op, all);
    }
    template <int Items, class Op>
    void InclusiveScan(T (&in)[Items], T (&out)[Items], T first, Op op, T& all) {
        InclusiveScan(in, out, op, all);
        for (int i = 0; i < Items; ++i) out[i] = op(first, out[i]);
    }
    template <int Items, class Op>
    void InclusiveScan(T (&in)[Items], T (&out)[Items], T first, Op op) {
        T all;
        InclusiveScan(in, out, first, op, all);
    }
    /// Without a first value the block's first result is left as it is.
    template <int Items, class Op>
    void ExclusiveScan(T (&in)[Items], T (&out)[Items], Op op, T& all) {
        T sums[Items];
        InclusiveScan(in, sums, op, all);
        if (self() > 0) out[0] = storage_[self() - 1];
        for (int i = 1; i < Items; ++i) out[i] = sums[i - 1];
    }
    template <int Items, class Op>
    void ExclusiveScan(T (&in)[Items], T (&out)[Items], Op op) {
        T all;
        ExclusiveScan(in, out, op, all);
    }
    template <int Items, class Op, class Prefix>
    void InclusiveScan(T (&in)[Items], T (&out)[Items], Op op, Prefix& prefix) {
        T all;
        InclusiveScan(in, out, op, all);
        const T first = before_all(prefix, cuset_host::call_line(0));
        for (int i = 0; i < Items; ++i) out[i] = op(first, out[i]);
    }
    template <int Items, class Op, class Prefix>
    void ExclusiveScan(T (&in)[Items], T (&out)[Items], Op op, Prefix& prefix) {
        T sums[Items];
        InclusiveScan(in, sums, op);
        const T first = before_all(prefix, cuset_host::call_line(0));
        T before = self() == 0 ? first : static_cast<T>(op(first, storage_[self() - 1]));
        for (int i = 0; i < Items; ++i) {
            out[i] = before;
            before = op(first, sums[i]);
        }
    }
    template <int Items, class Prefix, class = decltype(std::declval<Prefix&>()(std::declval<T>()))>
    void InclusiveSum(T (&in)[Items], T (&out)[Items], Prefix& prefix) {
        InclusiveScan(in, out, cub::Sum(), prefix);
    }
    template <int Items, class Prefix, class = decltype(std::declval<Prefix&>()(std::declval<T>()))>
    void ExclusiveSum(T (&in)[Items], T (&out)[Items], Prefix& prefix) {
        ExclusiveScan(in, out, cub::Sum(), prefix);
    }
    template <int Items>
    void InclusiveSum(T (&in)[Items], T (&out)[Items]) {
        InclusiveScan(in, out, cub::Sum());
    }
    template <int Items>
    void InclusiveSum(T (&in)[Items], T (&out)[Items], T& all) {
        InclusiveScan(in, out, cub::Sum(), all);
    }
    template <int Items>
    void ExclusiveSum(T (&in)[Items], T (&out)[Items]) {
        ExclusiveScan(in, out, T(), cub::Sum());
    }
    template <int Items>
    void ExclusiveSum(T (&in)[Items], T (&out)[Items], T& all) {
        ExclusiveScan(in, out, T(), cub::Sum(), all);
    }

private:
    static int self() { return static_cast<int>(cuset_host::linear_thread()); }
    template <class Op>
    void scan(T in, Op op, cuset_host::call_line line) {
        storage_[self()] = in;
        cuset_host::collective_barrier(line);
        if (self() == 0)
            for (int i = 1; i < threads; ++i) storage_[i] = op(storage_[i - 1], storage_[i]);
        cuset_host::collective_barrier(line);
    }
    template <class Prefix>
    T before_all(Prefix& prefix, cuset_host::call_line line) {
        if (self() < 32) {
            const T first = prefix(storage_[threads - 1]);
            if (self() == 0) storage_[threads] = first;
        }
        cuset_host::collective_barrier(line);
        return storage_[threads];
    }

    TempStorage& storage_;
};

#undef CUSET_HOST_LINE_OF_CALL

}  // namespace cub
