#include "rewriting.h"

namespace cuset {

using namespace syntax;

namespace {

/// Whether what stands behind `int(N)` belongs to an expression, and not to a declaration of N.
bool continues_expression(const token_stream& code, std::uint32_t i) {
    if (code.is(i, ',')) return code.is(i + 1, number);
    const bool is_binary = code.is(i, '*') || code.is(i, '/') || code.is(i, '%') ||
                           code.is(i, '+') || code.is(i, '-') || code.is(i, '&') ||
                           code.is(i, '|') || code.is(i, '^') || code.is(i, '?') ||
                           code.is(i, comparison) || code.is(i, less) || code.is(i, greater);
    return is_binary && !code.is(i + 1, ')') && !code.is(i + 1, ',');
}

}  // namespace

void rewrite_functional_casts(const cuda_program& program, text_edits& edits) {
    const token_stream& code = program.code;
    for (std::uint32_t i = 0; i + 6 < code.size(); ++i) {
        if (code.is(i, define)) {
            i = code.tokens[i].link;
            continue;
        }
        if (!code.is(i, '(')) continue;
        std::uint32_t type = i + 1;
        if (code.is_word(type, "std") && code.is(type + 1, scope)) type += 2;
        if (!code.is_any_word(type, {"size_t", "int", "unsigned", "long", "float", "double", "char",
                                     "short", "int64_t", "uint64_t", "int32_t", "uint32_t"}))
            continue;
        const bool is_cast = code.is(type + 1, '(') && code.is(type + 2, word) &&
                             code.is(type + 3, ')') && continues_expression(code, type + 4);
        if (!is_cast) continue;
        edits.insert(code.tokens[i + 1].begin, "(");
        edits.insert(code.tokens[type].end, ")");
    }
}

}  // namespace cuset
