// Device memory: a region of its own that only kernels and copies can touch.
//
// The region is closed to host code by a memory protection key where the processor has them
// (opening it for one thread takes nanoseconds), else by mprotect around launches and copies.
// Managed and pinned memory is open to all.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuset_host {

/// What fresh device memory holds where programs are checked, and fresh shared memory always: NaN
/// as half, bfloat16, float and double.
inline constexpr std::uint32_t fresh_word = 0x7ff57ff5;

/// The heap of the host begins here: to be called before anything is in it.
void note_heap();

/// Fills memory with it.
void fill_fresh(void* begin, std::size_t bytes);

enum class memory_kind : unsigned char {
    host,     ///< nothing that CUDA gave
    device,   ///< cudaMalloc
    managed,  ///< cudaMallocManaged
    pinned,   ///< cudaMallocHost, cudaHostAlloc
    symbol,   ///< a __device__, __constant__ or __managed__ variable that was asked for by address
};

struct allocation {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;  ///< as asked for
    memory_kind kind = memory_kind::host;
    std::uint64_t number = 0;  ///< the how many-th of the program, from 1
};

/// `bytes` above 0, filled with fresh_word but for pinned memory; null where the device has no
/// more.
void* allocate(std::size_t bytes, memory_kind kind);
/// False where `p` is not the beginning of an allocation of this kind.
bool release(void* p, memory_kind kind);
/// The memory of a variable is the device's.
void declare_symbol(const void* p, std::size_t bytes);
/// Of the variable that was declared to begin at `p`; 0 where there is none.
std::size_t symbol_bytes(const void* p);
/// Host memory that the device may touch from here on, and no longer; false where it is so already,
/// or was not.
bool pin(const void* p, std::size_t bytes);
bool unpin(const void* p);

/// Of any address, also behind the end of an allocation.
memory_kind kind_of(const void* p);
/// The allocation that holds `p`; false where there is none.
bool find_allocation(const void* p, allocation& found);
/// The allocation that `p` is in or nearest to, also one that has been freed of late; false where
/// there is none.
bool find_nearest(const void* p, allocation& found);
/// False where [p, p + bytes) begins in device, managed or pinned memory and leaves its allocation,
/// or begins outside of all.
bool is_within(const void* p, std::size_t bytes);

std::size_t free_bytes();
/// Device and managed memory that was never freed: how many allocations, of how many bytes
/// together.
std::size_t unfreed(std::size_t& bytes);
/// A hash of all device and managed memory, by contents and order of allocation.
std::uint64_t memory_digest();

/// While one lives, this thread may touch device memory. They nest.
class device_access {
public:
    device_access();
    ~device_access();
    device_access(const device_access&) = delete;
    device_access& operator=(const device_access&) = delete;

private:
    bool nested_ = false;
};

/// The protection key of device memory; negative where the processor has none.
int device_key();

/// What a kernel gets for a pointer: one to host memory becomes an address that traps, at the same
/// distance from its neighbours; others stay what they are.
void* trap_if_host(const void* p);
/// The same for a word of a struct, which may be no pointer: only where it is an address of this
/// program's heap, stack or variables.
void* trap_if_surely_host(const void* p);
/// Whether an address is one of those.
bool is_trap(const void* p);

}  // namespace cuset_host
