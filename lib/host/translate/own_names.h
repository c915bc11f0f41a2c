// What a program in HIP declares by names that look like CUDA's. Private to lib/host.
#pragma once

#include <string>
#include <unordered_set>

#include "cuset/syntax/lexer.h"

namespace cuset {

/// The names of variables, parameters, members, enumerators, types and functions that code
/// declares, of those alone that look like CUDA's: cuCount in `int cuCount = 3;`, CUmode in `enum {
/// CUmode };`.
std::unordered_set<std::string> declared_like_cuda(const syntax::token_stream& code);

}  // namespace cuset
