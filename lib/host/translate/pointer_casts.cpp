#include "pointer_casts.h"

#include <cstdint>

namespace cuset {

using namespace syntax;

namespace {

/// Whether [i, end) is a type with a * or & at its end that counts.
bool is_wider_pointer(const token_stream& code, std::uint32_t i, std::uint32_t end) {
    bool has_type = false, is_wider = false;
    for (; i < end; ++i) {
        if (code.is(i, '*') || code.is(i, '&')) return has_type && is_wider;
        if (code.is_any_word(i, {"const", "volatile", "struct", "typename", "std"}) ||
            code.is(i, scope))
            continue;
        if (!code.is(i, word) && !code.is(i, less) && !code.is(i, greater) && !code.is(i, ',') &&
            !code.is(i, number))
            return false;
        has_type = true;
        is_wider = is_wider ||
                   !code.is_any_word(
                       i, {"void",   "bool",    "char",          "signed",   "unsigned", "short",
                           "int",    "float",   "byte",          "uchar",    "ushort",   "uint",
                           "int8_t", "uint8_t", "int16_t",       "uint16_t", "int32_t",  "uint32_t",
                           "half",   "__half",  "__nv_bfloat16", "bfloat16", "__bf16"});
    }
    return false;
}

}  // namespace

bool casts_to_wider_types(const cuda_program& program) {
    const token_stream& code = program.code;
    for (std::uint32_t i = 0; i + 3 < code.size(); ++i) {
        if (code.is_word(i, "reinterpret_cast") && code.is(i + 1, less)) {
            constexpr std::uint32_t longest = 64;  // keeps hostile text linear
            std::uint32_t end = i + 2;
            while (end < code.size() && end < i + longest && !code.is(end, '(')) ++end;
            if (is_wider_pointer(code, i + 2, end)) return true;
        }
        // What stands before a cast is no operand: else the parenthesis holds arguments or a
        // factor.
        if (!code.is(i, '(') || code.tokens[i].link == no_token) continue;
        const std::uint32_t end = code.tokens[i].link;
        const bool is_operand = i > 0 &&
                                (code.is(i - 1, word) || code.is(i - 1, ')') ||
                                 code.is(i - 1, ']') || code.is(i - 1, greater)) &&
                                !code.is_any_word(i - 1, {"return", "case"});
        if (is_operand || !is_wider_pointer(code, i + 1, end)) continue;
        const bool begins_operand = code.is(end + 1, word) || code.is(end + 1, '(') ||
                                    code.is(end + 1, '&') || code.is(end + 1, scope);
        if (begins_operand &&
            !code.is_any_word(end + 1, {"malloc", "calloc", "realloc", "aligned_alloc", "std"}))
            return true;
    }
    return false;
}

}  // namespace cuset
