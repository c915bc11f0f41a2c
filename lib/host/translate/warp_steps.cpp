#include "translate/warp_steps.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "translate/waiting_loops.h"

namespace cuset {

using namespace syntax;

namespace {

bool is_asm_word(const token_stream& code, std::uint32_t i) {
    return code.is_any_word(i, {"asm", "__asm__", "__asm"});
}

// Whether the `volatile` at i applies to memory that others see, not to the thread's own variable.
bool is_volatile_memory(const token_stream& code, std::uint32_t i) {
    constexpr std::uint32_t longest = 64;  // tokens of a declaration
    const std::uint32_t end = std::min(i + longest, code.size());
    for (std::uint32_t j = i + 1; j < end; ++j) {
        const std::uint8_t kind = code.tokens[j].kind;
        if (kind == '*' || kind == '[' || kind == '&') return true;
        if (code.is_word(j, "__shared__")) return true;
        if (kind == ';' || kind == '=' || kind == ')' || kind == '(' || kind == '{' ||
            kind == ',') {
            break;
        }
    }
    const std::uint32_t begin = i > longest ? i - longest : 0;
    for (std::uint32_t j = i; j > begin; --j) {
        const std::uint8_t kind = code.tokens[j - 1].kind;
        if (code.is_word(j - 1, "__shared__") || kind == '*') return true;
        if (kind != word && kind != scope) break;
    }
    return false;
}

class step_writer {
public:
    step_writer(const cuda_program& program, text_edits& edits)
        : program_(program), code_(program.code), edits_(edits) {}

    /// `number`: of the function.
    void look_at(const cuda_function& f, std::uint32_t number);

private:
    bool begins_statement(std::uint32_t i) const;
    std::uint32_t statement_end(std::uint32_t i, std::uint32_t end) const;
    void look_behind_branch(std::uint32_t i, std::uint32_t end);
    void look_at_statement(std::uint32_t first, std::uint32_t end);
    bool is_declaration(std::uint32_t first, std::uint32_t operation) const;
    /// Lanes before and behind what is at token i are at different places.
    static std::string place(std::uint32_t i, bool behind = false) {
        return std::to_string(2 * std::uint64_t{i} % (1U << 31) + (behind ? 1 : 0));
    }
    static std::string step(std::uint32_t i, bool behind = false) {
        return "::cuset_host::step(" + place(i, behind) + ')';
    }

    const cuda_program& program_;
    const token_stream& code_;
    text_edits& edits_;
};

// Whether a statement may begin at token i of a body.
bool step_writer::begins_statement(std::uint32_t i) const {
    if (code_.is(i - 1, ';') || code_.is(i - 1, '{') || code_.is(i - 1, '}')) return true;
    if (code_.is_any_word(i - 1, {"else", "do"})) return true;
    if (!code_.is(i - 1, ')') || code_.tokens[i - 1].link == no_token) return false;
    const std::uint32_t open = code_.tokens[i - 1].link;
    return code_.is_any_word(open - 1, {"if", "for", "while"}) ||
           (code_.is_word(open - 1, "constexpr") && code_.is_word(open - 2, "if"));
}

// The `;` of an expression statement at i; no_token if there is none.
std::uint32_t step_writer::statement_end(std::uint32_t i, std::uint32_t end) const {
    for (; i < end; ++i) {
        const std::uint8_t kind = code_.tokens[i].kind;
        if (kind == ';') return i;
        if (kind == '{' && code_.is(i - 1, ')')) return no_token;  // a body
        // A parenthesis that closes is that of a loop's head.
        if (kind >= pp_if || kind == define || kind == '}' || kind == ')') return no_token;
        if (code_.is_opener(i)) {
            i = code_.group_end(i, end);
            if (code_.is_opener(i)) return no_token;
        }
    }
    return no_token;
}

// Whether the tokens before an assignment declare what it sets.
bool step_writer::is_declaration(std::uint32_t first, std::uint32_t operation) const {
    for (std::uint32_t i = first; i < operation; ++i) {
        if (code_.is_opener(i)) {
            i = code_.group_end(i, operation);
            continue;
        }
        if (code_.is(i, word) && code_.is(i + 1, word)) return true;
        if (i > first && (code_.is(i, '*') || code_.is(i, '&')) && code_.is(i - 1, word))
            return true;
        if (code_.is(i, less) || code_.is(i, ',')) return true;
    }
    return false;
}

void step_writer::look_at_statement(std::uint32_t first, std::uint32_t end) {
    if (!code_.is(first, word) && !code_.is(first, '*') && !code_.is(first, '(') &&
        !is_step(code_, first))
        return;
    if (code_.is_any_word(first,
                          {"return", "if",     "for",        "while",    "do",       "switch",
                           "case",   "goto",   "break",      "continue", "using",    "typedef",
                           "static", "const",  "constexpr",  "auto",     "else",     "default",
                           "struct", "delete", "__shared__", "extern",   "register", "volatile"}))
        return;
    const std::uint32_t last = statement_end(first, end);
    if (last == no_token) return;
    std::uint32_t operation = no_token;
    bool is_memory = code_.is(first, '*'), is_atomic = false;
    for (std::uint32_t i = first; i < last; ++i) {
        if (code_.is(i, word) && code_.raw(i).starts_with("atomic") && code_.is(i + 1, '('))
            is_atomic = true;
        if (is_asm_word(code_, i)) return;
        if (operation != no_token) continue;
        if (i > first && is_assignment(code_, i)) {
            operation = i;
            continue;
        }
        // A member alone may be a field of bits, which has no address.
        if (code_.is(i, '[')) is_memory = true;
        if (code_.is_opener(i)) i = code_.group_end(i, last);
    }
    if (operation != no_token && is_declaration(first, operation)) return;
    const std::uint32_t begin = code_.tokens[first].begin;
    if (is_atomic) {
        edits_.insert(begin, step(first) + ", ");
        edits_.insert(code_.tokens[last].begin, ", " + step(first, true));
        return;
    }
    const bool steps = operation == no_token && (is_step(code_, first) || is_step(code_, last - 2));
    if (operation == no_token && steps && is_memory) {
        edits_.insert(begin, step(first) + ", ");
        edits_.insert(code_.tokens[last].begin, ", " + step(first, true));
        return;
    }
    if (operation == no_token || !is_memory) return;
    edits_.insert(begin, "::cuset_host::in_step(" + place(first) + ", ");
    edits_.insert(code_.tokens[operation - 1].end, ")");
}

// Lanes that leave a loop or a branch early wait behind it for the others.
void step_writer::look_behind_branch(std::uint32_t i, std::uint32_t end) {
    std::uint32_t body = no_token;
    if (code_.is_word(i, "else")) {
        body = i + 1;
    } else if (code_.is_any_word(i, {"if", "for", "while"})) {
        const std::uint32_t open = code_.is_word(i + 1, "constexpr") ? i + 2 : i + 1;
        if (!code_.is(open, '(') || code_.tokens[open].link == no_token) return;
        body = code_.tokens[open].link + 1;
    }
    if (body == no_token || body >= end) return;
    if (code_.is_any_word(
            body, {"if", "for", "while", "do", "switch", "return", "break", "continue", "goto"}))
        return;
    const std::uint32_t last =
        code_.is(body, '{') ? code_.tokens[body].link : statement_end(body, end);
    if (last == no_token || last + 1 >= end || code_.is_word(last + 1, "else")) return;
    edits_.insert(code_.tokens[last].end, ' ' + step(last, true) + ';');
}

void step_writer::look_at(const cuda_function& f, std::uint32_t number) {
    for (std::uint32_t i = f.body.first + 1; i + 1 < f.body.end; ++i) {
        if (code_.is(i, define)) {
            i = code_.tokens[i].link;
            continue;
        }
        if (program_.function_of[i] != number) continue;  // a lambda within
        look_behind_branch(i, f.body.end);
        if (code_.is_word(i, "while") && code_.is(i + 1, '(')) {
            const bool declares = code_.is(i + 2, word) && code_.is(i + 3, word);
            if (!declares && !code_.is(i + 2, ')'))
                edits_.insert(code_.tokens[i + 1].end, step(i) + ", ");
        } else if (code_.is_word(i, "for") && code_.is(i + 1, '(')) {
            const std::uint32_t close = code_.tokens[i + 1].link;
            if (close != no_token && code_.is(close + 1, '{'))
                edits_.insert(code_.tokens[close + 1].end, ' ' + step(i) + ';');
            else if (close != no_token && code_.is(close + 1, ';'))
                edits_.insert(code_.tokens[close].end, ' ' + step(i));
        } else if (begins_statement(i)) {
            look_at_statement(i, f.body.end);
        }
    }
}

}  // namespace

std::vector<bool> functions_with_volatile(const cuda_program& program) {
    const token_stream& code = program.code;
    std::vector<bool> found(program.functions.size());
    // Macros and types whose words hold a volatile.
    std::unordered_set<std::string> names;
    const waiting_loops loops(program);
    for (const cuda_macro& m : program.macros)
        if (code.has_word(m.replacement, {"volatile"})) names.insert(code.spelling(m.name));
    bool is_outside = false;
    for (std::uint32_t i = 0; i < code.size(); ++i) {
        if (!code.is(i, word)) continue;
        // A thread sleeps only to wait.
        const bool sleeps = code.is_word(i, "__nanosleep") && code.is(i + 1, '(');
        if (program.function_of[i] != no_token && (sleeps || loops.begins_at(i))) {
            const cuda_function& f = program.functions[program.function_of[i]];
            if (f.is_global || f.is_device) found[program.function_of[i]] = true;
        }
        // A variable or a member outside of functions is memory that others may see.
        const bool is_volatile =
            code.is_word(i, "volatile") && !is_asm_word(code, i - 1) &&
            (program.function_of[i] == no_token || program.macro_around(i) != nullptr ||
             is_volatile_memory(code, i));
        if (!is_volatile && (names.empty() || !names.contains(code.spelling(i)))) continue;
        const std::uint32_t f = program.function_of[i];
        if (f != no_token)
            found[f] = program.functions[f].is_global || program.functions[f].is_device;
        else if (program.macro_around(i) == nullptr)
            is_outside = true;
    }
    for (std::uint32_t f = 0; f < found.size() && is_outside; ++f)
        found[f] = program.functions[f].is_global || program.functions[f].is_device;
    return found;
}

void add_warp_steps(const cuda_program& program, const std::vector<bool>& wanted,
                    text_edits& edits) {
    step_writer writer(program, edits);
    for (std::uint32_t i = 0; i < program.functions.size(); ++i) {
        const cuda_function& f = program.functions[i];
        if (!wanted[i] || f.body.empty() || f.is_open || f.define != no_token) continue;
        // Functions within others are their own.
        if (f.is_global || f.is_device) writer.look_at(f, i);
    }
}

}  // namespace cuset
