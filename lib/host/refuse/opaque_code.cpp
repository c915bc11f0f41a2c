#include "opaque_code.h"

#include <string>
#include <string_view>

namespace cuset {

using namespace syntax;

namespace {

bool is_harmless(std::string_view instruction) {
    constexpr std::string_view known[] = {"",      "nop",    "pause",  "rdtsc",  "rdtscp",
                                          "cpuid", "lfence", "mfence", "sfence", "rep"};
    return is_one_of(instruction, known);
}

/// The literal has its quotes. Blanks, semicolons, `\n` and `\t` separate its instructions.
bool is_harmless_text(std::string_view literal) {
    if (literal.size() < 2 || !literal.starts_with('"')) return false;
    literal = literal.substr(1, literal.size() - 2);
    std::string instruction;
    for (std::size_t i = 0; i <= literal.size(); ++i) {
        const bool at_end = i == literal.size();
        const bool escaped = !at_end && literal[i] == '\\' && i + 1 < literal.size() &&
                             (literal[i + 1] == 'n' || literal[i + 1] == 't');
        if (!at_end && !escaped && literal[i] != ' ' && literal[i] != ';' && literal[i] != '\t') {
            instruction += literal[i];
            continue;
        }
        if (!is_harmless(instruction)) return false;
        instruction.clear();
        if (escaped) ++i;
    }
    return true;
}

}  // namespace

bool is_opaque_assembly(const token_stream& code, std::uint32_t i) {
    do ++i;
    while (code.is_any_word(i, {"volatile", "__volatile__"}));
    const std::uint32_t close = code.is(i, '(') ? code.closer_of(i) : no_token;
    if (close == no_token) return true;
    for (++i; i < close && !code.is(i, ':') && !code.is(i, scope); ++i)
        if (!code.is(i, string) || !is_harmless_text(code.raw(i))) return true;
    // A variable may be bound to a register, whose name can also be a symbol's.
    return false;
}

bool is_opaque_attribute(const cuda_program& program, std::uint32_t i) {
    constexpr std::uint32_t longest = 4096;  // tokens: keeps hostile text linear
    const token_stream& code = program.code;
    const auto is_macro = [&](std::uint32_t at) {
        const std::string name = code.spelling(at);
        const cuda_macro* around = program.macro_around(at);
        return program.macro_names.contains(name) ||
               (around != nullptr && program.is_macro_parameter(around->define, name));
    };
    std::uint32_t list = i;
    if (code.is(i, word)) {
        if (!code.is(i + 1, '(') || !code.is(i + 2, '(')) return true;
        list = i + 2;
    }
    const std::uint32_t close = code.tokens[list].link;
    if (close == no_token || close - list > longest) return true;
    for (std::uint32_t at = list + 1; at < close; ++at) {
        if (code.is(at, '(')) at = code.group_end(at);
        if (code.is(at, word) && is_macro(at)) return true;
    }
    return false;
}

}  // namespace cuset
