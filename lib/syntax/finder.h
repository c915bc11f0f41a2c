// Kernels and launches among the tokens of one piece of code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cuset/syntax/tagger.h"
#include "cuset/syntax/lexer.h"

namespace cuset::syntax {

/// A kernel (its body) or a launch (its configuration), in bytes of the code. Tokens tell where it
/// stands for the wider extents: `first` is the head or the first token of the launch, callee
/// expression excluded, and `last` its last token (the last of the code if it is left open).
struct finding {
    span_kind kind;
    std::uint32_t begin, end;
    std::uint32_t head;  ///< where its `__global__`, `<<<` or callee begins
    std::uint32_t first, last;
    site at;
    std::string name;
    bool open_ended;  ///< the code ends before it does
};

/// Appends what is found to `out`: kernels first, then launches, each in order of position.
void find_spans(const token_stream& code, std::vector<finding>& out);

}  // namespace cuset::syntax
