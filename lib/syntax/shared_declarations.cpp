#include "shared_declarations.h"

#include <algorithm>
#include <optional>

#include "names.h"
#include "statements.h"

namespace cuset::syntax {
namespace {

using declarator = shared_declaration::declarator;

bool is_compound(std::string_view w) { return w == "struct" || w == "union" || w == "class"; }

class reader {
public:
    reader(const token_stream& code, shared_declaration& d) : code_(code), d_(d) {}

    /// What is no declaration, because it is cut off or broken, is `none`: no compiler takes it.
    enum class outcome : std::uint8_t { read, unread, none };
    outcome read(std::uint32_t floor, std::uint32_t limit);

private:
    std::uint32_t first_token(std::uint32_t floor) const;
    outcome find_end(std::uint32_t limit);
    bool read_declarators();
    std::optional<declarator> read_declarator(std::uint32_t from, bool after_type) const;
    bool name_at(std::uint32_t last, std::uint32_t floor, declarator& out) const;
    std::uint32_t link(std::uint32_t i) const {
        const std::uint32_t l = code_.tokens[i].link;
        return l == no_token || l >= d_.all.end ? no_token : l;
    }

    const token_stream& code_;
    shared_declaration& d_;
};

// Specifiers and a type may stand before `__shared__`.
std::uint32_t reader::first_token(std::uint32_t floor) const {
    std::uint32_t first = d_.marker;
    while (first > floor) {
        const std::uint32_t before = first - 1;
        switch (code_.tokens[before].kind) {
            case word:
                if (is_statement_keyword(code_.raw(before))) return first;
                first = before;
                break;
            case scope:
            case '*': first = before; break;
            case greater: {
                const std::uint32_t open = opening_angle(code_, before, floor);
                if (open == no_token) return first;
                first = open;
                break;
            }
            case ')': {
                const std::uint32_t open = code_.tokens[before].link;
                if (open == no_token || open <= floor || !code_.is(open - 1, word) ||
                    !takes_attribute_arguments(code_.raw(open - 1))) {
                    return first;
                }
                first = open - 1;
                break;
            }
            default: return first;
        }
    }
    return first;
}

// At the semicolon, or the end of the #define.
reader::outcome reader::find_end(std::uint32_t limit) {
    // Longer than any declaration: keeps hostile text linear.
    constexpr std::uint32_t longest = 2048;
    if (limit - d_.marker > longest) {
        limit = d_.marker + longest;
        if (d_.define != no_token) return outcome::unread;
    }
    std::uint32_t i = d_.marker + 1;
    for (; i < limit && !code_.is(i, ';'); ++i) {
        const token& t = code_.tokens[i];
        if (t.kind == define || t.kind >= pp_if) return outcome::unread;
        if (t.kind == '}' || t.kind == ')' || t.kind == ']') return outcome::none;
        if (t.kind == '(' || t.kind == '[' || t.kind == '{') {
            if (t.link == no_token || t.link >= limit) return outcome::none;
            i = t.link;
        }
    }
    d_.all.end = i;
    d_.has_semicolon = i < limit;
    return i < limit || d_.define != no_token ? outcome::read : outcome::none;
}

// The name that ends at `last`, with the words pasted to it.
bool reader::name_at(std::uint32_t last, std::uint32_t floor, declarator& out) const {
    const bool pasted = code_.is(last, number) && last > floor && code_.is(last - 1, paste);
    if (!code_.is(last, word) && !pasted) return false;
    std::uint32_t first = last;
    while (first >= floor + 2 && code_.is(first - 1, paste)) first -= 2;
    out.name = {first, last + 1};
    return true;
}

std::optional<declarator> reader::read_declarator(std::uint32_t from, bool after_type) const {
    declarator out;
    std::uint32_t i = from;
    for (; i <= d_.all.end; ++i) {
        const bool ends = i == d_.all.end;
        const std::uint8_t kind = ends ? std::uint8_t{';'} : code_.tokens[i].kind;
        if (ends || kind == ',' || kind == '[' || kind == '=' || kind == '{') {
            const bool compound =
                kind == '{' && after_type &&
                ((i > from && code_.is(i - 1, word) && is_compound(code_.raw(i - 1))) ||
                 (i > from + 1 && code_.is(i - 2, word) && is_compound(code_.raw(i - 2))));
            if (compound) {
                if (link(i) == no_token) return std::nullopt;
                i = link(i);
                continue;
            }
            if (i == from || !name_at(i - 1, from, out)) return std::nullopt;
            break;
        }
        if (kind == less && may_open_angle(code_, i)) {
            const std::uint32_t close = closing_angle(code_, i, d_.all.end);
            if (close == no_token) return std::nullopt;
            i = close;
        } else if (kind == '(') {
            if (link(i) == no_token) return std::nullopt;
            const bool attribute =
                i > from && code_.is(i - 1, word) &&
                (takes_attribute_arguments(code_.raw(i - 1)) || code_.is(link(i) + 1, word));
            if (attribute) {
                i = link(i);
                continue;
            }
            if (!code_.is(i + 1, '*') && !code_.is(i + 1, '(') && !code_.is(i + 1, '&')) {
                if (i == from || !name_at(i - 1, from, out)) return std::nullopt;
                break;  // initialised
            }
            std::uint32_t last = i + 1;
            while (code_.is(last, '*') || code_.is(last, '(') || code_.is(last, '&')) ++last;
            if (!name_at(last, last, out)) return std::nullopt;
            out.all.first = i;
            i = link(i) + 1;
            break;
        }
    }
    if (out.all.first == 0) {
        out.all.first = out.name.first;
        while (out.all.first > from &&
               (code_.is(out.all.first - 1, '*') || code_.is(out.all.first - 1, '&') ||
                code_.is_word(out.all.first - 1, "__restrict__"))) {
            --out.all.first;
        }
        if (after_type && out.all.first == from) return std::nullopt;  // no type
    }
    for (; i < d_.all.end && !code_.is(i, ','); ++i) {
        const std::uint8_t kind = code_.tokens[i].kind;
        if (kind == '=' || kind == '{') out.is_initialised = true;
        if (kind == '(' && out.all.first == out.name.first) out.is_initialised = true;
        if (kind == '(' || kind == '[' || kind == '{') {
            if (link(i) == no_token) return std::nullopt;
            i = link(i);
        }
    }
    out.all.end = i;
    return out;
}

bool reader::read_declarators() {
    std::uint32_t from = d_.all.first;
    while (from < d_.all.end) {
        const auto next = read_declarator(from, d_.declarators.empty());
        if (!next || next->all.first <= d_.marker) return false;
        if (d_.declarators.empty()) d_.type = {d_.all.first, next->all.first};
        d_.declarators.push_back(*next);
        from = next->all.end + 1;
    }
    return !d_.declarators.empty();
}

reader::outcome reader::read(std::uint32_t floor, std::uint32_t limit) {
    const outcome end = find_end(limit);
    if (end != outcome::read) return end;
    d_.all.first = first_token(floor);
    if (!read_declarators()) return outcome::unread;
    for (std::uint32_t i = d_.type.first; i < d_.type.end; ++i) {
        if (code_.is_word(i, "extern")) d_.is_extern = true;
    }
    return outcome::read;
}

}  // namespace

void read_shared_declarations(cuda_program& program, const qualifier_words& qualifiers) {
    const token_stream& code = program.code;
    std::vector<std::uint32_t> braces;
    std::uint32_t inside = no_token;  // the define
    bool is_qualifier = false;        // of which all is qualifiers
    std::uint32_t floor = 0;
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
        const auto outcome = reader(code, d).read(floor, limit);
        if (outcome == reader::outcome::unread) program.unread_shared.push_back(i);
        if (outcome != reader::outcome::read) continue;
        if ((qualifiers.of(i) & qualifier_words::is_extern) != 0) d.is_extern = true;
        i = d.all.end - 1;
        program.shared.push_back(std::move(d));
    }
}

}  // namespace cuset::syntax
