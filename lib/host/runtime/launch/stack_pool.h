// Stacks for the threads of a block that wait.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuset_host {

/// Stacks for the threads of one block at a time. Memory is taken as it is touched.
class stack_pool {
public:
    /// `bytes`: of each stack.
    explicit stack_pool(std::size_t bytes) : bytes_(bytes) {}
    stack_pool(const stack_pool&) = delete;
    stack_pool& operator=(const stack_pool&) = delete;
    ~stack_pool();
    /// The lower end of stack number `index`, to be called once for each; ends the program as
    /// unsupported where there is no memory for one more.
    unsigned char* get(std::size_t index);
    std::size_t bytes() const { return bytes_; }
    /// Whether the address is in one of the stacks.
    bool holds(std::uintptr_t address) const;

private:
    static constexpr std::size_t in_a_chunk = 32;
    std::size_t bytes_, taken_ = 0;
    unsigned char* chunks_[32] = {};
};

}  // namespace cuset_host
