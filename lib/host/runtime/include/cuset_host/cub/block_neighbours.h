// CUB's collectives on neighbouring items of a block: flags where they differ, and shifts.
#pragma once

#include <cuset_host/cub/block_reductions.h>

namespace cub {

#define CUSET_HOST_LINE_OF_CALL cuset_host::call_line line = cuset_host::call_line(__builtin_LINE())

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
    void share(T (&in)[Items], cuset_host::call_line line) {
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
    void share(const T& in, cuset_host::call_line line) {
        storage_[self()] = in;
        cuset_host::collective_barrier(line);
    }
    TempStorage& storage_;
};

#undef CUSET_HOST_LINE_OF_CALL

}  // namespace cub
