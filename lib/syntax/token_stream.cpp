#include "cuset/syntax/lexer.h"

namespace cuset::syntax {

std::string token_stream::spelling(std::uint32_t i) const {
    const std::string_view bytes = raw(i);
    if (!tokens[i].spliced) return std::string(bytes);
    std::string joined;
    const char* const end = bytes.data() + bytes.size();
    for (const char* p = bytes.data(); p < end;) {
        if (const char* after = skip_splices(p, end); after != p) {
            p = after;
        } else {
            joined += *p++;
        }
    }
    return joined;
}

bool token_stream::is_word(std::uint32_t i, std::string_view spelled) const {
    if (!is(i, word)) return false;
    return tokens[i].spliced ? spelling(i) == spelled : raw(i) == spelled;
}

}  // namespace cuset::syntax
