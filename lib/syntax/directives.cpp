#include "directives.h"

#include <cstring>

namespace cuset::syntax {
namespace {

const char* find_byte(const char* p, const char* end, char c) {
    const void* hit = p < end ? std::memchr(p, c, static_cast<std::size_t>(end - p)) : nullptr;
    return hit ? static_cast<const char*>(hit) : end;
}

// Whether a backslash before it removes the newline at `p`.
bool is_spliced(const char* begin, const char* p) {
    while (p > begin && (p[-1] == ' ' || p[-1] == '\t' || p[-1] == '\r')) --p;
    return p > begin && p[-1] == '\\';
}

// The position after blanks, splices and block comments.
const char* skip_blanks(const char* p, const char* end) {
    while (p < end) {
        const char* q = p;
        if (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\f' || *p == '\v') {
            q = p + 1;
        } else if (*p == '\\') {
            q = skip_splices(p, end);
        } else if (*p == '/' && p + 1 < end && p[1] == '*') {
            q = end_of_comment(p, end);
        }
        if (q == p) break;
        p = q;
    }
    return p;
}

}  // namespace

const char* end_of_quoted(const char* p, const char* end) {
    const char mark = *p++;
    while (p < end && *p != mark && *p != '\n') {
        if (*p == '\\') {
            const char* after = skip_splices(p, end);
            if (after == p) {  // an escape: a splice may separate it from its character
                after = skip_splices(p + 1, end);
                if (after < end && *after != '\n') ++after;
            }
            p = after;
        } else {
            ++p;
        }
    }
    return p < end && *p == mark ? p + 1 : p;
}

const char* end_of_raw_string(const char* p, const char* end) {
    constexpr std::ptrdiff_t longest_delimiter = 16;
    const char* open = p + 1;
    while (open < end && *open != '(') {
        const char c = *open;
        if (c == ')' || c == '\\' || c == '"' || c == ' ' || (c >= '\t' && c <= '\r') ||
            open - p > longest_delimiter) {
            return end_of_quoted(p, end);
        }
        ++open;
    }
    if (open == end) return end;
    const std::string close = ")" + std::string(p + 1, open) + "\"";
    const void* hit =
        memmem(open, static_cast<std::size_t>(end - open), close.data(), close.size());
    return hit ? static_cast<const char*>(hit) + close.size() : end;
}

const char* end_of_comment(const char* p, const char* end) {
    const char* q = skip_splices(p + 1, end);
    if (q == end || (*q != '/' && *q != '*')) return p;
    const bool line = *q == '/';
    const char* const body = ++q;
    if (line) {
        for (;; ++q) {
            q = find_byte(q, end, '\n');
            if (q == end || !is_spliced(body, q)) return q;
        }
    }
    for (;; ++q) {
        q = find_byte(q, end, '*');
        if (q == end) return end;
        const char* slash = skip_splices(q + 1, end);
        if (slash < end && *slash == '/') return slash + 1;
    }
}

pp_keyword directive_keyword(std::string_view name) {
    using enum pp_keyword;
    constexpr struct {
        std::string_view name;
        pp_keyword keyword;
    } table[] = {{"if", if_},          {"ifdef", ifdef},       {"ifndef", ifndef}, {"elif", elif},
                 {"elifdef", elifdef}, {"elifndef", elifndef}, {"else", else_},    {"endif", endif},
                 {"define", define},   {"include", include},   {"import", include}};
    for (const auto& entry : table) {
        if (entry.name == name) return entry.keyword;
    }
    return other;
}

const char* read_directive_name(const char* p, const char* end, std::string& name) {
    p = skip_blanks(p, end);
    for (;;) {
        p = skip_splices(p, end);
        if (p == end || !is_word_byte(*p)) return p;
        name += *p++;
    }
}

const char* read_directive_rest(const char* p, const char* end, std::string& rest) {
    bool blank = false;
    const auto append = [&](const char* from, const char* to) {
        if (blank && !rest.empty() && is_word_byte(rest.back()) && is_word_byte(*from)) rest += ' ';
        blank = false;
        rest.append(from, to);
    };
    while (p < end && *p != '\n') {
        if (const char* q = skip_splices(p, end); q != p) {
            p = q;
        } else if (static_cast<unsigned char>(*p) <= ' ') {
            blank = true;
            ++p;
        } else if (*p == '/' && (q = end_of_comment(p, end)) != p) {
            blank = true;
            p = q;
        } else {
            q = *p == '"' || *p == '\'' ? end_of_quoted(p, end) : p + 1;
            append(p, q);
            p = q;
        }
    }
    return p;
}

std::uint32_t condition_hash(pp_keyword keyword, std::string_view condition) {
    bool negated = keyword == pp_keyword::ifndef || keyword == pp_keyword::elifndef;
    const bool tests_name =
        negated || keyword == pp_keyword::ifdef || keyword == pp_keyword::elifdef;
    const auto is_name = [](std::string_view s) {
        for (char c : s) {
            if (!is_word_byte(c)) return false;
        }
        return !s.empty();
    };
    std::string canonical(condition);
    if (tests_name) canonical.insert(0, "defined ");
    const auto simplify = [&](std::string_view s) {
        if (s.starts_with("defined(") && s.ends_with(")") && is_name(s.substr(8, s.size() - 9))) {
            return "defined " + std::string(s.substr(8, s.size() - 9));
        }
        if (s.starts_with("defined ") && is_name(s.substr(8))) return std::string(s);
        return is_name(s) ? std::string(s) : std::string();
    };
    const bool bang = canonical.starts_with("!");
    if (std::string atom = simplify(std::string_view(canonical).substr(bang ? 1 : 0));
        !atom.empty()) {
        canonical = std::move(atom);
        negated ^= bang;
    }
    std::uint32_t h = 2166136261u;  // FNV-1a
    for (char c : canonical) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
    h &= ~1u;
    if (h == always_true) h = 2;
    return h | (negated ? 1u : 0u);
}

}  // namespace cuset::syntax
