// Kernels that run all threads of a block in one call, from barrier to barrier. The translator
// makes them (its split_kernels.h shows how). A kernel is a function of the state. It runs the
// thread at one place from the barrier with that number, or from its beginning (0), to the next
// barrier, whose number it returns, or to its end (0).
//
// In every region the order of threads is that of fibers. A barrier waits for the threads that have
// not ended, wherever they wait.
#pragma once

#include <type_traits>
#include <utility>

#include "cuset_host/execution.h"

namespace cuset_host {

/// What a thread's variable is while the thread runs: a copy of a scalar in its frame, else the
/// frame's own.
template <class T>
using held = std::conditional_t<std::is_scalar_v<T>, T, T&>;

/// Called before the thread waits.
template <class T>
inline void keep(T& slot, const T& value) {
    if constexpr (std::is_scalar_v<T>) slot = value;
}

/// A declaration without an initialiser.
template <class T>
inline void renew(T& place) {
    using element = std::remove_all_extents_t<T>;
    if constexpr (!std::is_trivially_default_constructible_v<element>) {
        static_assert(!std::is_array_v<T>);
        place = T();
    }
}

/// A declaration of an array or with braces.
template <class T>
inline void assign(std::remove_cv_t<T>& place, T& value) {
    __builtin_memcpy(&place, &value, sizeof place);
}

/// The current block; every thread is at its beginning. Threads are numbered by linear_thread.
struct split_block {
    unsigned short* states;  ///< all 0
    unsigned* order;         ///< the threads, in the order in which they run
    bool ascends;            ///< in every region
};
split_block begin_split();
/// A thread's frame of `bytes` for each thread of the block, aligned for everything.
__attribute__((malloc)) void* split_frames(std::size_t bytes);
/// The threads that wait at a barrier, which all others have come to.
void order_split(unsigned* waiting, unsigned count);
void end_split();

// Volatile: a fault's message needs the value, which no compiler expects.
inline void enter_thread(const uint3& at) {
    *const_cast<volatile unsigned*>(&threadIdx.x) = at.x;
    *const_cast<volatile unsigned*>(&threadIdx.y) = at.y;
    *const_cast<volatile unsigned*>(&threadIdx.z) = at.z;
}

/// A region of all threads in ascending order, from the same barrier. The barrier at which all of
/// them wait then, 0 where all have ended, and `scattered` else.
constexpr unsigned scattered = ~0U;
template <unsigned State, class Frame, class Body>
__attribute__((always_inline)) inline unsigned run_region(const Body& body, Frame* frame,
                                                          unsigned short* next) {
    const unsigned wide = blockDim.x, high = blockDim.y, deep = blockDim.z;
    unsigned least = ~0U, most = 0;
    for (unsigned z = 0; z < deep; ++z) {
        for (unsigned y = 0; y < high; ++y) {
            enter_thread({0, y, z});
            for (unsigned x = 0; x < wide; ++x) {
                *const_cast<volatile unsigned*>(&threadIdx.x) = x;
                const unsigned state = body(State, uint3{x, y, z}, *frame++);
                *next++ = static_cast<unsigned short>(state);
                least = state < least ? state : least;
                most = state > most ? state : most;
            }
        }
    }
    return least == most ? least : scattered;
}

/// The kernel is compiled once for each barrier if there are few: each copy lacks the code that
/// cannot follow its barrier.
template <class Frame, class Body, unsigned... State>
__attribute__((always_inline)) inline unsigned run_together(
    const Body& body, Frame* frames, unsigned short* states,
    std::integer_sequence<unsigned, State...>) {
    unsigned state = 0;
    do {
        const unsigned from = state;
        ((from == State ? static_cast<void>(state = run_region<State>(body, frames, states))
                        : static_cast<void>(0)),
         ...);
    } while (state != 0 && state != scattered);
    return state;
}

template <class Frame, unsigned Barriers, class Body>
__attribute__((always_inline)) inline void run_split(const Body& body) {
    static_assert(std::is_trivially_copyable_v<Frame> && std::is_trivially_destructible_v<Frame>);
    constexpr unsigned few = 4;
    const split_block block = begin_split();
    unsigned count = block_threads();
    auto* const frames = static_cast<Frame*>(split_frames(sizeof(Frame)));
    bool all_ended = false;
    if constexpr (Barriers <= few) {
        if (block.ascends) {
            all_ended = run_together(body, frames, block.states,
                                     std::make_integer_sequence<unsigned, Barriers + 1>()) == 0;
            if (!all_ended) {
                unsigned waiting = 0;
                for (unsigned i = 0; i < count; ++i)
                    if (block.states[i] != 0) block.order[waiting++] = i;
                count = waiting;
            }
        }
    }
    if (!all_ended) {
        const unsigned wide = blockDim.x, high = blockDim.y;
        do {
            unsigned waiting = 0;
            for (unsigned i = 0; i < count; ++i) {
                const unsigned thread = block.order[i];
                const uint3 at{thread % wide, thread / wide % high, thread / wide / high};
                enter_thread(at);
                const unsigned state = body(block.states[thread], at, frames[thread]);
                block.states[thread] = static_cast<unsigned short>(state);
                block.order[waiting] = thread;
                waiting += state != 0 ? 1 : 0;
            }
            count = waiting;
            if (!block.ascends && count != 0) order_split(block.order, count);
        } while (count != 0);
    }
    end_split();
}

}  // namespace cuset_host
