// The instructions of inline PTX, as the translator writes them (translate/inline_ptx.h). Every
// register is a word of 64 bits; an instruction reads its low bits as its type. Here are those that
// use memory, warps and blocks.
#pragma once

#include <cuset_host/ptx/arithmetic.h>
#include <cuset_host/ptx/lanes.h>
#include <cuset_host/ptx/selections.h>
#include <cuset_host/ptx/words.h>
#include <cuset_host/tensor_maps.h>
#include <cuset_host/threads/asynchronous_copies.h>
#include <cuset_host/threads/atomics.h>
#include <cuset_host/threads/execution.h>
#include <cuset_host/threads/memory_access.h>
#include <cuset_host/threads/thread_barrier.h>
#include <cuset_host/threads/warp.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

inline std::size_t __cvta_generic_to_global(const void* p) {
    return reinterpret_cast<std::size_t>(p);
}
inline void* __cvta_global_to_generic(std::size_t p) { return reinterpret_cast<void*>(p); }

inline unsigned __isGlobal(const void* p) {
    return cuset_host::space_of(p) == cuset_host::address_space::global;
}
inline unsigned __isShared(const void* p) {
    return cuset_host::space_of(p) == cuset_host::address_space::shared;
}
inline unsigned __isLocal(const void* p) {
    return cuset_host::space_of(p) == cuset_host::address_space::local;
}

namespace cuset_host::ptx {

// --- Memory --------------------------------------------------------------------------------------

inline unsigned char* in_memory(word address, word offset) {
    return reinterpret_cast<unsigned char*>(address + offset);
}
/// Addresses in a block's shared memory count from its beginning. Those of the cluster's other
/// blocks have the block's rank, plus one, above these bits.
inline constexpr int window_bits = 24;
inline unsigned char* in_shared(word address, word offset) {
    const word at = low(address + offset, 32), block = at >> window_bits;
    if (__builtin_expect(block == 0, 1)) return shared_base + at;
    return static_cast<unsigned char*>(
        map_shared(shared_base + low(at, window_bits), static_cast<unsigned>(block - 1), 0));
}
/// The address, of any kind or in the window, of the same place in another block.
template <class T>
inline word mapa(word address, word block) {
    return reinterpret_cast<word>(
        map_shared(reinterpret_cast<void*>(address), static_cast<unsigned>(low(block, 32)), 0));
}
template <class T>
inline word mapa_shared(word address, word block) {
    return low(address, window_bits) | (low(block, 32) + 1) << window_bits;
}
template <class T>
inline word isspacep_global(word address) {
    return __isGlobal(reinterpret_cast<void*>(address));
}
template <class T>
inline word isspacep_shared(word address) {
    return __isShared(reinterpret_cast<void*>(address));
}
template <class T>
inline word isspacep_local(word address) {
    return __isLocal(reinterpret_cast<void*>(address));
}
inline word to_window(word generic) {
    const word own = generic - reinterpret_cast<word>(shared_base);
    if (__builtin_expect(own >> window_bits == 0, 1)) return own;
    const void* const p = reinterpret_cast<const void*>(generic);
    if (space_of(p) != address_space::shared) return own;
    const unsigned rank = block_of_shared(p);
    const auto* const there = static_cast<const unsigned char*>(map_shared(shared_base, rank, 0));
    return (word{rank} + 1) << window_bits | (generic - reinterpret_cast<word>(there));
}
inline word from_window(word shared) { return reinterpret_cast<word>(in_shared(shared, 0)); }
template <class T>
inline word load(const unsigned char* at, int element) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    T value;
    __builtin_memcpy(&value, at + sizeof(T) * static_cast<unsigned>(element), sizeof value);
    return extended(value);
}
template <class T>
inline void store(unsigned char* at, int element, word value) {
    const T stored = value_of<T>(value);
    __builtin_memcpy(at + sizeof(T) * static_cast<unsigned>(element), &stored, sizeof stored);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
/// ld.acquire, st.volatile and the like: no race with others of their kind.
template <class T, int Order>
inline word load_strongly(const unsigned char* at, int element) {
    if constexpr (sizeof(T) > 8) return load<T>(at, element);
    T value;
    __atomic_load(reinterpret_cast<const T*>(at) + element, &value, Order);
    return extended(value);
}
template <class T, int Order>
inline void store_strongly(unsigned char* at, int element, word value) {
    if constexpr (sizeof(T) > 8) return store<T>(at, element, value);
    T stored = value_of<T>(value);
    __atomic_store(reinterpret_cast<T*>(at) + element, &stored, Order);
}
inline void copy(unsigned char* to, const unsigned char* from, word bytes, word given,
                 int line = __builtin_LINE()) {
    const word taken = given < bytes ? given : bytes;
    require_alignment(to, bytes, line);
    if (taken != 0) require_alignment(from, bytes, line);
    copy_piece(to, from, taken, bytes);
}
using cuset_host::commit_copies;
using cuset_host::wait_for_all_copies;
using cuset_host::wait_for_copies;

#define CUSET_HOST_PTX_ATOMIC(name, expression)                                                \
    template <class T>                                                                         \
    inline word atom_##name(unsigned char* at, word value, int line = __builtin_LINE()) {      \
        return bits(atomic_replace(reinterpret_cast<T*>(at), value_of<T>(value), line,         \
                                   [](T a, T b) -> T { return static_cast<T>(expression); })); \
    }
CUSET_HOST_PTX_ATOMIC(add, whole<T>(a) + whole<T>(b))
CUSET_HOST_PTX_ATOMIC(min, b < a ? b : a)
CUSET_HOST_PTX_ATOMIC(max, a < b ? b : a)
CUSET_HOST_PTX_ATOMIC(and, a& b)
CUSET_HOST_PTX_ATOMIC(or, a | b)
CUSET_HOST_PTX_ATOMIC(xor, a ^ b)
CUSET_HOST_PTX_ATOMIC(exch, b)
CUSET_HOST_PTX_ATOMIC(inc, a >= b ? 0 : a + 1)
CUSET_HOST_PTX_ATOMIC(dec, a == 0 || a > b ? b : a - 1)
#undef CUSET_HOST_PTX_ATOMIC
template <class T>
inline word atom_cas(unsigned char* at, word expected, word value, int line = __builtin_LINE()) {
    return bits(atomic_compare_and_swap(reinterpret_cast<T*>(at), value_of<T>(expected),
                                        value_of<T>(value), line));
}

// --- Warps and blocks ----------------------------------------------------------------------------

/// `clamp` holds the segment's mask in bits 8 to 12 and the last lane in bits 0 to 4.
template <class Source>
inline word shuffled(word a, word c, word mask, bool& is_in, Source source, const char* name,
                     int line) {
    const unsigned lane = lane_id(), clamp = c & 31, segment = c >> 8 & 31;
    const unsigned first = lane & segment, last = first | (clamp & ~segment);
    const warp_values values = warp_exchange(value_of<std::uint32_t>(mask), low(a, 32), name, line);
    const unsigned from = source(lane, first, last, segment, is_in);
    const unsigned read = is_in ? from : lane;
    return values[read & 31];
}
inline word shfl_idx(word a, word b, word c, word mask, bool& is_in, int line = __builtin_LINE()) {
    return shuffled(
        a, c, mask, is_in,
        [&](unsigned, unsigned first, unsigned last, unsigned segment, bool& in) {
            const unsigned from = first | (static_cast<unsigned>(b & 31) & ~segment);
            in = from <= last;
            return from;
        },
        "shfl.sync", line);
}
inline word shfl_up(word a, word b, word c, word mask, bool& is_in, int line = __builtin_LINE()) {
    return shuffled(
        a, c, mask, is_in,
        // Of up, the limit is the first lane.
        [&](unsigned lane, unsigned, unsigned last, unsigned, bool& in) {
            const int from = static_cast<int>(lane) - static_cast<int>(b & 31);
            in = from >= static_cast<int>(last);
            return static_cast<unsigned>(from);
        },
        "shfl.sync", line);
}
inline word shfl_down(word a, word b, word c, word mask, bool& is_in, int line = __builtin_LINE()) {
    return shuffled(
        a, c, mask, is_in,
        [&](unsigned lane, unsigned, unsigned last, unsigned, bool& in) {
            const unsigned from = lane + static_cast<unsigned>(b & 31);
            in = from <= last;
            return from;
        },
        "shfl.sync", line);
}
inline word shfl_bfly(word a, word b, word c, word mask, bool& is_in, int line = __builtin_LINE()) {
    return shuffled(
        a, c, mask, is_in,
        [&](unsigned lane, unsigned, unsigned last, unsigned, bool& in) {
            const unsigned from = lane ^ static_cast<unsigned>(b & 31);
            in = from <= last;
            return from;
        },
        "shfl.sync", line);
}
template <class T>
inline word vote_all(word p, word mask, int line = __builtin_LINE()) {
    return static_cast<word>(::__all_sync(value_of<std::uint32_t>(mask), p != 0, line) != 0);
}
template <class T>
inline word vote_any(word p, word mask, int line = __builtin_LINE()) {
    return static_cast<word>(::__any_sync(value_of<std::uint32_t>(mask), p != 0, line) != 0);
}
template <class T>
inline word vote_ballot(word p, word mask, int line = __builtin_LINE()) {
    return ::__ballot_sync(value_of<std::uint32_t>(mask), p != 0, line);
}
template <class T>
inline word match_any(word a, word mask, int line = __builtin_LINE()) {
    return ::__match_any_sync(value_of<std::uint32_t>(mask), value_of<std::make_unsigned_t<T>>(a),
                              line);
}
template <class T>
inline word activemask(int line = __builtin_LINE()) {
    return converged_lanes(line);
}
#define CUSET_HOST_PTX_REDUX(name)                                                          \
    template <class T>                                                                      \
    inline word redux_##name(word a, word mask, int line = __builtin_LINE()) {              \
        return bits(                                                                        \
            ::__reduce_##name##_sync(value_of<std::uint32_t>(mask), value_of<T>(a), line)); \
    }
CUSET_HOST_PTX_REDUX(add)
CUSET_HOST_PTX_REDUX(min)
CUSET_HOST_PTX_REDUX(max)
CUSET_HOST_PTX_REDUX(and)
CUSET_HOST_PTX_REDUX(or)
CUSET_HOST_PTX_REDUX(xor)
#undef CUSET_HOST_PTX_REDUX
inline void warp_barrier(word mask, int line = __builtin_LINE()) {
    warp_exchange(value_of<std::uint32_t>(mask), 0, "bar.warp.sync", line);
}
inline void barrier(word, int line = __builtin_LINE()) { block_barrier(0, "bar.sync", line); }
template <class T>
inline word barrier_popc(word, word p, int line = __builtin_LINE()) {
    return static_cast<word>(block_barrier(p != 0, "bar.red", line).nonzero);
}
template <class T>
inline word barrier_and(word, word p, int line = __builtin_LINE()) {
    const barrier_sums sums = block_barrier(p != 0, "bar.red", line);
    return sums.nonzero == sums.threads;
}
template <class T>
inline word barrier_or(word, word p, int line = __builtin_LINE()) {
    return block_barrier(p != 0, "bar.red", line).nonzero != 0;
}
/// The first of the mask's lanes, and whether it is this one.
inline word elected(word mask, bool& is_elected, int line = __builtin_LINE()) {
    warp_exchange(value_of<std::uint32_t>(mask), 0, "elect.sync", line);
    const auto first = static_cast<unsigned>(__builtin_ctz(value_of<std::uint32_t>(mask)));
    is_elected = lane_id() == first;
    return first;
}
/// For so many threads of the block: those that wait and those that only arrive. Number 0 for all
/// of them is __syncthreads().
inline void barrier(word number, word threads, int line = __builtin_LINE()) {
    if (number == 0 && threads == block_threads()) return barrier(number, line);
    named_barrier(static_cast<unsigned>(number), static_cast<unsigned>(threads), true);
}
inline void arrive(word number, word threads) {
    named_barrier(static_cast<unsigned>(number), static_cast<unsigned>(threads), false);
}

/// An mbarrier in its 64 bits. A copy is counted when somebody waits, or at once: it may come
/// behind the arrival that expects it, or before.
struct mbarrier {
    std::uint64_t expected : 16, arrived : 16, phase : 12;
    std::int64_t bytes : 20;  // still to come
};
static_assert(sizeof(mbarrier) == sizeof(word));
CUSET_HOST_UNSEEN inline mbarrier mbarrier_at(const unsigned char* at) {
    return __builtin_bit_cast(mbarrier, *reinterpret_cast<const word*>(at));
}
CUSET_HOST_UNSEEN inline void set_mbarrier(unsigned char* at, const mbarrier& to) {
    *reinterpret_cast<word*>(at) = __builtin_bit_cast(word, to);
}
/// Returns the phase before the change.
template <class Change>
inline word change_mbarrier(unsigned char* at, const Change& change) {
    arrives_at(at);
    mbarrier b = mbarrier_at(at);
    const word phase = b.phase;
    change(b);
    if (b.arrived >= b.expected && b.bytes == 0) {
        b.arrived -= b.expected;
        ++b.phase;
        threads_met(at, false);
    }
    set_mbarrier(at, b);
    return phase;
}
inline void mbarrier_init(unsigned char* at, word count) {
    forget_copies(at);
    set_mbarrier(at, {count & 0xffff, 0, 0, 0});
}
inline void mbarrier_inval(unsigned char*) {}
inline void mbarrier_expect_tx(unsigned char* at, word bytes) {
    change_mbarrier(at, [&](mbarrier& b) { b.bytes += static_cast<std::int64_t>(bytes); });
}
inline void mbarrier_complete_tx(unsigned char* at, word bytes) {
    change_mbarrier(at, [&](mbarrier& b) { b.bytes -= static_cast<std::int64_t>(bytes); });
}
inline word mbarrier_arrive(unsigned char* at, word count = 1) {
    return change_mbarrier(at, [&](mbarrier& b) { b.arrived += count; });
}
/// The thread's copies are taken to be in place by now; `copies_counted`: they were one arrival
/// more.
inline void copies_counted(unsigned char*) { wait_for_all_copies(); }
inline word copies_arrive(unsigned char* at) {
    wait_for_all_copies();
    return mbarrier_arrive(at);
}
inline word mbarrier_arrive_expect_tx(unsigned char* at, word bytes) {
    return change_mbarrier(at, [&](mbarrier& b) {
        b.bytes += static_cast<std::int64_t>(bytes);
        ++b.arrived;
    });
}
/// Calls copy(), which writes so many bytes that the barrier counts.
template <class Copy>
inline void copy_counted(unsigned char* barrier, void* to, word bytes, const Copy& copy) {
    arrives_at(barrier);
    unsigned char* const before = bytes_before_copy(to, bytes);
    copy();
    if (before == nullptr)
        mbarrier_complete_tx(barrier, bytes);
    else
        defer_copy(barrier, to, bytes, before);
}
/// The phase, when all copies have landed: for whom it has to change.
inline unsigned phase_after_copies(unsigned char* at) {
    if (const std::size_t bytes = land_copies(at)) mbarrier_complete_tx(at, bytes);
    return mbarrier_at(at).phase;
}
/// Who asks too early asks again: others go on meanwhile.
inline word mbarrier_has_passed(unsigned char* at, word phase, word = 0) {
    if (mbarrier_at(at).phase != phase || phase_after_copies(at) != phase) return 1;
    step(0);
    return 0;
}
inline word mbarrier_has_passed_parity(unsigned char* at, word parity, word = 0) {
    parity &= 1;
    if ((mbarrier_at(at).phase & 1U) != parity || (phase_after_copies(at) & 1U) != parity) return 1;
    step(0);
    return 0;
}
/// `barrier`: the mbarrier that counts it, or null.
inline void bulk_copy(unsigned char* to, const unsigned char* from, word bytes,
                      unsigned char* barrier, int line = __builtin_LINE()) {
    require_alignment(to, 16, line);
    require_alignment(from, 16, line);
    if (barrier == nullptr) {
        std::memcpy(to, from, bytes);
        return;
    }
    copy_counted(barrier, to, bytes, [&] { std::memcpy(to, from, bytes); });
}
template <class T>
inline void bulk_reduce(unsigned char* to, const unsigned char* from, word bytes,
                        tensor_reduction how) {
    for (word at = 0; at < bytes; at += sizeof(T)) combine_element<T>(to + at, from + at, how);
}
/// Copies of a tensor's box: cp.async.bulk.tensor and cp.reduce.async.bulk.tensor.
template <int Rank>
inline void load_tensor(unsigned char* to, const unsigned char* map, const int (&at)[Rank],
                        unsigned char* barrier) {
    copy_counted(barrier, to, bytes_of_box(map, Rank), [&] { load_box(map, at, Rank, to); });
}
template <int Rank>
inline void load_tensor(unsigned char* to, const unsigned char* map, const int (&at)[Rank],
                        unsigned char* barrier, word blocks) {
    load_box_everywhere(map, at, Rank, to, barrier, static_cast<unsigned>(low(blocks, 16)),
                        [](void* arrived, word bytes) {
                            mbarrier_complete_tx(static_cast<unsigned char*>(arrived), bytes);
                        });
}
template <int Rank>
inline void store_tensor(const unsigned char* map, const int (&at)[Rank],
                         const unsigned char* from) {
    store_box(map, at, Rank, from);
}
template <int Rank>
inline void reduce_tensor(const unsigned char* map, const int (&at)[Rank],
                          const unsigned char* from, tensor_reduction how) {
    reduce_box(map, at, Rank, from, how);
}
inline void cluster_wait(int line = __builtin_LINE()) { cluster_barrier(line); }
using cuset_host::launch_dependents;
using cuset_host::wait_for_grids;
[[noreturn]] inline void trap() { ::cuset_host::trap(); }

#define CUSET_HOST_PTX_SPECIAL(name, expression) \
    inline word sreg_##name() { return static_cast<word>(expression); }
CUSET_HOST_PTX_SPECIAL(tid_x, threadIdx.x)
CUSET_HOST_PTX_SPECIAL(tid_y, threadIdx.y)
CUSET_HOST_PTX_SPECIAL(tid_z, threadIdx.z)
CUSET_HOST_PTX_SPECIAL(ntid_x, blockDim.x)
CUSET_HOST_PTX_SPECIAL(ntid_y, blockDim.y)
CUSET_HOST_PTX_SPECIAL(ntid_z, blockDim.z)
CUSET_HOST_PTX_SPECIAL(ctaid_x, blockIdx.x)
CUSET_HOST_PTX_SPECIAL(ctaid_y, blockIdx.y)
CUSET_HOST_PTX_SPECIAL(ctaid_z, blockIdx.z)
CUSET_HOST_PTX_SPECIAL(nctaid_x, gridDim.x)
CUSET_HOST_PTX_SPECIAL(nctaid_y, gridDim.y)
CUSET_HOST_PTX_SPECIAL(nctaid_z, gridDim.z)
CUSET_HOST_PTX_SPECIAL(laneid, lane_id())
CUSET_HOST_PTX_SPECIAL(warpid, linear_thread() / 32)
CUSET_HOST_PTX_SPECIAL(nwarpid, (block_threads() + 31) / 32)
CUSET_HOST_PTX_SPECIAL(smid, blockIdx.x % 132)
CUSET_HOST_PTX_SPECIAL(nsmid, 132)
CUSET_HOST_PTX_SPECIAL(clock, low(static_cast<word>(clock64()), 32))
CUSET_HOST_PTX_SPECIAL(clock_hi, static_cast<word>(clock64()) >> 32)
CUSET_HOST_PTX_SPECIAL(clock64, clock64())
CUSET_HOST_PTX_SPECIAL(globaltimer, clock64())
CUSET_HOST_PTX_SPECIAL(globaltimer_lo, low(static_cast<word>(clock64()), 32))
CUSET_HOST_PTX_SPECIAL(globaltimer_hi, static_cast<word>(clock64()) >> 32)
CUSET_HOST_PTX_SPECIAL(dynamic_smem_size, dynamic_shared_bytes())
// In units in which a device of sm_80 or later gives it.
CUSET_HOST_PTX_SPECIAL(total_smem_size,
                       (dynamic_shared_bytes() + static_shared_bytes() + 127) / 128 * 128)
CUSET_HOST_PTX_SPECIAL(lanemask_eq, 1U << lane_id())
CUSET_HOST_PTX_SPECIAL(lanemask_lt, (1U << lane_id()) - 1)
CUSET_HOST_PTX_SPECIAL(lanemask_le, (2ULL << lane_id()) - 1)
CUSET_HOST_PTX_SPECIAL(lanemask_gt, 0xffffffffULL & ~((2ULL << lane_id()) - 1))
CUSET_HOST_PTX_SPECIAL(lanemask_ge, 0xffffffffULL & ~((1ULL << lane_id()) - 1))
CUSET_HOST_PTX_SPECIAL(cluster_ctaid_x, __clusterRelativeBlockIdx().x)
CUSET_HOST_PTX_SPECIAL(cluster_ctaid_y, __clusterRelativeBlockIdx().y)
CUSET_HOST_PTX_SPECIAL(cluster_ctaid_z, __clusterRelativeBlockIdx().z)
CUSET_HOST_PTX_SPECIAL(cluster_nctaid_x, __clusterDim().x)
CUSET_HOST_PTX_SPECIAL(cluster_nctaid_y, __clusterDim().y)
CUSET_HOST_PTX_SPECIAL(cluster_nctaid_z, __clusterDim().z)
CUSET_HOST_PTX_SPECIAL(clusterid_x, __clusterIdx().x)
CUSET_HOST_PTX_SPECIAL(clusterid_y, __clusterIdx().y)
CUSET_HOST_PTX_SPECIAL(clusterid_z, __clusterIdx().z)
CUSET_HOST_PTX_SPECIAL(nclusterid_x, __clusterGridDimInClusters().x)
CUSET_HOST_PTX_SPECIAL(nclusterid_y, __clusterGridDimInClusters().y)
CUSET_HOST_PTX_SPECIAL(nclusterid_z, __clusterGridDimInClusters().z)
CUSET_HOST_PTX_SPECIAL(cluster_ctarank, __clusterRelativeBlockRank())
CUSET_HOST_PTX_SPECIAL(cluster_nctarank, __clusterSizeInBlocks())
#undef CUSET_HOST_PTX_SPECIAL

}  // namespace cuset_host::ptx

inline std::size_t __cvta_generic_to_shared(const void* p) {
    return cuset_host::ptx::to_window(reinterpret_cast<std::uintptr_t>(p));
}
inline void* __cvta_shared_to_generic(std::size_t p) { return cuset_host::ptx::in_shared(p, 0); }
