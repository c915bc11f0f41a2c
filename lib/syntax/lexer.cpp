#include "cuset/syntax/lexer.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "brackets.h"
#include "byte_classes.h"
#include "directives.h"

namespace cuset::syntax {
namespace {

constexpr std::string_view launch_functions[] = {
    "cudaLaunchKernel",     "cudaLaunchKernelEx",          "cudaLaunchKernelExC",
    "cuLaunchKernel",       "cudaLaunchCooperativeKernel", "cuLaunchKernelEx",
    "hipLaunchKernel",      "hipLaunchKernelGGL",          "hipLaunchCooperativeKernel",
    "hipModuleLaunchKernel"};

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

class lexer {
public:
    lexer(std::string_view text, token_stream& out, bool structure)
        : out_(out),
          base_(text.data()),
          end_(base_ + text.size()),
          brackets_(out),
          structure_(structure),
          matches_(structure) {}

    void run();

private:
    std::uint32_t offset(const char* p) const { return static_cast<std::uint32_t>(p - base_); }
    [[gnu::always_inline]] void emit(std::uint8_t kind, const char* from, const char* to,
                                     bool spliced = false, std::uint8_t count = 0) {
        out_.tokens.push_back({offset(from), offset(to), no_token, kind, spliced, count});
    }
    [[gnu::always_inline]] void emit_opener(std::uint8_t kind, const char* from, const char* to) {
        emit(kind, from, to);
        if (matches_) brackets_.open();
    }
    [[gnu::always_inline]] void emit_closer(std::uint8_t kind, const char* from, const char* to) {
        emit(kind, from, to);
        if (matches_) brackets_.close();
    }
    // Skips one blank: most words and marks have one behind them, and each turn of the loop over
    // the text costs a jump that is badly predicted.
    const char* skip_space(const char* p) const { return p + (p < end_ && *p == ' '); }
    const char* lex_word(const char* p);
    void expand_brace_macro();
    void note_word(const char* p, const char* q, bool spliced);
    const char* lex_number(const char* p);
    const char* lex_angles(const char* p);
    const char* third_angle(const char* p, const char* q) const;
    const char* lex_percent(const char* p);
    const char* lex_directive(const char* p, const char* after_hash);
    void lex_conditional(pp_keyword keyword, std::string& condition, const char* p);
    void end_define(const char* p);
    void leave_dead();

    token_stream& out_;
    const char* base_;
    const char* end_;
    bracket_matcher brackets_;
    const bool structure_;
    bool matches_;  // structure_, and the text is live
    std::uint32_t define_ = no_token;
    std::vector<std::uint32_t> brace_macros_;  // names in `#define BEGIN {`, `#define END }`
    std::size_t line_tokens_ = 0;  // tokens before this line: tells whether a # begins the line

    enum class group : std::uint8_t { zero, one, varying, unconditional, inside_dead };
    std::vector<group> groups_;
    std::size_t dead_groups_ = 0;  // groups_[0 .. dead_groups_) contain the dead branch; 0: live
    std::size_t dead_tokens_ = 0, dead_heads_ = 0, dead_launches_ = 0;
};

void lexer::run() {
    const char* p = base_;
    if (out_.text.starts_with("\xEF\xBB\xBF")) p += 3;
    while (p < end_) {
        const char* const from = p;
        switch (class_of(*p)) {
            case blank: p = skip_spaces(p + 1, end_); break;
            case newline:
                if (define_ != no_token) end_define(p);
                line_tokens_ = out_.tokens.size();
                p = skip_spaces(p + 1, end_);
                break;
            case letter: p = skip_space(lex_word(p)); break;
            case digit: p = skip_space(lex_number(p)); break;
            case quote:
                p = end_of_quoted(p, end_);
                emit(string, from, p);
                break;
            case apostrophe:
                p = end_of_quoted(p, end_);
                emit(character, from, p);
                break;
            case slash:
                p = end_of_comment(p, end_);
                if (p == from) emit('/', from, ++p);
                break;
            case backslash:
                p = skip_splices(p, end_);
                if (p == from) emit('\\', from, ++p);
                break;
            case hash:
                if (define_ == no_token && out_.tokens.size() == line_tokens_) {
                    p = lex_directive(p, p + 1);
                } else if (const char* q = skip_splices(p + 1, end_); q < end_ && *q == '#') {
                    emit(paste, from, p = q + 1);
                } else {
                    emit('#', from, ++p);
                }
                break;
            case dot:
                if (p + 1 < end_ && class_of(p[1]) == digit) {
                    p = lex_number(p);
                } else {
                    emit('.', from, ++p);
                }
                break;
            case opener: emit_opener(static_cast<std::uint8_t>(*from), from, ++p); break;
            case closer:
                emit_closer(static_cast<std::uint8_t>(*from), from, ++p);
                p = skip_space(p);
                break;
            case less_than:
            case greater_than: p = lex_angles(p); break;
            case minus:
            case colon:
            case equals: {
                const char* q = skip_splices(p + 1, end_);
                const char next = q < end_ ? *q : '\0';
                std::uint8_t two = 0;
                if (*p == '-' && next == '>') two = arrow;
                if (*p == ':' && next == ':') two = scope;
                if (class_of(*p) == equals && next == '=') two = comparison;
                if (*p == ':' && next == '>') {
                    emit_closer(']', from, p = q + 1);
                } else if (two != 0) {
                    emit(two, from, p = q + 1);
                } else {
                    emit(static_cast<std::uint8_t>(*from), from, ++p);
                }
                p = skip_space(p);
                break;
            }
            case percent: p = lex_percent(p); break;
            case other:
                emit(static_cast<std::uint8_t>(*from), from, ++p);
                p = skip_space(p);
                break;
        }
    }
    if (define_ != no_token) end_define(end_);
    if (dead_groups_ != 0) leave_dead();
}

const char* lexer::lex_word(const char* p) {
    const char* q = skip_word_bytes(p + 1, end_);
    bool spliced = false;
    while (q < end_ && *q == '\\') {
        const char* after = skip_splices(q, end_);
        if (after == q || after == end_ || !is_word_byte(*after)) break;
        spliced = true;
        q = skip_word_bytes(after, end_);
    }
    if (q < end_ && (*q == '"' || *q == '\'') && q - p <= 3) {
        const std::string_view prefix(p, static_cast<std::size_t>(q - p));
        const bool raw = prefix.back() == 'R' && *q == '"';
        const std::string_view encoding = prefix.substr(0, prefix.size() - (raw ? 1 : 0));
        if (encoding.empty() || encoding == "u8" || encoding == "u" || encoding == "U" ||
            encoding == "L") {
            const char* to = raw ? end_of_raw_string(q, end_) : end_of_quoted(q, end_);
            emit(*q == '"' ? string : character, p, to);
            return to;
        }
    }
    emit(word, p, q, spliced);
    if (!structure_) return q;
    if (!brace_macros_.empty()) expand_brace_macro();
    if (*p == '_' || *p == 'c' || *p == 'h') note_word(p, q, spliced);
    return q;
}

// A word that stands for a brace becomes that brace.
void lexer::expand_brace_macro() {
    const std::uint32_t index = out_.size() - 1;
    if (out_.is(index - 1, define)) return;
    for (const std::uint32_t name : brace_macros_) {
        if (out_.spelling(name) != out_.spelling(index)) continue;
        const std::uint8_t brace = out_.tokens[name + 1].kind;
        out_.tokens[index].kind = brace;
        if (dead_groups_ != 0) return;
        return brace == '{' ? brackets_.open() : brackets_.close();
    }
}

// Records the words that begin spans, and those that distinguish CUDA from HIP.
void lexer::note_word(const char* p, const char* q, bool spliced) {
    const auto index = static_cast<std::uint32_t>(out_.tokens.size() - 1);
    std::string joined;
    std::string_view w(p, static_cast<std::size_t>(q - p));
    if (spliced) w = joined = out_.spelling(index);
    if (w[0] == '_') {
        if (w == "__global__") out_.heads.push_back({index, define_});
        return;
    }
    if (w.size() < 5) return;
    const bool hip = w.starts_with("hip") && is_upper(w[3]);
    const bool cuda =
        (w.starts_with("cuda") && is_upper(w[4])) || (w.starts_with("cu") && is_upper(w[2]));
    if (!hip && !cuda) return;
    if (dead_groups_ == 0) ++(hip ? out_.hip_names : out_.cuda_names);
    if (w.size() < 14 || w.find("Launch") == w.npos) return;
    if (std::ranges::find(launch_functions, w) != std::end(launch_functions)) {
        out_.launches.push_back({index, define_});
    }
}

// A preprocessing number, which includes digit separators, suffixes and signed exponents.
const char* lexer::lex_number(const char* p) {
    const char* q = p;
    bool spliced = false;
    while (q < end_) {
        const char before = q > p ? q[-1] : '\0';
        if (is_word_byte(*q) || *q == '.') {
            ++q;
        } else if ((*q == '+' || *q == '-') &&
                   (before == 'e' || before == 'E' || before == 'p' || before == 'P')) {
            ++q;
        } else if (*q == '\'' && q + 1 < end_ && is_word_byte(q[1])) {
            ++q;
        } else if (const char* after = skip_splices(q, end_);
                   after != q && after < end_ && is_word_byte(*after)) {
            spliced = true;
            q = after;
        } else {
            break;
        }
    }
    emit(number, p, q, spliced);
    return q;
}

// nvcc accepts `<< <` and `>> >` as `<<<` and `>>>`; formatters without CUDA support write them.
// Blanks and comments may precede the third, and after `>>` also newlines. [p, q) is a run of two.
// Returns the position after the third, or q if there is none.
const char* lexer::third_angle(const char* p, const char* q) const {
    const char c = *p;
    const bool over_lines = c == '>' && define_ == no_token;
    if (c == '<' && q != p + 2) return q;
    const char* at = q;
    while (at < end_ && *at != c) {
        const char* from = at;
        if (*at == ' ' || (*at >= '\t' && *at <= '\r' && (over_lines || *at != '\n'))) {
            ++at;
        } else if (*at == '/') {
            at = end_of_comment(at, end_);
            if (c == '<' && std::find(from, at, '\n') != at) return q;
        } else if (c == '>') {
            at = skip_splices(at, end_);
        }
        if (at == from) return q;
    }
    if (at == q || at == end_) return q;
    const char next = end_ - at > 1 ? at[1] : '\0';
    if (next == c || next == '=') return q;
    if (c == '<' && (next == '%' || (next == ':' && (end_ - at < 3 || at[2] != ':')))) return q;
    return at + 1;
}

const char* lexer::lex_angles(const char* p) {
    const char c = *p;
    const char* q = p;
    std::size_t count = 0;
    const char* next = p;
    while (next < end_ && *next == c) {
        ++count;
        q = next + 1;
        next = skip_splices(q, end_);
    }
    if (c == '<' && count == 1 && next < end_ && *next == '%') {
        emit_opener('{', p, next + 1);
        return next + 1;
    }
    // In `f<::g>` the colons belong together.
    if (c == '<' && count == 1 && next < end_ && *next == ':' &&
        (end_ - next < 2 || next[1] != ':' ||
         (end_ - next > 2 && (next[2] == ':' || next[2] == '>')))) {
        emit_opener('[', p, next + 1);
        return next + 1;
    }
    if (count == 2 && (next == end_ || *next != '=')) {
        if (const char* third = third_angle(p, q); third != q) {
            count = 3;
            q = next = third;
        }
    }
    const auto run = static_cast<std::uint8_t>(std::min<std::size_t>(count, 255));
    if (count <= 2 && next < end_ && *next == '=') {
        emit(comparison, p, next + 1);
        return next + 1;
    }
    // `operator<<<T>(…)` is the only place where C++ itself has three in a row.
    if (c == '<' && count == 3 && !out_.is_word(out_.size() - 1, "operator")) {
        out_.launches.push_back({out_.size(), define_});
        emit(launch_open, p, q, false, run);
    } else {
        emit(c == '<' ? less : greater, p, q, false, run);
    }
    return q;
}

// Digraphs: %> is }, %: is #, and %:%: is ##.
const char* lexer::lex_percent(const char* p) {
    const char* q = skip_splices(p + 1, end_);
    if (q < end_ && *q == '>') {
        emit_closer('}', p, q + 1);
        return q + 1;
    }
    if (q == end_ || *q != ':') {
        emit('%', p, p + 1);
        return p + 1;
    }
    if (define_ == no_token && out_.tokens.size() == line_tokens_) return lex_directive(p, q + 1);
    const bool pastes = end_ - q > 2 && q[1] == '%' && q[2] == ':';
    q += pastes ? 3 : 1;
    emit(pastes ? std::uint8_t{paste} : std::uint8_t{'#'}, p, q);
    return q;
}

void lexer::end_define(const char* p) {
    const std::uint32_t index = out_.size();
    emit(define_end, p, p);
    out_.tokens[index].link = define_;
    out_.tokens[define_].link = index;
    constexpr std::size_t most_brace_macros = 16;
    if (index == define_ + 3 && out_.is(index - 2, word) && dead_groups_ == 0 &&
        (out_.is(index - 1, '{') || out_.is(index - 1, '}')) &&
        brace_macros_.size() < most_brace_macros) {
        brace_macros_.push_back(index - 2);
    }
    define_ = no_token;
    if (dead_groups_ == 0) brackets_.end_define();
}

// `p` is at the # of a line (or its digraph); returns the position of the newline that ends the
// directive, or, for #define, that of the macro's name.
const char* lexer::lex_directive(const char* p, const char* after_hash) {
    std::string name;
    const char* after = read_directive_name(after_hash, end_, name);
    const pp_keyword keyword = directive_keyword(name);
    if (keyword == pp_keyword::define) {
        define_ = out_.size();
        emit(define, p, after);
        if (dead_groups_ == 0) brackets_.begin_define();
        return after;
    }
    std::string rest;
    const char* const argument = after;
    after = read_directive_rest(after, end_, rest);
    const bool opens =
        keyword == pp_keyword::if_ || keyword == pp_keyword::ifdef || keyword == pp_keyword::ifndef;
    const bool inside_dead =
        dead_groups_ != 0 && (opens || groups_.size() > dead_groups_ ||
                              keyword == pp_keyword::include || keyword == pp_keyword::other);
    if (keyword == pp_keyword::include) {
        if (dead_groups_ == 0 && rest.find("hip/") != rest.npos) ++out_.hip_names;
        if (dead_groups_ == 0 && rest.find("cuda") != rest.npos) ++out_.cuda_names;
    } else if (keyword != pp_keyword::other) {
        lex_conditional(keyword, rest, p);
    }
    if (!inside_dead) {
        out_.directives.push_back(
            {offset(p), offset(argument), offset(after), out_.size(), keyword});
    }
    return after;
}

// Dead tokens are made and then removed again here: dead text is rare, and a test at every token
// would cost more.
void lexer::leave_dead() {
    out_.tokens.resize(dead_tokens_);
    out_.heads.resize(dead_heads_);
    out_.launches.resize(dead_launches_);
    dead_groups_ = 0;
    matches_ = structure_;
}

void lexer::lex_conditional(pp_keyword keyword, std::string& condition, const char* p) {
    const auto mark = [&](std::uint8_t kind, std::uint32_t link) {
        out_.conditionals.push_back(out_.size());
        emit(kind, p, p);
        out_.tokens.back().link = link;
    };
    const auto enter_dead = [&] {
        dead_groups_ = groups_.size();
        dead_tokens_ = out_.tokens.size();
        dead_heads_ = out_.heads.size();
        dead_launches_ = out_.launches.size();
        matches_ = false;
    };
    const bool opens =
        keyword == pp_keyword::if_ || keyword == pp_keyword::ifdef || keyword == pp_keyword::ifndef;
    if (dead_groups_ != 0 && (opens || groups_.size() > dead_groups_)) {
        if (opens) groups_.push_back(group::inside_dead);
        if (keyword == pp_keyword::endif) groups_.pop_back();
        return;
    }
    if (opens) {
        const bool plain = keyword == pp_keyword::if_;
        if (plain && (condition == "0" || condition == "false")) {
            groups_.push_back(group::zero);
            enter_dead();
            return;
        }
        const bool one = plain && condition == "1";
        groups_.push_back(one ? group::one : group::varying);
        mark(pp_if, one ? always_true : condition_hash(keyword, condition));
        brackets_.begin_group();
        return;
    }
    if (groups_.empty()) return;  // the text begins inside a conditional
    const bool was_dead = dead_groups_ != 0;
    if (was_dead) leave_dead();
    group& g = groups_.back();
    if (keyword == pp_keyword::endif) {
        if (g == group::one || g == group::varying) {
            mark(pp_endif, no_token);
            brackets_.end_group();
        }
        groups_.pop_back();
    } else if (keyword == pp_keyword::else_) {
        if (g == group::one) {
            enter_dead();
        } else if (g == group::zero) {
            g = group::unconditional;
        } else if (g == group::varying) {
            mark(pp_else, no_token);
            brackets_.next_branch();
        }
    } else if (g == group::zero) {  // `#if 0 … #elif X`: X decides
        g = group::varying;
        mark(pp_if, condition_hash(keyword, condition));
        brackets_.begin_group();
    } else if (g == group::one || g == group::varying) {
        mark(pp_elif, condition_hash(keyword, condition));
        brackets_.next_branch();
    }
}

}  // namespace

const char* skip_splices(const char* p, const char* end) {
    while (p < end && *p == '\\') {
        const char* q = p + 1;
        while (q < end && (*q == ' ' || *q == '\t' || *q == '\r')) ++q;
        if (q == end || *q != '\n') break;
        p = q + 1;
    }
    return p;
}

namespace {

void lex(std::string_view text, token_stream& out, bool structure) {
    out.text = text;
    out.tokens.clear();
    out.heads.clear();
    out.launches.clear();
    out.conditionals.clear();
    out.directives.clear();
    out.splits_brackets = false;
    out.cuda_names = out.hip_names = 0;
    lexer(text, out, structure).run();
}

}  // namespace

void lex(std::string_view text, token_stream& out) { lex(text, out, true); }

void lex_without_structure(std::string_view text, token_stream& out) { lex(text, out, false); }

}  // namespace cuset::syntax
