// CUDA's cooperative groups on the host model: blocks, grids, tiles of a warp, coalesced threads.
//
// multi_grid_group is not declared. If lanes of a group have ended, its operations see what a
// device's do: the size stays, all() is false, and the values of those lanes are 0.
#pragma once

#include <type_traits>
#include <utility>

#include "cuset_host/threads/lane_values.h"

namespace cooperative_groups {

namespace details {
constexpr unsigned coalesced_group_id = 1, grid_group_id = 3, thread_block_id = 4,
                   cluster_group_id = 6;
struct group_access;
}  // namespace details

/// Any of the groups; its type says which one it is.
class thread_group {
public:
    thread_group(const thread_group&) = default;
    thread_group& operator=(const thread_group&) = delete;
    inline unsigned long long size() const;
    unsigned long long num_threads() const { return size(); }
    inline unsigned long long thread_rank() const;
    inline void sync(CUSET_HOST_LINE) const;
    unsigned get_type() const { return type_; }

protected:
    explicit thread_group(unsigned type) : type_(type) {}
    thread_group(unsigned mask, unsigned size, unsigned meta_rank, unsigned meta_size)
        : type_(details::coalesced_group_id),
          mask_(mask),
          size_(size),
          meta_rank_(meta_rank),
          meta_size_(meta_size) {}

    unsigned type_;
    // For groups within a warp: the lanes, their number, and the rank of this group among how many
    // groups.
    unsigned mask_ = 0, size_ = 0, meta_rank_ = 0, meta_size_ = 1;
    friend struct details::group_access;
};

class grid_group : public thread_group {
public:
    static constexpr unsigned _group_id = details::grid_group_id;
    using arrival_token = unsigned;

    bool is_valid() const { return cuset_host::is_cooperative(); }
    void sync(CUSET_HOST_LINE) const { cuset_host::grid_barrier(line); }
    // Threads wait in barrier_wait(): a thread cannot notice that those before it have not arrived.
    arrival_token barrier_arrive() const { return 0; }
    void barrier_wait(arrival_token&&, CUSET_HOST_LINE) const { cuset_host::grid_barrier(line); }

    static unsigned long long num_threads() { return num_blocks() * cuset_host::block_threads(); }
    static unsigned long long size() { return num_threads(); }
    static unsigned long long thread_rank() {
        return block_rank() * cuset_host::block_threads() + cuset_host::linear_thread();
    }
    static unsigned long long num_blocks() {
        return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
    }
    static unsigned long long block_rank() {
        return blockIdx.x +
               gridDim.x * (blockIdx.y + static_cast<unsigned long long>(gridDim.y) * blockIdx.z);
    }
    static dim3 dim_blocks() { return gridDim; }
    static dim3 group_dim() { return gridDim; }
    static dim3 dim_clusters() {
        const dim3 c = cuset_host::cluster_shape();
        return {gridDim.x / c.x, gridDim.y / c.y, gridDim.z / c.z};
    }
    static dim3 cluster_index() {
        const dim3 c = cuset_host::cluster_shape();
        return {blockIdx.x / c.x, blockIdx.y / c.y, blockIdx.z / c.z};
    }
    static unsigned long long num_clusters() {
        const dim3 all = dim_clusters();
        return static_cast<unsigned long long>(all.x) * all.y * all.z;
    }
    static unsigned long long cluster_rank() {
        const dim3 all = dim_clusters(), at = cluster_index();
        return at.x + all.x * (at.y + static_cast<unsigned long long>(all.y) * at.z);
    }
    static dim3 block_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
    static dim3 dim_threads() {
        return {gridDim.x * blockDim.x, gridDim.y * blockDim.y, gridDim.z * blockDim.z};
    }
    static dim3 thread_index() {
        return {blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y,
                blockIdx.z * blockDim.z + threadIdx.z};
    }

private:
    grid_group() : thread_group(details::grid_group_id) {}
    friend grid_group this_grid();
};
inline grid_group this_grid() { return {}; }

/// The blocks of a cluster; one block where the launch has none.
class cluster_group : public thread_group {
public:
    static constexpr unsigned _group_id = details::cluster_group_id;
    struct arrival_token {};

    static void sync(CUSET_HOST_LINE) { cuset_host::cluster_barrier(line); }
    // Threads wait in barrier_wait(), as in grid_group.
    static arrival_token barrier_arrive() { return {}; }
    static void barrier_wait(CUSET_HOST_LINE) { cuset_host::cluster_barrier(line); }
    static void barrier_wait(arrival_token&&, CUSET_HOST_LINE) {
        cuset_host::cluster_barrier(line);
    }

    template <class T>
    static T* map_shared_rank(T* p, unsigned rank, CUSET_HOST_LINE) {
        return static_cast<T*>(cuset_host::map_shared(
            const_cast<const void*>(static_cast<const volatile void*>(p)), rank, line));
    }
    static unsigned query_shared_rank(const void* p) { return cuset_host::block_of_shared(p); }

    static dim3 dim_blocks() { return cuset_host::cluster_shape(); }
    static dim3 block_index() {
        const dim3 c = dim_blocks();
        return {blockIdx.x % c.x, blockIdx.y % c.y, blockIdx.z % c.z};
    }
    static unsigned num_blocks() {
        const dim3 c = dim_blocks();
        return c.x * c.y * c.z;
    }
    static unsigned block_rank() {
        const dim3 c = dim_blocks(), at = block_index();
        return at.x + c.x * (at.y + c.y * at.z);
    }
    static dim3 dim_threads() {
        const dim3 c = dim_blocks();
        return {c.x * blockDim.x, c.y * blockDim.y, c.z * blockDim.z};
    }
    static dim3 thread_index() {
        const dim3 at = block_index();
        return {at.x * blockDim.x + threadIdx.x, at.y * blockDim.y + threadIdx.y,
                at.z * blockDim.z + threadIdx.z};
    }
    static unsigned num_threads() { return num_blocks() * cuset_host::block_threads(); }
    static unsigned size() { return num_threads(); }
    static unsigned thread_rank() {
        return block_rank() * cuset_host::block_threads() + cuset_host::linear_thread();
    }

private:
    cluster_group() : thread_group(details::cluster_group_id) {}
    friend cluster_group this_cluster();
};
inline cluster_group this_cluster() { return {}; }

/// The memory that tiles of several warps would need; it is not used here.
template <unsigned Most_threads = 1024>
struct block_tile_memory {
    unsigned char unused;
};

class thread_block : public thread_group {
public:
    static constexpr unsigned _group_id = details::thread_block_id;
    struct arrival_token {};

    static void sync(CUSET_HOST_LINE) { cuset_host::block_barrier(0, "thread_block.sync", line); }
    arrival_token barrier_arrive() const { return {}; }
    void barrier_wait(arrival_token&&, CUSET_HOST_LINE) const {
        cuset_host::block_barrier(0, "thread_block.barrier_wait", line);
    }
    static unsigned num_threads() { return cuset_host::block_threads(); }
    static unsigned size() { return num_threads(); }
    static unsigned thread_rank() { return cuset_host::linear_thread(); }
    static dim3 group_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
    static dim3 thread_index() { return {threadIdx.x, threadIdx.y, threadIdx.z}; }
    static dim3 group_dim() { return blockDim; }
    static dim3 dim_threads() { return blockDim; }

private:
    thread_block() : thread_group(details::thread_block_id) {}
    friend thread_block this_thread_block();
};
inline thread_block this_thread_block() { return {}; }
template <unsigned Most_threads>
inline thread_block this_thread_block(block_tile_memory<Most_threads>&) {
    return this_thread_block();
}

/// The lanes of a warp that were together when the group was made, or a part of such a group or
/// tile.
class coalesced_group : public thread_group {
public:
    static constexpr unsigned _group_id = details::coalesced_group_id;

    unsigned num_threads() const { return size_; }
    unsigned size() const { return size_; }
    unsigned thread_rank() const { return cuset_host::rank_of_lane(mask_, cuset_host::lane_id()); }
    unsigned meta_group_rank() const { return meta_rank_; }
    unsigned meta_group_size() const { return meta_size_; }
    void sync(CUSET_HOST_LINE) const {
        cuset_host::warp_exchange(mask_, 0, "coalesced_group.sync", line);
    }

    template <class T>
    cuset_host::value_type<T> shfl(T&& value, int rank, CUSET_HOST_LINE) const {
        return from_rank(value, size_ == 32 ? rank & 31 : rank, "coalesced_group.shfl", line);
    }
    template <class T>
    cuset_host::value_type<T> shfl_up(T&& value, int delta, CUSET_HOST_LINE) const {
        return from_rank(value, own_rank() - delta, "coalesced_group.shfl_up", line);
    }
    template <class T>
    cuset_host::value_type<T> shfl_down(T&& value, unsigned delta, CUSET_HOST_LINE) const {
        return from_rank(value, delta < 32 ? own_rank() + static_cast<int>(delta) : 32,
                         "coalesced_group.shfl_down", line);
    }
    int any(int predicate, CUSET_HOST_LINE) const {
        return __ballot_sync(mask_, predicate, line) != 0;
    }
    int all(int predicate, CUSET_HOST_LINE) const {
        return __ballot_sync(mask_, predicate, line) == mask_;
    }
    unsigned ballot(int predicate, CUSET_HOST_LINE) const {
        return cuset_host::by_rank(mask_, __ballot_sync(mask_, predicate, line));
    }
    template <class T>
    unsigned match_any(T value, CUSET_HOST_LINE) const {
        static_assert(std::is_arithmetic_v<T>, "match_any takes numbers");
        return cuset_host::by_rank(mask_, __match_any_sync(mask_, value, line));
    }
    template <class T>
    unsigned match_all(T value, int& all, CUSET_HOST_LINE) const {
        static_assert(std::is_arithmetic_v<T>, "match_all takes numbers");
        return cuset_host::by_rank(mask_, __match_all_sync(mask_, value, &all, line));
    }

private:
    explicit coalesced_group(unsigned mask, unsigned meta_rank = 0, unsigned meta_size = 1)
        : thread_group(mask, static_cast<unsigned>(__builtin_popcount(mask)), meta_rank,
                       meta_size) {}
    int own_rank() const { return static_cast<int>(thread_rank()); }
    /// For a rank that no lane has, the lane gets its own value.
    template <class T>
    T from_rank(const T& value, int rank, const char* operation, int line) const {
        unsigned lane =
            rank < 0 ? 32 : cuset_host::lane_of_rank(mask_, static_cast<unsigned>(rank));
        if (lane == 32) lane = cuset_host::lane_id();
        return cuset_host::value_from(mask_, value, lane, operation, line);
    }
    friend struct details::group_access;
};

namespace details {

/// What all tiles of a size share: threads with the same thread_rank / Size.
template <unsigned Size>
class tile_operations {
    static_assert(Size != 0 && Size <= 1024 && (Size & (Size - 1)) == 0,
                  "Size must be one of 1/2/4/8/16/32");

public:
    static constexpr unsigned _group_id = coalesced_group_id;

    static constexpr unsigned num_threads() { return Size; }
    static constexpr unsigned size() { return Size; }
    static unsigned thread_rank() { return cuset_host::linear_thread() % Size; }
    static void sync(CUSET_HOST_LINE) {
        if constexpr (Size > 32)
            cuset_host::tile_barrier(Size, "thread_block_tile.sync", line);
        else if (Size > 1)
            cuset_host::warp_exchange(mask(), 0, "thread_block_tile.sync", line);
    }

    template <class T>
    cuset_host::value_type<T> shfl(T&& value, int rank, CUSET_HOST_LINE) const {
        return shuffled<cuset_host::shuffle::index>(value, rank, "thread_block_tile.shfl", line);
    }
    template <class T>
    cuset_host::value_type<T> shfl_up(T&& value, unsigned delta, CUSET_HOST_LINE) const {
        return shuffled<cuset_host::shuffle::up>(value, static_cast<int>(delta),
                                                 "thread_block_tile.shfl_up", line);
    }
    template <class T>
    cuset_host::value_type<T> shfl_down(T&& value, unsigned delta, CUSET_HOST_LINE) const {
        return shuffled<cuset_host::shuffle::down>(value, static_cast<int>(delta),
                                                   "thread_block_tile.shfl_down", line);
    }
    template <class T>
    cuset_host::value_type<T> shfl_xor(T&& value, unsigned lanes, CUSET_HOST_LINE) const {
        return shuffled<cuset_host::shuffle::exclusive_or>(value, static_cast<int>(lanes),
                                                           "thread_block_tile.shfl_xor", line);
    }
    int any(int predicate, CUSET_HOST_LINE) const {
        if constexpr (Size > 32) return count(predicate, line) != 0;
        return __ballot_sync(mask(), predicate, line) != 0;
    }
    int all(int predicate, CUSET_HOST_LINE) const {
        if constexpr (Size > 32) return count(predicate, line) == Size;
        return __ballot_sync(mask(), predicate, line) == mask();
    }
    unsigned ballot(int predicate, CUSET_HOST_LINE) const {
        static_assert(Size <= 32, "ballot is for tiles of at most 32 threads");
        return __ballot_sync(mask(), predicate, line) >> first_lane();
    }
    template <class T>
    unsigned match_any(T value, CUSET_HOST_LINE) const {
        static_assert(std::is_arithmetic_v<T>, "match_any takes numbers");
        return __match_any_sync(mask(), value, line) >> first_lane();
    }
    template <class T>
    unsigned match_all(T value, int& all, CUSET_HOST_LINE) const {
        static_assert(std::is_arithmetic_v<T>, "match_all takes numbers");
        return __match_all_sync(mask(), value, &all, line) >> first_lane();
    }

private:
    static unsigned first_lane() { return cuset_host::lane_id() & ~(Size - 1); }
    /// The mask that a device has, which includes lanes that a block of another size lacks.
    static unsigned mask() { return Size >= 32 ? ~0U : ((1U << Size % 32) - 1) << first_lane(); }
    static unsigned count(int predicate, int line) {
        const void* const* all = cuset_host::tile_exchange(Size, &predicate, "a vote", line);
        unsigned sum = 0;
        for (unsigned rank = 0; rank < cuset_host::tile_threads(Size); ++rank)
            sum += cuset_host::value_of_thread<int>(all[rank]) != 0;
        cuset_host::tile_barrier(Size, "a vote", line);
        return sum;
    }
    template <cuset_host::shuffle How, class T>
    static T shuffled(const T& value, int argument, const char* operation, int line) {
        if constexpr (Size > 32) {
            const auto own = static_cast<int>(thread_rank());
            int rank = argument;
            if (How == cuset_host::shuffle::index) rank = argument & (Size - 1);
            if (How == cuset_host::shuffle::up) rank = own - argument;
            if (How == cuset_host::shuffle::down) rank = own + argument;
            if (How == cuset_host::shuffle::exclusive_or) rank = own ^ argument;
            if (rank < 0 || rank >= static_cast<int>(cuset_host::tile_threads(Size))) rank = own;
            const T got = cuset_host::value_of_thread<T>(
                cuset_host::tile_exchange(Size, &value, operation, line)[rank]);
            cuset_host::tile_barrier(Size, operation, line);
            return got;
        }
        const unsigned source = cuset_host::shuffle_source<How>(
            static_cast<int>(cuset_host::lane_id()), argument, static_cast<int>(Size));
        return cuset_host::value_from(mask(), value, source, operation, line);
    }
    friend struct group_access;
};

}  // namespace details

/// A tile with a known parent type computes its rank from that; any other tile stores it.
template <unsigned Size, class Parent = void>
class thread_block_tile;

template <unsigned Size>
class thread_block_tile<Size, void> : public details::tile_operations<Size>, public thread_group {
    using operations = details::tile_operations<Size>;

public:
    using operations::_group_id;
    using operations::num_threads;
    using operations::size;
    using operations::sync;
    using operations::thread_rank;
    unsigned meta_group_rank() const { return meta_rank_; }
    unsigned meta_group_size() const { return meta_size_; }

private:
    thread_block_tile(unsigned mask, unsigned meta_rank, unsigned meta_size)
        : thread_group(mask, Size, meta_rank, meta_size) {}
    friend struct details::group_access;
};

template <unsigned Size, class Parent>
class thread_block_tile : public details::tile_operations<Size> {
public:
    static unsigned meta_group_rank() { return Parent::thread_rank() / Size; }
    static unsigned meta_group_size() { return (Parent::size() + Size - 1) / Size; }
    inline operator thread_block_tile<Size, void>() const;

private:
    thread_block_tile() = default;
    friend struct details::group_access;
};

namespace details {

struct group_access {
    static unsigned mask(const thread_group& group) { return group.mask_; }
    template <unsigned Size, class Parent>
    static unsigned mask(const thread_block_tile<Size, Parent>&) {
        return tile_operations<Size>::mask();
    }
    static coalesced_group lanes(unsigned mask, unsigned meta_rank = 0, unsigned meta_size = 1) {
        return coalesced_group(mask, meta_rank, meta_size);
    }
    template <unsigned Size, class Parent>
    static thread_block_tile<Size, Parent> tile() {
        return {};
    }
    template <unsigned Size>
    static thread_block_tile<Size> tile(unsigned meta_rank, unsigned meta_size) {
        return {tile_operations<Size>::mask(), meta_rank, meta_size};
    }
    static coalesced_group as_coalesced(const thread_group& g) {
        return coalesced_group(g.mask_, g.meta_rank_, g.meta_size_);
    }
};

template <class Parent>
struct is_tiled_parent : std::false_type {
    static constexpr unsigned size = 0;
};
template <>
struct is_tiled_parent<thread_block> : std::true_type {
    static constexpr unsigned size = 2048;
};
template <unsigned Size, class Parent>
struct is_tiled_parent<thread_block_tile<Size, Parent>> : std::true_type {
    static constexpr unsigned size = Size;
};

}  // namespace details

template <unsigned Size, class Parent>
inline thread_block_tile<Size, Parent>::operator thread_block_tile<Size, void>() const {
    return details::group_access::tile<Size>(meta_group_rank(), meta_group_size());
}

// --- Of any group --------------------------------------------------------------------------------

template <class Group>
inline void sync(const Group& group, CUSET_HOST_LINE) {
    group.sync(line);
}
template <class Group>
inline auto thread_rank(const Group& group) -> decltype(group.thread_rank()) {
    return group.thread_rank();
}
template <class Group>
inline auto group_size(const Group& group) -> decltype(group.num_threads()) {
    return group.num_threads();
}

inline unsigned long long thread_group::size() const {
    if (type_ == details::thread_block_id) return thread_block::size();
    if (type_ == details::cluster_group_id) return cluster_group::size();
    return type_ == details::grid_group_id ? grid_group::size() : size_;
}
inline unsigned long long thread_group::thread_rank() const {
    if (type_ == details::thread_block_id) return thread_block::thread_rank();
    if (type_ == details::cluster_group_id) return cluster_group::thread_rank();
    if (type_ == details::grid_group_id) return grid_group::thread_rank();
    return cuset_host::rank_of_lane(mask_, cuset_host::lane_id());
}
inline void thread_group::sync(int line) const {
    if (type_ == details::thread_block_id) {
        thread_block::sync(line);
    } else if (type_ == details::grid_group_id) {
        cuset_host::grid_barrier(line);
    } else if (type_ == details::cluster_group_id) {
        cuset_host::cluster_barrier(line);
    } else {
        cuset_host::warp_exchange(mask_, 0, "thread_group.sync", line);
    }
}

inline coalesced_group coalesced_threads(CUSET_HOST_LINE) {
    return details::group_access::lanes(cuset_host::converged_lanes(line));
}
inline thread_block_tile<1, void> this_thread() { return details::group_access::tile<1>(0, 1); }

}  // namespace cooperative_groups

#include "cuset_host/threads/group_partitions.h"
