#include "statements.h"

#include <algorithm>

#include "cuset/syntax/declaration.h"
#include "names.h"

namespace cuset::syntax {
namespace {

bool is_control(std::string_view w) {
    return is_one_of(w, {"if", "for", "while", "switch", "catch", "constexpr"});
}

constexpr std::string_view specifier_words[] = {"const",    "constexpr", "static",  "inline",
                                                "volatile", "std",       "extern",  "register",
                                                "struct",   "constinit", "typename"};
constexpr std::string_view size_words[] = {
    "dim3",    "int",       "unsigned", "signed",  "long",     "short",    "auto",     "size_t",
    "ssize_t", "ptrdiff_t", "uint",     "uint3",   "int3",     "uint2",    "int2",     "int8_t",
    "int16_t", "int32_t",   "int64_t",  "uint8_t", "uint16_t", "uint32_t", "uint64_t", "uintptr_t"};
constexpr std::string_view configuration_words[] = {"cudaLaunchConfig_t",  "CUlaunchConfig",
                                                    "HIP_LAUNCH_CONFIG",   "hipLaunchConfig_t",
                                                    "cudaLaunchAttribute", "CUlaunchAttribute"};

// Whether the token cannot begin a statement. Then the `}` before it belongs to an expression.
bool continues_expression(std::uint8_t kind) {
    return kind == ',' || kind == '.' || kind == ')' || kind == ']' || kind == '?' || kind == '=' ||
           kind == ';' || kind == '/' || kind == '|' || kind == '^' || kind == '%' ||
           kind == less || kind == greater || kind == arrow || kind == comparison ||
           kind == launch_open;
}

}  // namespace

std::uint32_t replacement_start(const token_stream& code, std::uint32_t define_token) {
    const std::uint32_t end = code.tokens[define_token].link;
    std::uint32_t i = define_token + 1;
    if (i < end && code.is(i, word)) {
        const std::uint32_t name_end = code.tokens[i].end;
        ++i;
        if (i < end && code.is(i, '(') && code.tokens[i].begin == name_end &&
            code.tokens[i].link != no_token) {
            i = code.tokens[i].link + 1;
        }
    }
    return i;
}

std::uint32_t floor_of(const token_stream& code, site s) {
    return s.define == no_token ? 0 : replacement_start(code, s.define);
}

// i is pp_else or pp_elif. Returns the pp_if of its group.
std::uint32_t extent_reader::branch_start(std::uint32_t i, std::uint32_t floor) {
    for (std::size_t depth = 0; i > floor && spend();) {
        const std::uint8_t kind = code_.tokens[--i].kind;
        if (kind == pp_endif) ++depth;
        if (kind == pp_if && depth-- == 0) break;
    }
    return i;
}

byte_range extent_reader::definition(const finding& kernel) {
    const std::uint32_t floor = floor_of(code_, kernel.at);
    std::uint32_t first = kernel.first;  // the earliest token that belongs to the definition
    for (std::uint32_t i = first; i > floor && spend();) {
        const token& t = code_.tokens[i - 1];
        std::uint32_t next = i - 1;
        if (t.kind == ';' || t.kind == '{' || t.kind == '(' || t.kind == '[' || t.kind == ',' ||
            t.kind == define_end || code_.is_word(i - 1, "__global__")) {
            break;
        }
        if (t.kind == ':' && i >= 2 && code_.is(i - 2, word) &&
            is_one_of(code_.raw(i - 2), {"public", "private", "protected"})) {
            break;
        }
        if (t.kind == ')' || t.kind == ']') {
            next = code_.opener_of(i - 1, floor);
            if (next == no_token) break;
        } else if (t.kind == '}') {
            next = code_.opener_of(i - 1, floor + 1);
            if (next == no_token) break;
            std::uint32_t before = next - 1;  // `requires`, or its parameters' end
            if (code_.is(before, ')') && code_.opener_of(before, floor + 1) != no_token)
                before = code_.tokens[before].link - 1;
            if (!code_.is_word(before, "requires") && !continues_expression(code_.tokens[i].kind)) {
                break;
            }
        } else if (t.kind == greater) {
            const std::uint32_t angle = part_start(code_, i - 1, floor);
            if (angle != no_token) next = angle;
        } else if (t.kind == pp_else || t.kind == pp_elif) {
            next = branch_start(i - 1, floor);
        }
        i = next;
        if (t.kind < pp_if) first = i;
        // Only another template header of the same declaration can precede these.
        const bool header = code_.is_word(i, "template") || code_.is_word(i, "extern");
        if (header && !(i > floor && code_.is(i - 1, greater))) break;
    }
    return {code_.tokens[first].begin, kernel.end};
}

// Whether the brace opens a block of statements, not an initialiser list.
bool extent_reader::is_block(std::uint32_t brace) const {
    if (brace == 0) return true;
    const std::uint32_t before = brace - 1;
    const std::uint8_t kind = code_.tokens[before].kind;
    return kind != '=' && kind != ',' && !code_.is_word(before, "return");
}

// The first token of the statement around token `at`. Walks back over the parts of an expression or
// declaration, and out of the parentheses around it.
extent_reader::start extent_reader::statement_start(std::uint32_t at, std::uint32_t floor) {
    std::uint32_t first = at;        // the earliest token that belongs to it
    std::uint32_t label = no_token;  // the token after a colon without a matching `?`
    std::size_t colons = 0;
    for (std::uint32_t i = at; i > floor;) {
        if (!spend()) return {at, no_token};
        const std::uint32_t before = i - 1;
        const std::uint8_t kind = code_.tokens[before].kind;
        std::uint32_t next = before;
        if (kind == ';' || code_.is_word(before, "else") || code_.is_word(before, "do")) break;
        if (kind == ')' || kind == ']') {
            next = code_.opener_of(before, floor);
            if (next == no_token) break;
            if (kind == ')' && next > floor && code_.is(next - 1, word)) {
                const std::string_view callee = code_.raw(next - 1);
                const bool operand = code_.is_word(i, "and") || code_.is_word(i, "or");
                // if (x) k<<<…>>>(…); and LOOP(i, n) k<<<…>>>(…);
                if (is_control(callee) || (code_.is(i, word) && !operand)) break;
            }
        } else if (kind == '}') {
            next = code_.opener_of(before, floor);
            if (next == no_token || !continues_expression(code_.tokens[i].kind)) break;
        } else if (kind == '{') {
            if (is_block(before)) break;
        } else if (kind == '(') {
            std::uint32_t keyword = before;
            if (keyword > floor && code_.is_word(keyword - 1, "constexpr")) --keyword;
            if (keyword > floor && code_.is(keyword - 1, word) &&
                is_control(code_.raw(keyword - 1))) {
                return {keyword - 1, code_.tokens[before].link};
            }
        } else if (kind == ':') {
            if (colons++ == 0) label = first;
        } else if (kind == '?') {
            if (colons > 0 && --colons == 0) label = no_token;
        } else if (kind == define_end) {
            next = code_.tokens[before].link;
        } else if (kind == pp_else || kind == pp_elif) {
            next = branch_start(before, floor);
        }
        if (kind < define) first = next;
        i = next;
    }
    return {label != no_token ? label : first, no_token};
}

// The last token of the statement that begins at `first`, searched for after `from`.
std::uint32_t extent_reader::statement_end(std::uint32_t first, std::uint32_t from,
                                           std::uint32_t limit) {
    for (std::uint32_t i = from + 1; i < limit; ++i) {
        if (!spend()) return from;
        const token& t = code_.tokens[i];
        if (t.kind == ';') return i;
        if (code_.is_opener(i)) {
            i = code_.closer_of(i, limit);
            if (i == no_token) return limit - 1;
        } else if (code_.is_closer(i)) {
            if (code_.opener_of(i, first) == no_token) return i - 1;
        } else if (t.kind == define) {
            i = t.link;
        } else if (t.kind == pp_else || t.kind == pp_elif) {
            i = skip_other_branches(code_, i, limit);
        }
    }
    return limit - 1;
}

token_range extent_reader::statement_tokens(const finding& launch) {
    const start s = statement_start(launch.first, floor_of(code_, launch.at));
    if (s.head_close != no_token) return {s.first, std::max(s.head_close, launch.last) + 1};
    return {s.first, statement_end(s.first, launch.last, code_.limit(launch.at)) + 1};
}

byte_range extent_reader::statement(const finding& launch) {
    const token_range r = statement_tokens(launch);
    return {code_.tokens[r.first].begin,
            launch.open_ended ? launch.end : std::max(launch.end, code_.tokens[r.end - 1].end)};
}

void extent_reader::want(token_range words, std::vector<std::string_view>& wanted) const {
    constexpr std::size_t enough = 256;
    for (std::uint32_t i = words.first; i < words.end && wanted.size() < enough; ++i) {
        if (!code_.is(i, word) || is_member(code_, i)) continue;
        const std::string_view w = code_.raw(i);
        if (std::ranges::find(wanted, w) == wanted.end()) wanted.push_back(w);
    }
}

// Whether the statement declares one of `wanted` as a dim3, integer or launch configuration.
bool extent_reader::declares_size(token_range statement,
                                  const std::vector<std::string_view>& wanted) const {
    const auto is_size = [&](std::uint32_t i) {
        return is_one_of(code_.raw(i), size_words) || is_one_of(code_.raw(i), configuration_words);
    };
    const auto is_specifier = [&](std::uint32_t i) {
        return is_one_of(code_.raw(i), specifier_words) || code_.is(i, scope);
    };
    std::uint32_t first = statement.first;
    while (is_specifier(first)) ++first;
    if (!is_size(first)) return false;
    const declaration d = read_declaration(code_, {statement.first, statement.end - 1});
    for (std::uint32_t i = first; i < d.type.end; ++i)
        if (!is_size(i) && !is_specifier(i)) return false;
    return std::ranges::any_of(d.declarators, [&](const declarator& each) {
        return std::ranges::find(wanted, code_.raw(each.name.first)) != wanted.end();
    });
}

// hipLaunchKernelGGL takes the kernel's arguments behind its own five.
std::uint32_t extent_reader::configuration_end(const finding& launch) const {
    const std::uint32_t end = launch.last + 1;
    if (code_.raw(launch.first) != "hipLaunchKernelGGL") return end;
    unsigned commas = 0;
    for (std::uint32_t i = launch.first + 2; i < end; i = code_.group_end(i, end) + 1)
        if (code_.is(i, ',') && ++commas == 5) return i;
    return end;
}

std::vector<byte_range> extent_reader::setup(const finding& launch) {
    const token_range own = statement_tokens(launch);
    const std::uint32_t floor = floor_of(code_, launch.at);
    std::vector<std::string_view> wanted;
    want({launch.first + 1, configuration_end(launch)}, wanted);
    std::vector<byte_range> found;
    for (std::uint32_t i = own.first; i > floor && spend();) {
        const token& t = code_.tokens[i - 1];
        const bool ends_group = code_.is_closer(i - 1) || t.kind == define_end;
        if (ends_group && code_.opener_of(i - 1, floor) != no_token) {
            i = t.link;  // declarations of a block that has ended are out of scope
        } else if (t.kind != ';') {
            --i;
        } else {
            const start s = statement_start(i - 1, floor);
            const token_range statement{s.first, i};
            if (s.head_close == no_token && s.first < i - 1 && declares_size(statement, wanted)) {
                want(statement, wanted);
                const auto at = std::ranges::lower_bound(given_, s.first);
                if (at == given_.end() || *at != s.first) {
                    given_.insert(at, s.first);
                    found.push_back({code_.tokens[s.first].begin, t.end});
                }
            }
            i = std::min(s.first, i - 1);
        }
    }
    std::ranges::reverse(found);
    return found;
}

}  // namespace cuset::syntax
