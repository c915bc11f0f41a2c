// Which tokens of a response are CUDA code (ARCHITECTURE.md, Method).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace cuset {

/// Bytes [begin, end) of a response.
struct byte_span {
    std::size_t begin = 0, end = 0;
};

/// sensitive[i] says whether a byte of token i lies in one of `spans`. Token i holds the bytes from
/// the end of the token before it (0 for the first) to ends[i]. A token without bytes, as in the
/// tail of a chat template, is never sensitive. `ends` never falls; spans may overlap and come in
/// any order.
std::vector<bool> sensitive_tokens(std::span<const std::size_t> ends,
                                   std::span<const byte_span> spans);

}  // namespace cuset
