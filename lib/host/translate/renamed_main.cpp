#include "rewriting.h"

namespace cuset {

using namespace syntax;

void end_renamed_main(const cuda_program& program, text_edits& edits) {
    const token_stream& code = program.code;
    bool is_renamed = false;
    for (std::uint32_t i = 0; i + 2 < code.size(); ++i) {
        if (code.is(i, define)) {
            is_renamed |= code.is_word(i + 1, "main");
            i = code.tokens[i].link;
        } else if (is_renamed && code.is_word(i, "int") && code.is_word(i + 1, "main") &&
                   code.is(i + 2, '(')) {
            const std::uint32_t close = code.tokens[i + 2].link;
            if (close == no_token || !code.is(close + 1, '{')) continue;
            const std::uint32_t end = code.tokens[close + 1].link;
            if (end == no_token) continue;
            edits.insert(code.tokens[end].begin, "return 0;");
            i = end;
        }
    }
}

}  // namespace cuset
