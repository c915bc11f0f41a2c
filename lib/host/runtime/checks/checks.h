// What --check looks at: who may touch which byte, whether it holds a value, and who touched it
// last. In the build without checks all of this is nothing.
//
// The compiler calls __asan_loadN and __asan_storeN before each access of the program's own code
// (checks.cpp defines them). What the runtime and the C++ library do is not seen; the runtime tells
// what it writes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "libraries/library_access.h"

#ifdef CUSET_HOST_CHECK
#include "shared_hazards.h"
#endif

namespace cuset_host::checks {

#ifdef CUSET_HOST_CHECK

inline constexpr bool are_on = true;

/// Watches a region of device memory; `state` has a byte for each of its bytes.
void watch_region(std::uintptr_t base, std::size_t bytes);
/// An allocation begins: no byte of it has a value, but where the host writes too all do.
void allocated(std::uintptr_t begin, std::size_t bytes, bool has_values);
void freed(std::uintptr_t begin, std::size_t bytes);
/// The runtime has written [begin, begin + bytes), or copied it from `from`.
void written(const void* begin, std::size_t bytes);
void copied(const void* to, const void* from, std::size_t bytes);
/// What library_access.h says, for memory that is not the host's.
void library_touches(const char* call, touch how, const void* p, std::size_t bytes);

/// Between these a library works on the host, in this thread. It reaches device memory, and what it
/// writes there is not seen: at its end all memory that is allocated counts as set.
void begin_library();
void end_library();
/// From here on all host code reaches device memory, and all memory counts as set.
void open_to_all();

/// A block begins: its shared memory has no values. `dynamic_bytes` lie at `dynamic`, the variables
/// as shared_layout.h says from `base` on.
void begin_block(shared_watch& watch, unsigned char* base, unsigned char* dynamic,
                 std::size_t dynamic_bytes);
/// Other blocks of a cluster may write to the block's shared memory: what it holds is taken for
/// set.
void others_write(shared_watch& watch);
/// This OS thread runs the block's threads from here on, until it leaves the block.
void enter_block(shared_watch& watch);
void leave_block();
/// The running thread begins to copy to shared memory, called from `pc`: nobody may read it until
/// the copy has been waited for. First, before the bytes are changed; then, behind it.
void copy_begins(const void* to, std::size_t bytes, const void* pc);
void copy_is_awaited(const void* to, std::size_t bytes);
/// It has been waited for, and is there.
void copy_lands(const void* to, std::size_t bytes);
/// All threads of the block, or those of a warp, have come to where they wait for each other, or
/// the block has ended.
void block_met();
void warp_met(unsigned warp);
/// Lanes of a warp have met at an operation that orders their memory.
void lanes_ordered(unsigned warp);
/// The thread that runs now is about to wait or has ended.
void leave_thread();

#else

inline constexpr bool are_on = false;

inline void watch_region(std::uintptr_t, std::size_t) {}
inline void allocated(std::uintptr_t, std::size_t, bool) {}
inline void freed(std::uintptr_t, std::size_t) {}
inline void written(const void*, std::size_t) {}
inline void copied(const void*, const void*, std::size_t) {}
inline void library_touches(const char*, touch, const void*, std::size_t) {}
inline void begin_library() {}
inline void end_library() {}
inline void open_to_all() {}
struct shared_watch {};
inline void begin_block(shared_watch&, unsigned char*, unsigned char*, std::size_t) {}
inline void others_write(shared_watch&) {}
inline void enter_block(shared_watch&) {}
inline void leave_block() {}
inline void copy_begins(const void*, std::size_t, const void*) {}
inline void copy_is_awaited(const void*, std::size_t) {}
inline void copy_lands(const void*, std::size_t) {}
inline void block_met() {}
inline void warp_met(unsigned) {}
inline void lanes_ordered(unsigned) {}
inline void leave_thread() {}

#endif

}  // namespace cuset_host::checks
