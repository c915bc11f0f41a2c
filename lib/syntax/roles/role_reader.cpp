#include "roles/role_reader.h"

#include <algorithm>

#include "directives.h"
#include "finder.h"
#include "statements.h"

namespace cuset::syntax {
namespace {

bool is_white(char c) { return static_cast<unsigned char>(c) <= ' '; }

/// The function's tokens, from its head to its body's end or, if it is only declared, the
/// semicolon. Of a lambda only the body is a piece that the grammar reads.
token_range tokens_of(const token_stream& code, const cuda_function& f) {
    if (f.is_lambda) return f.body;
    if (!f.body.empty()) return {f.head.first, f.body.end};
    return {f.head.first, code.is(f.parameters.end, ';') ? f.parameters.end + 1 : f.parameters.end};
}

}  // namespace

void role_reader::add(token_role role, std::size_t begin, std::size_t end) {
    if (begin >= end) return;
    if (!runs_.empty() && runs_.back().role == role) {
        runs_.back().end = end;
    } else {
        runs_.push_back({role, begin, end});
    }
}

// Between tokens there are white space, comments, dead branches, directives other than #define, and
// spliced newlines.
void role_reader::add_gap(const token_stream& code, std::size_t begin, std::size_t end,
                          token_role around) {
    const char* const base = code.text.data();
    const char* p = base + begin;
    const char* const stop = base + end;
    while (p < stop) {
        if (is_white(*p)) {
            ++p;
            continue;
        }
        const auto at = static_cast<std::size_t>(p - base);
        while (next_directive_ < code.directives.size() &&
               code.directives[next_directive_].end <= at)
            ++next_directive_;
        const bool in_directive = next_directive_ < code.directives.size() &&
                                  code.directives[next_directive_].begin <= at;
        const std::size_t limit =
            next_directive_ >= code.directives.size() ? end
            : in_directive ? std::min<std::size_t>(end, code.directives[next_directive_].end)
                           : std::min<std::size_t>(end, code.directives[next_directive_].begin);
        const char* const to = base + limit;
        const char* q = p;
        token_role role = token_role::comment;
        if (*p == '/' && (q = end_of_comment(p, to)) != p) {
            q = std::min(q, to);
        } else if (*p == '\\' && skip_splices(p, to) != p) {
            q = p + 1;
            role = around;
        } else if (in_directive) {
            role = around;
            for (q = p; q < to && end_of_comment(q, *q == '/' ? to : q) == q;)
                q = *q == '"' || *q == '\'' ? end_of_quoted(q, to) : q + 1;
            q = std::max(q, p + 1);
        } else {
            q = to;  // a dead branch
        }
        const char* last = q;
        while (last > p && is_white(last[-1])) --last;
        add(role, at, static_cast<std::size_t>(last - base));
        p = q;
    }
}

void role_reader::make_runs(const token_stream& code) {
    runs_.clear();
    next_directive_ = 0;
    std::size_t at = 0;
    for (std::uint32_t i = 0; i < code.size(); ++i) {
        const token& t = code.tokens[i];
        const token_role around = continues_[i] ? token_role::arithmetic : token_role::host;
        if (t.begin > at) add_gap(code, at, t.begin, around);
        std::size_t end = t.end;  // a string that the text cuts off may end in white space
        while (end > t.begin && is_white(code.text[end - 1])) --end;
        add(roles_[i], t.begin, end);
        at = std::max<std::size_t>(at, t.end);
    }
    add_gap(code, at, code.text.size(), token_role::host);
}

void role_reader::read_launches(const token_stream& code) {
    std::vector<finding> found;
    find_spans(code, found);
    extent_reader extents(code);
    const auto paint = [&](byte_range r) {
        auto i = static_cast<std::size_t>(
            std::ranges::lower_bound(code.tokens, r.begin, {}, &token::begin) -
            code.tokens.begin());
        for (; i < code.tokens.size() && code.tokens[i].begin < r.end; ++i)
            roles_[i] = token_role::launch;
    };
    for (const finding& f : found) {
        if (f.kind != span_kind::launch) continue;
        paint(extents.statement(f));
        for (const byte_range r : extents.setup(f)) paint(r);
    }
}

void role_reader::read_device_code(const cuda_program& program) {
    std::uint32_t end = 0;
    for (const cuda_function& f : program.functions) {
        if (!f.is_global && !f.is_device) continue;
        const token_range range = tokens_of(program.code, f);
        if (range.empty() || range.first < end) continue;
        recovered_ += device_.read(program.code, range, globals_, roles_);
        end = range.end;
    }
}

const std::vector<role_run>& role_reader::read(std::string_view text) {
    const cuda_program program = read_cuda_program(text);
    const token_stream& code = program.code;
    recovered_ = 0;
    is_device_.assign(code.size(), false);
    continues_.assign(code.size(), false);
    for (const cuda_function& f : program.functions) {
        if (!f.is_global && !f.is_device) continue;
        const token_range range = tokens_of(code, f);
        const std::uint32_t first = f.is_lambda ? f.head.first : range.first;
        std::fill(is_device_.begin() + first, is_device_.begin() + range.end, true);
        if (first < range.end)
            std::fill(continues_.begin() + first + 1, continues_.begin() + range.end, true);
    }
    roles_.resize(code.size());
    globals_.clear();
    read_lexical_roles(code, is_device_, roles_, globals_);
    read_device_code(program);
    read_launches(code);
    make_runs(code);
    return runs_;
}

}  // namespace cuset::syntax
