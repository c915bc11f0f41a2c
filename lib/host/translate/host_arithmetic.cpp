// Host code does not fuse multiplications with additions: nvcc's host compiler is for any x86-64,
// while g++ here compiles for FMA, as a GPU has it.
#include <algorithm>

#include "rewriting.h"

namespace cuset {

using namespace syntax;

namespace {

/// Whether the function multiplies and adds. Others stay as they are: g++ does not inline a
/// function with an attribute of its own into one without, such as std::sort.
bool has_products_in_sums(const token_stream& code, token_range body) {
    bool multiplies = false, adds = false;
    for (std::uint32_t i = body.first; i < body.end; ++i) {
        multiplies |= code.is(i, '*');
        adds |= code.is(i, '+') || code.is(i, '-');
    }
    return multiplies && adds;
}

/// The first token of the head where GNU's attributes may stand; no_token if that is not clear.
std::uint32_t place_of_attribute(const token_stream& code, const cuda_function& f) {
    std::uint32_t i = f.head.first;
    while (code.is_word(i, "template") && code.is(i + 1, less)) {
        i = closing_angle(code, i + 1, f.head.end);
        if (i == no_token) return no_token;
        ++i;
    }
    if (code.is_word(i, "extern") && code.is(i + 1, string)) i += 2;
    while (code.is(i, '[') && code.is(i + 1, '[')) i = code.group_end(i) + 1;
    const bool is_clear = code.is(i, word) && !code.is_word(i, "requires") && i + 1 < f.head.end;
    return is_clear ? i : no_token;
}

}  // namespace

void rewrite_host_arithmetic(const cuda_program& program, text_edits& edits) {
    const token_stream& code = program.code;
    const bool has_floats = code.has_word({0, code.size()}, {"float", "double"});
    if (!has_floats) return;
    for (const cuda_function& f : program.functions) {
        // What is constexpr may run on the device too.
        if (f.is_global || f.is_device || f.is_lambda || f.is_constexpr || f.is_open ||
            f.body.empty() || f.define != no_token || !has_products_in_sums(code, f.body))
            continue;
        const std::uint32_t place = place_of_attribute(code, f);
        if (place == no_token) continue;
        const std::uint32_t begin = code.tokens[place].begin;
        edits.offer({{begin, begin, "__attribute__((optimize(\"fp-contract=off\"))) "}});
    }
}

}  // namespace cuset
