#include "rewriting.h"

namespace cuset {

using namespace syntax;

namespace {

/// Whether a statement that begins with it declares no array of a thread's own: arrays that are
/// constant, static or shared lie elsewhere.
bool declares_no_local(const token_stream& code, std::uint32_t i) {
    return code.is_any_word(i,
                            {"asm",     "break",     "case",   "const",     "constexpr", "continue",
                             "default", "delete",    "do",     "else",      "enum",      "extern",
                             "for",     "goto",      "if",     "namespace", "new",       "public",
                             "private", "protected", "return", "sizeof",    "static",    "switch",
                             "throw",   "typedef",   "using",  "while",     "__shared__"});
}

/// The first name that the declaration which begins at `i` declares, or no_token where there is
/// none.
std::uint32_t first_declared(const token_stream& code, std::uint32_t i, std::uint32_t end) {
    const std::uint32_t begin = i;
    bool has_type = false;
    while (i + 1 < end) {
        if (code.is(i, word)) {
            if (declares_no_local(code, i)) return no_token;
            if (has_type && (code.is(i + 1, '[') || code.is(i + 1, ',') || code.is(i + 1, '='))) {
                const bool is_named = code.is(i - 1, word) || code.is(i - 1, greater) ||
                                      (code.is(i - 1, '*') && i > begin + 1);
                return is_named ? i : no_token;
            }
            has_type = true;
            ++i;
        } else if (has_type && code.is(i, less)) {
            i = closing_angle(code, i, end);
            if (i == no_token) return no_token;
            ++i;
        } else if (code.is(i, scope) || (has_type && code.is(i, '*'))) {
            ++i;
        } else {
            return no_token;
        }
    }
    return no_token;
}

class local_array_marks {
public:
    local_array_marks(const cuda_program& program, text_edits& edits)
        : code_(program.code), edits_(edits) {}

    void mark(token_range body) {
        for (std::uint32_t i = body.first + 1; i + 1 < body.end; ++i) {
            if (code_.is(i, '(')) {  // the parts of a for's head are no declarations of arrays
                const std::uint32_t close = code_.closer_of(i);
                if (close == no_token) return;
                i = close;
            } else if (is_class(i)) {
                const std::uint32_t close = code_.closer_of(i);
                if (close == no_token) return;
                i = close;
            } else if (code_.is(i - 1, '{') || code_.is(i - 1, ';') || code_.is(i - 1, '}')) {
                const std::uint32_t name = first_declared(code_, i, body.end);
                if (name != no_token) i = mark_declaration(name, body.end);
            }
        }
    }

private:
    /// Whether the brace at i opens a class in a function: its arrays are members.
    bool is_class(std::uint32_t i) const {
        if (!code_.is(i, '{')) return false;
        constexpr std::uint32_t longest = 16;
        for (std::uint32_t j = i; j > 0 && i - j < longest; --j) {
            if (code_.is_any_word(j - 1, {"struct", "class", "union", "enum"})) return true;
            if (!code_.is(j - 1, word) && !code_.is(j - 1, scope) && !code_.is(j - 1, ':') &&
                !code_.is(j - 1, ','))
                return false;
        }
        return false;
    }

    /// Returns the declaration's last token.
    std::uint32_t mark_declaration(std::uint32_t name, std::uint32_t end) {
        std::string words;
        std::uint32_t i = name;
        for (; i < end && !code_.is(i, ';') && !code_.is(i, '}'); ++i) {
            const bool begins =
                i == name || code_.is(i - 1, ',') || (code_.is(i - 1, '*') && code_.is(i - 2, ','));
            if (begins && code_.is(i, word) && code_.is(i + 1, '['))
                words += " CUSET_HOST_LOCAL_ARRAY(" + code_.spelling(i) + ")";
            if (code_.is_opener(i) && code_.closer_of(i) != no_token) {
                i = code_.closer_of(i);
            } else if (code_.is(i, less)) {
                const std::uint32_t close = closing_angle(code_, i, end);
                if (close != no_token) i = close;
            }
        }
        const std::uint32_t after = code_.tokens[i].end;
        if (i < end && code_.is(i, ';')) edits_.offer({{after, after, std::move(words)}});
        return i;
    }

    const token_stream& code_;
    text_edits& edits_;
};

}  // namespace

void mark_local_arrays(const cuda_program& program, text_edits& edits) {
    local_array_marks marks(program, edits);
    for (const cuda_function& f : program.functions)
        if ((f.is_global || f.is_device) && !f.is_constexpr && f.define == no_token && !f.is_open &&
            f.body.end > f.body.first + 1)
            marks.mark(f.body);
}

}  // namespace cuset
