// Conditions that name __CUDA_ARCH__, as one of nvcc's readings sees them. Private to lib/host.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cuset/syntax/lexer.h"

namespace cuset {

/// Words for the text [begin, end) of a directive.
struct directive_edit {
    std::uint32_t begin, end;
    std::string words;
};

/// What makes the directive's condition that of a side whose __CUDA_ARCH__ is `arch`, or which has
/// none if that is empty.
std::vector<directive_edit> with_arch(const syntax::token_stream& code, const syntax::directive& d,
                                      const std::string& arch);

}  // namespace cuset
