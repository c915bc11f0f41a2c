// CUB's collectives of a warp, or of groups of its lanes: reductions, scans, exchanges.
#pragma once

#include <cuset_host/cub/block_reductions.h>

namespace cuset_host {

/// The groups of `Threads` neighbouring lanes of a warp. The last warp of a block may have fewer
/// lanes than 32.
template <int Threads>
struct lane_groups {
    static_assert(Threads >= 1 && Threads <= 32);
    const int lane = static_cast<int>(lane_id());
    /// The first lane of this lane's group, and the one after its last.
    const int first = lane / Threads * Threads;
    const int end = std::min({first + Threads, 32, lanes_of_warp()});

    unsigned mask() const { return (end == 32 ? ~0U : (1U << end) - 1) & (~0U << first); }

private:
    static int lanes_of_warp() {
        return static_cast<int>(block_threads() - linear_thread() / 32 * 32);
    }
};

}  // namespace cuset_host

namespace cub {

#define CUSET_HOST_LINE_OF_CALL cuset_host::call_line line = cuset_host::call_line(__builtin_LINE())

template <class T, int Threads = 32, int = 0>
class WarpReduce {
    using groups = cuset_host::lane_groups<Threads>;

public:
    struct TempStorage {
        cuset_host::collective_storage<T, 32> values;
        cuset_host::collective_storage<bool, 32> flags;
    };
    explicit WarpReduce(TempStorage& storage) : storage_(storage) {}

    /// The result is that of the first lane of each group.
    template <class Op>
    T Reduce(T value, Op op, int valid, CUSET_HOST_LINE_OF_CALL) {
        const groups group;
        storage_.values[group.lane] = value;
        cuset_host::warp_barrier(group.mask(), line);
        T sum = storage_.values[group.first];
        for (int i = group.first + 1; i < std::min(group.first + valid, group.end); ++i)
            sum = op(sum, storage_.values[i]);
        cuset_host::warp_barrier(group.mask(), line);
        return sum;
    }
    template <class Op>
    T Reduce(T value, Op op) {
        return Reduce(value, op, Threads);
    }
    T Sum(T value) { return Reduce(value, cub::Sum(), Threads); }
    T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }

    /// A segment begins at a lane whose flag is set. Each lane gets the result from its own value
    /// to the end of its segment, so that the segment's first lane has the whole.
    template <class Flag, class Op>
    T HeadSegmentedReduce(T value, Flag is_head, Op op, CUSET_HOST_LINE_OF_CALL) {
        return segmented(value, is_head, op, line,
                         [this](int i, int end) { return i + 1 < end && !storage_.flags[i + 1]; });
    }
    /// A segment ends at a lane whose flag is set.
    template <class Flag, class Op>
    T TailSegmentedReduce(T value, Flag is_tail, Op op, CUSET_HOST_LINE_OF_CALL) {
        return segmented(value, is_tail, op, line,
                         [this](int i, int end) { return i + 1 < end && !storage_.flags[i]; });
    }
    template <class Flag>
    T HeadSegmentedSum(T value, Flag is_head, CUSET_HOST_LINE_OF_CALL) {
        return HeadSegmentedReduce(value, is_head, cub::Sum(), line);
    }
    template <class Flag>
    T TailSegmentedSum(T value, Flag is_tail, CUSET_HOST_LINE_OF_CALL) {
        return TailSegmentedReduce(value, is_tail, cub::Sum(), line);
    }

private:
    template <class Flag, class Op, class GoesOn>
    T segmented(T value, Flag flag, Op op, cuset_host::call_line line, GoesOn goes_on) {
        const groups group;
        storage_.values[group.lane] = value;
        storage_.flags[group.lane] = static_cast<bool>(flag);
        cuset_host::warp_barrier(group.mask(), line);
        T sum = value;
        for (int i = group.lane; goes_on(i, group.end); ++i) sum = op(sum, storage_.values[i + 1]);
        cuset_host::warp_barrier(group.mask(), line);
        return sum;
    }

    TempStorage& storage_;
};

/// Results without a first value leave that of a group's first lane as it is.
template <class T, int Threads = 32, int = 0>
class WarpScan {
    using groups = cuset_host::lane_groups<Threads>;

public:
    using TempStorage = cuset_host::collective_storage<T, 32>;
    explicit WarpScan(TempStorage& storage) : storage_(storage) {}

    template <class Op>
    void InclusiveScan(T in, T& out, Op op, T& all, CUSET_HOST_LINE_OF_CALL) {
        const sums found = scanned(in, op, line);
        out = found.upto;
        all = found.all;
    }
    template <class Op>
    void InclusiveScan(T in, T& out, Op op, CUSET_HOST_LINE_OF_CALL) {
        out = scanned(in, op, line).upto;
    }
    template <class Op>
    void InclusiveScan(T in, T& out, T first, Op op, T& all, CUSET_HOST_LINE_OF_CALL) {
        const sums found = scanned(in, op, line);
        out = op(first, found.upto);
        all = found.all;
    }
    template <class Op>
    void InclusiveScan(T in, T& out, T first, Op op, CUSET_HOST_LINE_OF_CALL) {
        out = op(first, scanned(in, op, line).upto);
    }
    template <class Op>
    void ExclusiveScan(T in, T& out, Op op, T& all, CUSET_HOST_LINE_OF_CALL) {
        const sums found = scanned(in, op, line);
        if (!found.is_first) out = found.before;
        all = found.all;
    }
    template <class Op>
    void ExclusiveScan(T in, T& out, Op op, CUSET_HOST_LINE_OF_CALL) {
        T all;
        ExclusiveScan(in, out, op, all, line);
    }
    template <class Op>
    void ExclusiveScan(T in, T& out, T first, Op op, T& all, CUSET_HOST_LINE_OF_CALL) {
        const sums found = scanned(in, op, line);
        out = found.is_first ? first : static_cast<T>(op(first, found.before));
        all = found.all;
    }
    template <class Op>
    void ExclusiveScan(T in, T& out, T first, Op op, CUSET_HOST_LINE_OF_CALL) {
        T all;
        ExclusiveScan(in, out, first, op, all, line);
    }
    template <class Op>
    void Scan(T in, T& upto, T& before, Op op, CUSET_HOST_LINE_OF_CALL) {
        const sums found = scanned(in, op, line);
        upto = found.upto;
        if (!found.is_first) before = found.before;
    }
    template <class Op>
    void Scan(T in, T& upto, T& before, T first, Op op, CUSET_HOST_LINE_OF_CALL) {
        const sums found = scanned(in, op, line);
        upto = op(first, found.upto);
        before = found.is_first ? first : static_cast<T>(op(first, found.before));
    }
    void InclusiveSum(T in, T& out) { InclusiveScan(in, out, cub::Sum()); }
    void InclusiveSum(T in, T& out, T& all) { InclusiveScan(in, out, cub::Sum(), all); }
    void ExclusiveSum(T in, T& out) { ExclusiveScan(in, out, T(), cub::Sum()); }
    void ExclusiveSum(T in, T& out, T& all) { ExclusiveScan(in, out, T(), cub::Sum(), all); }

    /// The value of the lane with this number in the group.
    T Broadcast(T in, unsigned lane, CUSET_HOST_LINE_OF_CALL) {
        const groups group;
        storage_[group.lane] = in;
        cuset_host::warp_barrier(group.mask(), line);
        const T out = storage_[group.first + static_cast<int>(lane) % Threads];
        cuset_host::warp_barrier(group.mask(), line);
        return out;
    }

private:
    struct sums {
        T upto, before, all;
        bool is_first;
    };
    template <class Op>
    sums scanned(T in, Op op, cuset_host::call_line line) {
        const groups group;
        storage_[group.lane] = in;
        cuset_host::warp_barrier(group.mask(), line);
        T sum = storage_[group.first];
        sums found{sum, in, in, group.lane == group.first};
        for (int i = group.first + 1; i < group.end; ++i) {
            if (i == group.lane) found.before = sum;
            sum = op(sum, storage_[i]);
            if (i == group.lane) found.upto = sum;
        }
        found.all = sum;
        cuset_host::warp_barrier(group.mask(), line);
        return found;
    }

    TempStorage& storage_;
};

enum WarpExchangeAlgorithm { WARP_EXCHANGE_SMEM, WARP_EXCHANGE_SHUFFLE };

/// Rearranges the items of a group's lanes between blocked and striped.
template <class T, int Items, int Threads = 32, WarpExchangeAlgorithm = WARP_EXCHANGE_SMEM>
class WarpExchange {
    using groups = cuset_host::lane_groups<Threads>;

public:
    using TempStorage = cuset_host::collective_storage<T, Threads * Items>;
    explicit WarpExchange(TempStorage& storage) : storage_(storage) {}

    template <class U>
    void BlockedToStriped(const T (&in)[Items], U (&out)[Items], CUSET_HOST_LINE_OF_CALL) {
        exchange(in, out, line, blocked, striped);
    }
    template <class U>
    void StripedToBlocked(const T (&in)[Items], U (&out)[Items], CUSET_HOST_LINE_OF_CALL) {
        exchange(in, out, line, striped, blocked);
    }
    /// The item with rank r goes to place r of the striped items.
    template <class U, class Rank>
    void ScatterToStriped(const T (&in)[Items], U (&out)[Items], Rank (&ranks)[Items],
                          CUSET_HOST_LINE_OF_CALL) {
        exchange(
            in, out, line, [&](int, int i) { return static_cast<int>(ranks[i]); }, striped);
    }
    template <class Rank>
    void ScatterToStriped(T (&items)[Items], Rank (&ranks)[Items], CUSET_HOST_LINE_OF_CALL) {
        ScatterToStriped(items, items, ranks, line);
    }

private:
    static int blocked(int lane, int i) { return lane * Items + i; }
    static int striped(int lane, int i) { return lane + i * Threads; }
    template <class U, class From, class To>
    void exchange(const T (&in)[Items], U (&out)[Items], cuset_host::call_line line, From from,
                  To to) {
        const groups group;
        const int lane = group.lane - group.first;
        for (int i = 0; i < Items; ++i) storage_[from(lane, i)] = in[i];
        cuset_host::warp_barrier(group.mask(), line);
        for (int i = 0; i < Items; ++i) out[i] = storage_[to(lane, i)];
        cuset_host::warp_barrier(group.mask(), line);
    }
    TempStorage& storage_;
};

#undef CUSET_HOST_LINE_OF_CALL

}  // namespace cub
