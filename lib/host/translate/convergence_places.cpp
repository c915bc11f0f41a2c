#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include "rewriting.h"

namespace cuset {

using namespace syntax;

namespace {

constexpr std::array<std::string_view, 2> names{"coalesced_threads", "__activemask"};

/// How often the name stands before `(` or `<`, but for where functions of that name are declared.
std::size_t calls_of(const cuda_program& program, const std::string& name) {
    const token_stream& code = program.code;
    std::size_t calls = 0;
    for (std::uint32_t i = 0; i + 1 < code.size(); ++i)
        if (code.is_word(i, name) && (code.is(i + 1, '(') || code.is(i + 1, less))) ++calls;
    for (const cuda_function& f : program.functions)
        if (f.name == name && calls > 0) --calls;
    return calls;
}

/// Whether it is called in several places, or a function is that calls it.
bool has_several_callers(const cuda_program& program, const std::string& name,
                         std::set<std::string>& seen) {
    if (!seen.insert(name).second) return false;
    if (calls_of(program, name) > 1) return true;
    return std::ranges::any_of(program.functions, [&](const cuda_function& f) {
        return !f.is_global && !f.is_lambda && !f.body.empty() &&
               program.code.has_word(f.body, {name}) &&
               has_several_callers(program, f.name, seen);
    });
}

}  // namespace

void name_convergence_places(const cuda_program& program, text_edits& edits) {
    const token_stream& code = program.code;
    for (const cuda_function& f : program.functions) {
        // What a macro makes has its text elsewhere, and a lambda its calls anywhere.
        if (f.is_global || f.is_lambda || f.body.empty() || f.define != no_token) continue;
        bool is_known = false;
        for (std::uint32_t i = f.body.first; i + 2 < f.body.end; ++i) {
            if (std::ranges::find(names, code.raw(i)) == names.end() || !code.is(i + 1, '(') ||
                !code.is(i + 2, ')'))
                continue;
            std::set<std::string> seen;
            if (!is_known && !has_several_callers(program, f.name, seen)) break;
            is_known = true;
            edits.insert(code.tokens[i + 1].end, "__builtin_LINE(), __builtin_return_address(0)");
        }
    }
}

}  // namespace cuset
