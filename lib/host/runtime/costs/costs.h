// What a counted program costs: for each launch, the operations that its threads execute and the
// memory that its warps touch.
//
// Two things are seen. Blocks of instructions have counters, one for each lane of a warp, which the
// instrumenting assembler has put into the program (assembler/instrumentation.h). And the compiler
// calls __tsan_* before each access of the program's own code (compiler_calls.cpp). The lanes of a
// warp run one after another: between two places where they meet, the accesses that an instruction
// makes for the n-th time in each lane are taken as one access of the warp.
//
// In a build without counters all of this is nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuset_host/threads/execution.h"

namespace cuset_host::costs {

#ifdef CUSET_HOST_COUNT

inline constexpr bool are_on = true;

/// Watches a region of memory that kernels reach. To be called before the program begins.
void watch_region(std::uintptr_t base, std::size_t bytes);

/// `loop`: of the kernel, which tells the instances of a template apart. `function`: the kernel, or
/// null, which names it.
void begin_launch(const site& at, const configuration& shape, thread_loop loop,
                  const void* function);
void end_launch();
/// This OS thread runs threads of that block from here on, until it leaves it.
void enter_block(const unsigned char* shared, std::size_t shared_bytes);
void leave_block();
/// All threads of the block have met.
void block_met();
/// Those lanes of a warp have met, some of them or all.
void lanes_met();
/// What the running launch does that is not counted: "textures".
void leave_out(const char* what);
/// A kernel of one of CUDA's libraries, which is not counted, stands for itself.
void leave_out_library();
/// Tells the costs of all launches. To be called once, when the program ends.
void tell();

#else

inline constexpr bool are_on = false;

inline void watch_region(std::uintptr_t, std::size_t) {}
inline void begin_launch(const site&, const configuration&, thread_loop, const void*) {}
inline void end_launch() {}
inline void enter_block(const unsigned char*, std::size_t) {}
inline void leave_block() {}
inline void block_met() {}
inline void lanes_met() {}
inline void leave_out(const char*) {}
inline void leave_out_library() {}
inline void tell() {}

#endif

}  // namespace cuset_host::costs
