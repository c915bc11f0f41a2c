// Finds the kernels and launches among the tokens of one piece of code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cuset/syntax/tagger.h"
#include "cuset/syntax/lexer.h"

namespace cuset::syntax {

/// A kernel (its body) or a launch (its configuration), in bytes of the code. The wider extents
/// begin from its tokens: `first` is the head or the launch's first token (without the callee
/// expression), and `last` its last token (the code's last if it is left open).
struct finding {
    span_kind kind;
    std::uint32_t begin, end;
    std::uint32_t head;  ///< the beginning of its `__global__`, `<<<` or callee
    std::uint32_t first, last;
    site at;
    std::string name;
    bool open_ended;  ///< the code ends before the finding does
};

/// Appends the findings to `out`: kernels first, then launches, each in order of position.
void find_spans(const token_stream& code, std::vector<finding>& out);

}  // namespace cuset::syntax
