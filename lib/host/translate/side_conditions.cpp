#include "translate/side_conditions.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace cuset {

namespace {

constexpr std::string_view unknown_value = "?";
constexpr int deepest = 16;  // macros in macros, and parentheses times operators

bool is_name(std::string_view w) {
    return !w.empty() && syntax::is_word_byte(w[0]) && (w[0] < '0' || w[0] > '9');
}

std::vector<std::string_view> words_of(std::string_view text) {
    constexpr std::string_view pairs[] = {"&&", "||", "==", "!=", "<=", ">=", "<<", ">>"};
    std::vector<std::string_view> words;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t length = 1;
        if (text[i] == '\\' || text[i] == ' ' || text[i] == '\t' || text[i] == '\n' ||
            text[i] == '\r') {
            ++i;
            continue;
        }
        if (text.substr(i, 2) == "//") break;
        if (text.substr(i, 2) == "/*") {
            const std::size_t end = text.find("*/", i + 2);
            i = end == text.npos ? text.size() : end + 2;
            continue;
        }
        if (syntax::is_word_byte(text[i])) {
            while (i + length < text.size() && syntax::is_word_byte(text[i + length])) ++length;
        } else if (syntax::is_one_of(text.substr(i, 2), pairs)) {
            length = 2;
        }
        words.push_back(text.substr(i, length));
        i += length;
    }
    return words;
}

using value = std::optional<std::int64_t>;

class evaluation {
public:
    explicit evaluation(std::vector<std::string_view> words) : words_(std::move(words)) {}
    value run() {
        const value v = binary(1, 0);
        return at_ == words_.size() ? v : std::nullopt;
    }

private:
    std::string_view next() const { return at_ < words_.size() ? words_[at_] : ""; }
    value primary(int depth);
    value binary(int lowest, int depth);

    std::vector<std::string_view> words_;
    std::size_t at_ = 0;
};

value evaluation::primary(int depth) {
    if (depth > deepest) {
        at_ = words_.size() + 1;
        return std::nullopt;
    }
    const std::string_view w = next();
    if (w.empty()) {
        at_ = words_.size() + 1;  // no expression
        return std::nullopt;
    }
    ++at_;
    if (w == "(") {
        const value v = binary(1, depth + 1);
        if (next() == ")") ++at_;
        return v;
    }
    if (w == "!" || w == "-" || w == "+" || w == "~") {
        const value v = primary(depth + 1);
        if (!v || *v == std::numeric_limits<std::int64_t>::min()) return std::nullopt;
        return w == "!" ? value(*v == 0) : w == "-" ? value(-*v) : w == "~" ? value(~*v) : v;
    }
    std::int64_t number = 0;
    const bool is_hexadecimal = w.starts_with("0x") || w.starts_with("0X");
    const char* const from = w.data() + (is_hexadecimal ? 2 : 0);
    const auto read = std::from_chars(from, w.data() + w.size(), number, is_hexadecimal ? 16 : 10);
    if (read.ec == std::errc() && read.ptr != from) return number;  // a suffix may follow
    if (w == "true") return 1;
    if (is_name(w) && next() == "(") {  // a macro with arguments, or __has_include
        for (int open = 0; at_ < words_.size();) {
            const std::string_view part = words_[at_++];
            open += part == "(" ? 1 : part == ")" ? -1 : 0;
            if (open == 0) break;
        }
        return std::nullopt;
    }
    return is_name(w) ? value(0) : std::nullopt;
}

int strength_of(std::string_view w) {
    constexpr std::string_view levels[] = {"||",    "&&",        "|",     "^",   "&",
                                           "== !=", "< > <= >=", "<< >>", "+ -", "* / %"};
    for (int level = 0; level < 10; ++level)
        for (const std::string_view each : words_of(levels[level]))
            if (each == w) return level + 1;
    return 0;
}

value combined(std::string_view w, value a, value b) {
    if (w == "&&") {
        if ((a && *a == 0) || (b && *b == 0)) return 0;
        return a && b ? value(1) : std::nullopt;
    }
    if (w == "||") {
        if ((a && *a != 0) || (b && *b != 0)) return 1;
        return a && b ? value(0) : std::nullopt;
    }
    if (!a || !b) return std::nullopt;
    if (w == "==") return *a == *b;
    if (w == "!=") return *a != *b;
    if (w == "<") return *a < *b;
    if (w == ">") return *a > *b;
    if (w == "<=") return *a <= *b;
    if (w == ">=") return *a >= *b;
    if (w == "|") return *a | *b;
    if (w == "^") return *a ^ *b;
    if (w == "&") return *a & *b;
    constexpr std::int64_t most = std::int64_t{1} << 30;  // keeps what follows from overflowing
    if (*a > most || *a < -most || *b > most || *b < -most) return std::nullopt;
    if (w == "+") return *a + *b;
    if (w == "-") return *a - *b;
    if (w == "*") return *a * *b;
    if (*b < 0 || (w.size() == 2 && (*b > 30 || *a < 0))) return std::nullopt;
    if (w == "<<") return *a << *b;
    if (w == ">>") return *a >> *b;
    return *b == 0 ? std::nullopt : w == "/" ? value(*a / *b) : value(*a % *b);
}

value evaluation::binary(int lowest, int depth) {
    value left = primary(depth);
    for (int strength; (strength = strength_of(next())) >= lowest && strength > 0;) {
        const std::string_view w = words_[at_++];
        left = combined(w, left, binary(strength + 1, depth + 1));
    }
    return left;
}

}  // namespace

side_macros::side_macros(const std::string& arch, const nvcc_dialect& dialect) {
    set("__CUDACC__", "1");
    set("__NVCC__", "1");
    const std::string& version = dialect.cuda_version;  // "13.0", of which the macros have 13000
    const std::size_t dot = std::min(version.find('.'), version.size());
    const std::string major = version.substr(0, dot);
    const std::string minor = dot == version.size() ? "0" : version.substr(dot + 1);
    const std::string number = major + (minor.size() < 2 ? "0" : "") + minor + '0';
    set("CUDART_VERSION", number);
    set("CUDA_VERSION", number);
    set("__CUDACC_VER_MAJOR__", major);
    set("__CUDACC_VER_MINOR__", minor);
    for (const char* name :
         {"__cplusplus", "__GNUC__", "__CUDA_ARCH_LIST__", "__x86_64__", "__linux__", "NDEBUG"})
        forget(name);
    for (const std::string& flag : dialect.definitions) define_as(flag);
    if (!arch.empty()) set("__CUDA_ARCH__", arch);
}

/// A flag of the command line: -DNAME is 1.
void side_macros::define_as(std::string_view flag) {
    const bool defines = flag.starts_with("-D");
    if (!defines && !flag.starts_with("-U")) return;
    flag.remove_prefix(2);
    const std::size_t end = std::min(flag.find_first_of("=("), flag.size());
    const std::string name(flag.substr(0, end));
    if (!is_name(name)) return;
    if (!defines)
        set(name, std::nullopt);
    else if (end == flag.size())
        set(name, "1");
    else if (flag[end] == '=')
        set(name, std::string(flag.substr(end + 1)));
    else
        forget(name);
}

void side_macros::set(const std::string& name, std::optional<std::string> replacement) {
    macros_[name] = replacement ? state{state::defined, *std::move(replacement)} : state{};
}

void side_macros::forget(const std::string& name) { macros_[name] = {state::unknown, {}}; }

side_macros::state side_macros::of(const std::string& name) const {
    const auto found = macros_.find(name);
    return found == macros_.end() ? state{} : found->second;
}

bool side_macros::is_same(const std::string& name, const side_macros& other) const {
    return of(name) == other.of(name);
}

void side_macros::expand(std::string_view text, int depth, std::string& made) const {
    const auto words = words_of(text);
    for (std::size_t i = 0; i < words.size(); ++i) {
        made += ' ';
        if (words[i] == "defined") {
            const bool parenthesis = i + 1 < words.size() && words[i + 1] == "(";
            i += parenthesis ? 2 : 1;
            const state s =
                i < words.size() ? of(std::string(words[i])) : state{state::unknown, {}};
            made += s.kind == state::unknown ? unknown_value : s.kind == state::defined ? "1" : "0";
            if (parenthesis) ++i;
            continue;
        }
        const state s = is_name(words[i]) ? of(std::string(words[i])) : state{};
        if (s.kind == state::unknown) {
            made += unknown_value;
        } else if (s.kind == state::defined && depth < deepest && made.size() < 4096) {
            expand(s.replacement, depth + 1, made);
        } else {
            made += words[i];
        }
    }
}

std::string side_macros::expanded(syntax::pp_keyword keyword, std::string_view condition) const {
    using syntax::pp_keyword;
    if (keyword == pp_keyword::else_) return "1";
    std::string made;
    if (keyword == pp_keyword::if_ || keyword == pp_keyword::elif) {
        expand(condition, 0, made);
        return made;
    }
    const auto words = words_of(condition);
    const state s = words.empty() ? state{state::unknown, {}} : of(std::string(words[0]));
    if (s.kind == state::unknown) return std::string(unknown_value) + made.assign(condition);
    const bool wants = keyword == pp_keyword::ifdef || keyword == pp_keyword::elifdef;
    return (s.kind == state::defined) == wants ? "1" : "0";
}

std::optional<bool> holds(std::string_view expanded) {
    const value v = evaluation(words_of(expanded)).run();
    return v ? std::optional(*v != 0) : std::nullopt;
}

}  // namespace cuset
