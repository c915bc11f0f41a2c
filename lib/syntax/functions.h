// The functions of a CUDA program: heads, qualifiers, parameters and bodies.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "cuset/syntax/cuda_program.h"

namespace cuset::syntax {

/// Fills `functions` from the code and macros of `program`, sorted by their heads.
void read_functions(cuda_program& program);

/// Macros that stand for CUDA's qualifiers: `#define HD __host__ __device__`.
class qualifier_words {
public:
    enum : unsigned { is_global = 1, is_device = 2, is_host = 4, is_shared = 8, is_extern = 16 };

    explicit qualifier_words(const cuda_program& program);

    /// The meaning of the word at token i, as the bits above. is_extern is set only for a macro
    /// that stands for __shared__ too.
    unsigned of(std::uint32_t i) const;

private:
    const token_stream& code_;
    std::unordered_map<std::string, unsigned> macros_;
};

}  // namespace cuset::syntax
