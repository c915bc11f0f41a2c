// CUDA's C++ libraries run on the host here, where a GPU would run kernels of theirs.
#pragma once

#include <cuset_host/cuda_types.h>

#include <cstddef>
#include <functional>

namespace cuset_host {

/// Device memory for a library, which works on it on the host. Null if there is no more.
void* library_memory(std::size_t bytes);
void free_library_memory(void* p);

/// Ends the program where not all of the `bytes` at `storage`, which it gave to an algorithm of CUB
/// as temporary storage, are device memory that is allocated.
void use_temporary_storage(const void* storage, std::size_t bytes);

/// From here on the calling thread and those that it starts reach device memory, and what the
/// program reads from there counts as written by kernels.
bool begin_library_work();

/// If the stream is being captured, adds the work to its graph, as a kernel's: true. It is then
/// done at each launch of the graph, outside of a stream.
bool captures_library(cudaStream_t stream, std::function<void()> work);

/// Ends the program: `what` of a library is not modelled.
[[noreturn]] void unmodelled(const char* what);

/// What --check sees of the memory that a library's call writes.
enum class library_writes : unsigned char {
    unseen,    ///< all that is allocated when the call ends counts as set
    reported,  ///< by library_touches() in library_access.h
};

/// While one lives, the calling thread does what a kernel of a library would do.
class library_kernel {
public:
    explicit library_kernel(cudaStream_t stream, library_writes writes = library_writes::unseen);
    ~library_kernel();
    library_kernel(const library_kernel&) = delete;
    library_kernel& operator=(const library_kernel&) = delete;

private:
    struct opened;
    opened* opened_;
};
/// Whether the calling thread does that now.
bool is_in_library();

}  // namespace cuset_host
