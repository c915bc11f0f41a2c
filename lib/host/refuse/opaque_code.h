// Host code whose meaning tokens do not show. Nobody can tell what it does to the runtime, so it is
// refused by name. Private to lib/host.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>

#include "cuset/syntax/cuda_program.h"

namespace cuset {

/// Whether the `asm` at i in host code has more than instructions that wait, count or do nothing. A
/// linker name, `int x asm("y")`, is more.
bool is_opaque_assembly(const syntax::token_stream& code, std::uint32_t i);

class opaque_attributes {
public:
    explicit opaque_attributes(const syntax::cuda_program& program);

    /// Whether a macro stands in the place of an attribute's name: after the `__attribute__`, or
    /// after the second bracket of a `[[`, at i.
    bool contain(std::uint32_t i) const;

private:
    bool is_macro(std::uint32_t i) const;

    const syntax::cuda_program& program_;
    std::unordered_set<std::string> macros_;
};

}  // namespace cuset
