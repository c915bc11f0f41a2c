// The values that lanes exchange in collective operations of cooperative groups: values of any
// size, and sets of lanes by their ranks.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "cuset_host/threads/warp.h"

namespace cuset_host {

/// Whether the running grid was launched as cooperative.
bool is_cooperative();
/// For tiles of several warps: waits for the tile's threads; and gives each thread's pointer to all
/// of them, by rank, until the tile meets again.
void tile_barrier(unsigned threads, const char* operation, int line);
const void* const* tile_exchange(unsigned threads, const void* mine, const char* operation,
                                 int line);
/// What such a pointer leads to, which is another thread's local memory.
template <class T>
CUSET_HOST_UNSEEN T value_of_thread(const void* given) {
    return *static_cast<const T*>(given);
}
/// How many threads of such a tile the block has.
unsigned tile_threads(unsigned threads);
/// Ends the program: no tile has this size.
[[noreturn]] void trap_at_tile_size(unsigned threads, int line);

template <class T>
using value_type = std::remove_cv_t<std::remove_reference_t<T>>;

/// The lane of `lanes` with `rank` others below it; 32 if there is none.
inline unsigned lane_of_rank(unsigned lanes, unsigned rank) {
    for (; lanes != 0; lanes &= lanes - 1, --rank)
        if (rank == 0) return static_cast<unsigned>(__builtin_ctz(lanes));
    return 32;
}
inline unsigned rank_of_lane(unsigned lanes, unsigned lane) {
    return static_cast<unsigned>(__builtin_popcount(lanes & ((1U << lane) - 1)));
}
/// Bit r is the bit of the lane with rank r in `group`.
inline unsigned by_rank(unsigned group, unsigned lanes) {
    if (group == ~0U) return lanes;
    unsigned packed = 0, bit = 1;
    for (; group != 0; group &= group - 1, bit <<= 1)
        if ((lanes & group & (~group + 1)) != 0) packed |= bit;
    return packed;
}

/// The values that the lanes of a mask gave. A lane that takes no part counts as all zero bits.
template <class T>
class lane_values {
public:
    static_assert(std::is_trivially_copyable_v<T>,
                  "Type is not compatible with cooperative groups collectives");
    static_assert(sizeof(T) <= 32,
                  "Cooperative groups collectives are limited to types smaller than 32B");
    lane_values(unsigned mask, const T& value, const char* operation, int line) {
        std::uint64_t own[words] = {};
        std::memcpy(own, static_cast<const void*>(&value), sizeof value);
        for (unsigned w = 0; w < words; ++w) {
            const warp_values given = warp_exchange(mask, own[w], operation, line);
            present_ = given.present();
            for (unsigned lane = 0; lane < 32; ++lane)
                value_[lane][w] = (present_ >> lane & 1) != 0 ? given[lane] : 0;
        }
    }
    T operator[](unsigned lane) const {
        struct {
            unsigned char bytes[sizeof(T)];
        } image;
        std::memcpy(image.bytes, value_[lane], sizeof image);
        return __builtin_bit_cast(T, image);
    }
    unsigned present() const { return present_; }

private:
    static constexpr unsigned words = (sizeof(T) + 7) / 8;
    std::uint64_t value_[32][words];
    unsigned present_ = 0;
};

/// The value that the lane `source` gave.
template <class T>
inline T value_from(unsigned mask, const T& value, unsigned source, const char* operation,
                    int line) {
    if constexpr (sizeof(T) <= 8 && std::is_trivially_default_constructible_v<T>) {
        static_assert(std::is_trivially_copyable_v<T>,
                      "Type is not compatible with cooperative groups collectives");
        const warp_values given = warp_exchange(mask, to_word(value), operation, line);
        return value_of<T>(given, source);
    } else {
        return lane_values<T>(mask, value, operation, line)[source];
    }
}

// A device combines values in a certain order, which floating point shows; this does the same.

/// The value of a lane after steps with lane ^ Size / 2, ..., lane ^ Step.
template <unsigned Size, unsigned Step, class T, class F>
inline T butterfly(const lane_values<T>& values, unsigned lane, F& combine) {
    if constexpr (Step >= Size) {
        return values[lane];
    } else {
        return combine(butterfly<Size, Step * 2>(values, lane, combine),
                       butterfly<Size, Step * 2>(values, lane ^ Step, combine));
    }
}

/// Values by their ranks among some lanes.
template <class T>
struct ranked_values {
    const lane_values<T>& values;
    unsigned char lane[32] = {};
    ranked_values(const lane_values<T>& source, unsigned lanes) : values(source) {
        for (unsigned rank = 0; lanes != 0; lanes &= lanes - 1)
            lane[rank++ % 32] = static_cast<unsigned char>(__builtin_ctz(lanes));
    }
};

/// The value of the lane of a rank after steps with rank - 1, rank - 2, ..., rank - Span / 2.
template <unsigned Span, class T, class F>
inline T scanned(const ranked_values<T>& ranked, unsigned rank, F& combine) {
    if constexpr (Span == 1) {
        return ranked.values[ranked.lane[rank % 32]];
    } else {
        constexpr unsigned step = Span / 2;
        if (rank < step) return scanned<step>(ranked, rank, combine);
        return combine(scanned<step>(ranked, rank, combine),
                       scanned<step>(ranked, rank - step, combine));
    }
}

/// An operator with a type of its own, such as plus<int>, works on that type only.
template <class F, class T>
struct works_on : std::true_type {};
template <template <class> class Operator, class Argument, class T>
struct works_on<Operator<Argument>, T> : std::is_same<value_type<Argument>, T> {};

}  // namespace cuset_host
