#include "cuset/region/sensitive_tokens.h"

#include <algorithm>

namespace cuset {

std::vector<bool> sensitive_tokens(std::span<const std::size_t> ends,
                                   std::span<const byte_span> spans) {
    std::vector<bool> sensitive(ends.size());
    for (const byte_span& span : spans) {
        if (span.begin >= span.end) continue;
        // Starts at the first token that ends after the span's begin, and takes all that begin
        // before the span's end.
        auto token = std::upper_bound(ends.begin(), ends.end(), span.begin) - ends.begin();
        for (; token < std::ssize(ends); ++token) {
            const auto i = static_cast<std::size_t>(token);
            const std::size_t begin = i == 0 ? 0 : ends[i - 1];
            if (begin >= span.end) break;
            if (begin < ends[i]) sensitive[i] = true;
        }
    }
    return sensitive;
}

}  // namespace cuset
