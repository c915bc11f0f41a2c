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

#include "cuset_host/threads/execution.h"
#include "cuset_host/threads/thread_rows.h"

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
    unsigned* states;  ///< of each thread; not set
    unsigned* order;   ///< the threads, in the order in which they run; not set if `ascends`
    bool ascends;      ///< in every region
};
split_block begin_split();
/// `bytes` for each thread of the block, aligned for everything.
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

template <class Frame, class Body>
__attribute__((noinline)) unsigned run_thread(const Body& body, unsigned state, const uint3& at,
                                              Frame& frame) {
    enter_thread(at);
    return body(state, at, frame);
}

/// The row that runs now from one barrier to the next, as run_thread would (thread_rows.h).
template <class Frame, class Body>
struct split_row {
    const Body* body;
    unsigned state;
    Frame* frames;  ///< as they were when the row began
    static void scan(const void* given) {
        const auto& row = *static_cast<const split_row*>(given);
        for (unsigned x = 0; x < blockDim.x; ++x)
            run_thread<Frame>(*row.body, row.state, {x, threadIdx.y, threadIdx.z}, row.frames[x]);
    }
};

/// For the few bytes of a row, what g++ makes of memcpy takes longer to begin than to copy. It may
/// write up to 31 bytes more.
inline void copy_row(void* to, const void* from, std::size_t bytes) {
    using chunk = long long __attribute__((vector_size(32), aligned(1), may_alias));
    for (std::size_t i = 0; i < bytes; i += sizeof(chunk)) {
        asm("" : "+r"(i));  // no memcpy
        *reinterpret_cast<chunk*>(static_cast<char*>(to) + i) =
            *reinterpret_cast<const chunk*>(static_cast<const char*>(from) + i);
    }
}

/// Frames are copied row by row, so that a row can run again; large ones cost more than they save.
template <class Frame>
constexpr bool can_copy = sizeof(Frame) <= 128;

/// A region of all threads in ascending order, from the same barrier. The barrier at which all of
/// them wait then, 0 where all have ended, and `scattered` else. Threads of a row may run in step.
constexpr unsigned scattered = ~0U;
template <unsigned State, bool InStep, class Frame, class Body>
__attribute__((always_inline)) inline unsigned run_region(const Body& body, Frame* frame,
                                                          unsigned* next, Frame* copies) {
    const unsigned wide = blockDim.x, high = blockDim.y, deep = blockDim.z;
    if (wide > 1024) __builtin_unreachable();
    unsigned least = ~0U, most = 0;
    const split_row<Frame, Body> row{&body, State, copies};
    auto& scan = const_cast<volatile row_scan&>(running_row);
    const Body every = body;  // where no store can reach it
    const auto run_in_turn = [&](unsigned x, unsigned y, unsigned z)
        __attribute__((always_inline)) {
        const unsigned state = every(State, uint3{x, y, z}, frame[x]);
        next[x] = state;
        least = state < least ? state : least;
        most = state > most ? state : most;
    };
    if constexpr (InStep) {
        scan.body = &row;
        scan.run = &split_row<Frame, Body>::scan;
    }
    for (unsigned z = 0; z < deep; ++z) {
        for (unsigned y = 0; y < high; ++y) {
            enter_thread({0, y, z});
            if constexpr (InStep) {
                if constexpr (State != 0) copy_row(copies, frame, wide * sizeof(Frame));
#pragma GCC ivdep
                for (unsigned x = 0; x < wide; ++x) run_in_turn(x, y, z);
            } else {
                for (unsigned x = 0; x < wide; ++x) {
                    *const_cast<volatile unsigned*>(&threadIdx.x) = x;
                    run_in_turn(x, y, z);
                }
            }
            frame += wide;
            next += wide;
        }
    }
    if constexpr (InStep) scan.run = nullptr;
    return least == most ? least : scattered;
}

/// The kernel is compiled once for each barrier if there are few: each copy lacks the code that
/// cannot follow its barrier.
template <bool InStep, class Frame, class Body, unsigned... State>
__attribute__((always_inline)) inline unsigned run_together(
    const Body& body, Frame* frames, unsigned* states, Frame* copies,
    std::integer_sequence<unsigned, State...>) {
    unsigned state = 0;
    do {
        const unsigned from = state;
        ((from == State
              ? static_cast<void>(state = run_region<State, InStep>(body, frames, states, copies))
              : static_cast<void>(0)),
         ...);
    } while (state != 0 && state != scattered);
    return state;
}

/// `ReadsPlace`: a function that the kernel calls reads ::threadIdx, so that each thread sets it.
template <class Frame, unsigned Barriers, bool ReadsPlace, class Body>
__attribute__((always_inline)) inline void run_split(const Body& body) {
    static_assert(std::is_trivially_copyable_v<Frame> && std::is_trivially_destructible_v<Frame>);
    constexpr unsigned few = 4;
    constexpr bool in_rows = Barriers <= few;
    constexpr bool in_step = in_rows && can_copy<Frame> && !ReadsPlace;
    const split_block block = begin_split();
    unsigned count = block_threads();
    auto* const frames = static_cast<Frame*>(split_frames(sizeof(Frame) * (in_step ? 2 : 1)));
    unsigned state = scattered;
    if constexpr (in_rows) {
        if (block.ascends) {
            state = run_together<in_step>(body, frames, block.states, frames + count,
                                          std::make_integer_sequence<unsigned, Barriers + 1>());
            unsigned waiting = 0;
            if (state != 0)
                for (unsigned i = 0; i < count; ++i)
                    if (block.states[i] != 0) block.order[waiting++] = i;
            count = waiting;
        }
    }
    if (!in_rows || !block.ascends) {
        for (unsigned i = 0; i < count; ++i) {
            block.states[i] = 0;
            if (block.ascends) block.order[i] = i;
        }
    }
    const unsigned wide = blockDim.x, high = blockDim.y;
    while (count != 0) {
        unsigned waiting = 0;
        for (unsigned i = 0; i < count; ++i) {
            const unsigned thread = block.order[i];
            const unsigned reached = run_thread<Frame>(
                body, block.states[thread],
                {thread % wide, thread / wide % high, thread / wide / high}, frames[thread]);
            block.states[thread] = reached;
            block.order[waiting] = thread;
            waiting += reached != 0 ? 1 : 0;
        }
        count = waiting;
        if (!block.ascends && count != 0) order_split(block.order, count);
    }
    end_split();
}

}  // namespace cuset_host
