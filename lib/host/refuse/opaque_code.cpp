#include "opaque_code.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

namespace cuset {

using namespace syntax;

namespace {

bool is_harmless(std::string_view instruction) {
    constexpr std::string_view known[] = {"",      "nop",    "pause",  "rdtsc",  "rdtscp",
                                          "cpuid", "lfence", "mfence", "sfence", "rep"};
    return std::ranges::find(known, instruction) != std::end(known);
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
    for (++i; code.is_word(i, "volatile") || code.is_word(i, "__volatile__"); ++i) {
    }
    if (!code.is(i, '(') || code.tokens[i].link == no_token) return true;
    const std::uint32_t close = code.tokens[i].link;
    for (++i; i < close && !code.is(i, ':') && !code.is(i, scope); ++i)
        if (!code.is(i, string) || !is_harmless_text(code.raw(i))) return true;
    // A variable may be bound to a register, whose name can also be a symbol's.
    return false;
}

opaque_attributes::opaque_attributes(const cuda_program& program) : program_(program) {
    for (const cuda_macro& m : program.macros) macros_.insert(program.code.spelling(m.name));
}

bool opaque_attributes::is_macro(std::uint32_t i) const {
    const std::string name = program_.code.spelling(i);
    if (macros_.contains(name)) return true;
    const cuda_macro* around = program_.macro_around(i);
    return around != nullptr && program_.is_macro_parameter(around->define, name);
}

bool opaque_attributes::contain(std::uint32_t i) const {
    constexpr std::uint32_t longest = 4096;  // tokens: keeps hostile text linear
    const token_stream& code = program_.code;
    std::uint32_t list = i;
    if (code.is(i, word)) {
        if (!code.is(i + 1, '(') || !code.is(i + 2, '(')) return true;
        list = i + 2;
    }
    const std::uint32_t close = code.tokens[list].link;
    if (close == no_token || close - list > longest) return true;
    for (std::uint32_t at = list + 1; at < close; ++at) {
        if (code.is(at, '(') && code.tokens[at].link != no_token) at = code.tokens[at].link;
        if (code.is(at, word) && is_macro(at)) return true;
    }
    return false;
}

}  // namespace cuset
