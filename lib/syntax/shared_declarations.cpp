#include "shared_declarations.h"

#include <utility>

#include "names.h"
#include "statements.h"

namespace cuset::syntax {
namespace {

bool read(const token_stream& code, token_range range, shared_declaration& d) {
    static_cast<declaration&>(d) = read_declaration(code, range);
    if (d.is_partial || d.declarators.empty() || d.type.end <= d.marker) return false;
    d.is_extern = code.has_word(d.type, {"extern"});
    return true;
}

}  // namespace

void read_shared_declarations(cuda_program& program, const qualifier_words& qualifiers) {
    const token_stream& code = program.code;
    std::vector<std::uint32_t> braces;
    std::uint32_t inside = no_token;  // the define
    bool is_qualifier = false;        // whether the define consists of qualifiers only
    std::uint32_t floor = 0;
    std::uint32_t count = 0;  // of shared variables
    for (std::uint32_t i = 0; i < code.size(); ++i) {
        const token& t = code.tokens[i];
        if (t.kind == define) {
            inside = i;
            floor = replacement_start(code, i);
            is_qualifier = code.is(i + 1, word) && qualifiers.of(i + 1) != 0;
        } else if (t.kind == define_end) {
            inside = no_token;
            floor = i + 1;
        } else if (t.kind == '{' && t.link != no_token && inside == no_token) {
            braces.push_back(i);
        } else if (t.kind == '}' && inside == no_token) {
            while (!braces.empty() && code.tokens[braces.back()].link <= i) braces.pop_back();
        }
        if (t.kind != word || (qualifiers.of(i) & qualifier_words::is_shared) == 0) continue;
        if (inside != no_token && is_qualifier) {
            auto& macros = program.shared_macros;
            if (i >= floor && (macros.empty() || macros.back() != inside)) macros.push_back(inside);
            continue;
        }
        if (i < floor && inside != no_token) continue;
        shared_declaration d;
        d.marker = i;
        d.define = inside;
        d.scope = braces.empty() ? no_token : braces.back();
        d.in_function = inside != no_token || program.function_of[i] != no_token;
        const std::uint32_t limit = inside == no_token ? code.size() : code.tokens[inside].link;
        const declaration_end end = find_declaration_end(code, i, limit);
        // Cut-off or broken text is no declaration: no compiler accepts it.
        const bool is_cut = end.why == declaration_end::kind::cut_off && inside == no_token;
        if (is_cut || end.why == declaration_end::kind::broken) continue;
        d.has_semicolon = end.why == declaration_end::kind::semicolon;
        const bool has_end = d.has_semicolon || end.why == declaration_end::kind::cut_off;
        if (!has_end || !read(code, {declaration_start(code, i, floor), end.at}, d)) {
            program.unread_shared.push_back(i);
            continue;
        }
        if ((qualifiers.of(i) & qualifier_words::is_extern) != 0) d.is_extern = true;
        i = d.all.end - 1;
        d.number = std::exchange(count, count + static_cast<std::uint32_t>(d.declarators.size()));
        program.shared.push_back(std::move(d));
    }
}

}  // namespace cuset::syntax
