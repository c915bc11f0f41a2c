// Addresses that are no multiple of what an access needs. A GPU ends the kernel there with error
// 716; this processor mostly reads on.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuset_host {

/// Ends the kernel if `p` lies in the memory of the device or of a block. Comes back if it does not
/// (local variables may lie elsewhere on a GPU), or if no kernel runs. `type`: what
/// is said to need it; `line`: of the program, or 0.
void meet_misaligned(const void* p, std::size_t alignment, const char* type, int line);

/// Rows of a matrix of wmma that are `row_bytes` apart, which CUDA wants to be a multiple of 16. A
/// GPU cannot read others from shared memory; elsewhere it may, and only checked programs end.
void meet_misaligned_rows(const void* p, std::size_t row_bytes, const char* operation, int line);
inline void check_rows(const void* p, std::size_t row_bytes, const char* operation, int line) {
    if (row_bytes % 16 != 0)
        meet_misaligned_rows(p, row_bytes, operation, line);
}

/// For an access that is made at once; `alignment` is a power of two.
inline void require_alignment(const void* p, std::size_t alignment, int line = __builtin_LINE()) {
    if (__builtin_expect((reinterpret_cast<std::uintptr_t>(p) & (alignment - 1)) != 0, 0))
        meet_misaligned(p, alignment, "an access", line);
}

}  // namespace cuset_host
