// Device memory: a separate region that only kernels and copies can touch.
//
// A memory protection key closes the region to host code if the processor has such keys (opening it
// for one thread takes nanoseconds), else mprotect does around launches and copies. Managed and
// pinned memory is open to all.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuset_host {

/// The content of fresh device and shared memory where a program is checked or searched for races:
/// NaN as half, bfloat16, float and double. Elsewhere it reads as zeros, as a driver gives it.
inline constexpr std::uint32_t fresh_word = 0x7ff57ff5;

/// Notes the beginning of the host's heap. Call it before anything is in the heap.
void note_heap();

/// Fills memory with fresh_word, or with zeros where a program is neither checked nor searched.
void fill_fresh(void* begin, std::size_t bytes);

enum class memory_kind : unsigned char {
    host,      ///< nothing that CUDA gave
    device,    ///< cudaMalloc
    managed,   ///< cudaMallocManaged, and variables of __managed__
    pinned,    ///< cudaMallocHost, cudaHostAlloc
    symbol,    ///< a __device__ or __constant__ variable that was asked for by address
    reserved,  ///< addresses of cuMemAddressReserve: no digest and no count holds them either
    heap,      ///< of malloc and new in kernels: device memory that no digest and no count holds
};

struct allocation {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;  ///< as asked for
    memory_kind kind = memory_kind::host;
    std::uint64_t number = 0;  ///< its number in the program, from 1
};

/// Allocates `bytes` > 0; null if the device has no more. In checked programs the memory is filled
/// with fresh_word unless it is pinned, and the beginning of it where races are searched for.
void* allocate(std::size_t bytes, memory_kind kind);
/// False if `p` is not the beginning of an allocation of this kind.
bool release(void* p, memory_kind kind);
/// Makes the memory of a variable device memory. Does nothing where no variable of a program is,
/// such as on a stack, or in a string literal.
void declare_symbol(const void* p, std::size_t bytes);
/// A variable of the device in a namespace: a pointer to it that a kernel has made may come back as
/// an argument.
struct device_variable {
    device_variable(const volatile void* p, std::size_t bytes);
};
/// The variable of the host that has the name of one of the device's (shadow_of in
/// api_templates.h). As on a device, its address stands for the symbol too.
struct host_shadow {
    host_shadow(const volatile void* shadow, const volatile void* real, std::size_t bytes);
};
/// The device's variable at the address of the host's; another address stays what it is.
const void* real_symbol(const void* p);
/// The size of the variable that was declared to begin at `p`; 0 if there is none.
std::size_t symbol_bytes(const void* p);
/// Allows the device to touch host memory from now on, or stops that; false if it was allowed, or
/// not allowed, already.
bool pin(const void* p, std::size_t bytes);
bool unpin(const void* p);

/// The kind of memory at any address, also just after the end of an allocation.
memory_kind kind_of(const void* p);
/// Finds the allocation that holds `p`; false if there is none.
bool find_allocation(const void* p, allocation& found);
/// Finds the allocation that `p` is in or nearest to, recently freed ones included; false if there
/// is none.
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

/// Does nothing: the linker takes the file with new and delete for it, before other libraries'.
void have_new_and_delete();

/// From here on the calling thread and those that it starts reach device memory without a kernel.
void open_to_host();
bool is_open_to_host();

/// The protection key of device memory; negative where the processor has none.
int device_key();

/// What a kernel gets for a pointer: one to host memory becomes an address that traps, at the same
/// distance from its neighbours; others stay what they are.
void* trap_if_host(const void* p);
/// An address that traps, for one of host memory.
void* trap(const void* p);
/// What a kernel gets for a function's address: one that traps, unless it came from the device.
void* trap_function(const void* function);
/// The same for a word of a struct, which may be no pointer: only where it is an address of this
/// program's heap, stack or variables, or of a function or a table of virtual functions that did
/// not come from the device.
void* trap_if_surely_host(const void* p);
/// Whether an address is one of those.
bool is_trap(const void* p);

}  // namespace cuset_host
