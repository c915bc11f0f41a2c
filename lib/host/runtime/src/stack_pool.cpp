#include "stack_pool.h"

#include <sys/mman.h>

#include "cuset_host/faults.h"

namespace cuset_host {

namespace {

constexpr std::size_t guard = 4096;  // below the lowest stack of a chunk

}  // namespace

stack_pool::~stack_pool() {
    for (unsigned char* chunk : chunks_)
        if (chunk != nullptr) ::munmap(chunk, guard + in_a_chunk * bytes_);
}

unsigned char* stack_pool::get(std::size_t index) {
    unsigned char*& chunk = chunks_[index / in_a_chunk];
    if (chunk == nullptr) {
        void* made = ::mmap(nullptr, guard + in_a_chunk * bytes_, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
        if (made == MAP_FAILED) fail("unsupported", "no memory for the stacks of a block");
        chunk = static_cast<unsigned char*>(made);
        ::mprotect(chunk, guard, PROT_NONE);
    }
    return chunk + guard + index % in_a_chunk * bytes_;
}

}  // namespace cuset_host
