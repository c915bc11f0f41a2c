#include "split_words.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "split_statements.h"

namespace cuset {

using namespace syntax;

bool is_free_word(const token_stream& code, std::uint32_t i) {
    return code.is(i, word) && !is_member_or_qualified(code, i) && !code.is(i + 1, scope);
}

namespace {

constexpr std::size_t most_barriers = 64, most_tokens = 20000;

constexpr std::string_view refused_words[] = {
    "goto",          "asm",      "__asm__",          "__asm",        "try",
    "throw",         "decltype", "typeof",           "typeid",       "__typeof__",
    "operator",      "template", "co_await",         "co_return",    "co_yield",
    "thread_local",  "this",     "volatile",         "__label__",    "assert",
    "setjmp",        "alloca",   "__builtin_alloca", "__FUNCTION__", "__PRETTY_FUNCTION__",
    "__CUDA_ARCH__", "__func__"};

class word_reader {
public:
    /// `own`: a word that the kernel may have though it counts as waiting.
    word_reader(const cuda_program& program, std::uint32_t function, const waiting_names& waiting,
                std::string_view own)
        : program_(program),
          code_(program.code),
          f_(program.functions[function]),
          waiting_(waiting),
          own_(own) {}
    std::optional<kernel_words> read();
    kernel_words read_without_barriers();

private:
    bool give_up(std::string why) {
        words_.obstacle = std::move(why);
        return false;
    }
    bool give_up(std::uint32_t token, const std::string& why) {
        return give_up(why + " in line " + std::to_string(program_.line_of(token)));
    }
    bool look_at_function();
    bool look_at_words();
    bool look_at_macro(const std::string& name, int depth);
    bool look_at_directives();

    const cuda_program& program_;
    const token_stream& code_;
    const cuda_function& f_;
    const waiting_names& waiting_;
    std::string_view own_;
    kernel_words words_;
    std::unordered_set<std::string> seen_macros_;
};

std::optional<kernel_words> word_reader::read() {
    if (!f_.is_global || f_.is_lambda || f_.body.empty()) return std::nullopt;
    words_.groups = read_block_groups(program_, f_, waiting_);
    words_.barriers = words_.groups.barriers;
    for (std::uint32_t i = f_.body.first; i < f_.body.end; ++i) {
        if (!code_.is_word(i, "__syncthreads")) continue;
        const bool whole = code_.is(i + 1, '(') && code_.is(i + 2, ')') && code_.is(i + 3, ';');
        words_.barriers.push_back({i, whole ? i + 4 : i + 1});
    }
    if (words_.barriers.empty()) return std::nullopt;
    std::ranges::sort(words_.barriers, {}, &token_range::first);
    for (const cuda_macro& m : program_.macros) words_.macros.emplace(code_.spelling(m.name), &m);
    static_cast<void>(look_at_function() && look_at_words() && look_at_directives());
    return std::move(words_);
}

kernel_words word_reader::read_without_barriers() {
    for (const cuda_macro& m : program_.macros) words_.macros.emplace(code_.spelling(m.name), &m);
    static_cast<void>(look_at_function() && look_at_words() && look_at_directives());
    return std::move(words_);
}

bool word_reader::look_at_function() {
    if (f_.define != no_token) return give_up("a kernel in a macro");
    if (f_.is_open || code_.splits_brackets) return give_up("brackets that do not match");
    if (f_.in_class) return give_up("a kernel in a class");
    if (code_.raw(f_.body.first) != "{" || code_.raw(f_.body.end - 1) != "}")
        return give_up("braces that are macros");
    if (f_.body.end - f_.body.first > most_tokens) return give_up("a very long kernel");
    if (words_.barriers.size() > most_barriers) return give_up("very many barriers");
    if (!waiting_.nameless().empty()) return give_up(waiting_.nameless());
    for (const cuda_function& other : program_.functions)
        if (&other != &f_ && other.body.end == f_.body.end && !other.body.empty())
            return give_up("several heads for one body");
    return true;
}

bool word_reader::look_at_words() {
    for (std::uint32_t i = f_.parameters.first; i < f_.parameters.end; ++i)
        if (code_.is(i, word) && waiting_.contains(code_.spelling(i)))
            return give_up(i, code_.spelling(i));
    for (std::uint32_t i = f_.body.first; i < f_.body.end; ++i) {
        const token& t = code_.tokens[i];
        if (t.kind >= pp_if) return give_up(i, "a conditional");
        if (t.kind == define || t.kind == paste) return give_up(i, "a macro's definition");
        if (t.kind == '[') {
            const bool subscript = code_.is(i - 1, word) || code_.is(i - 1, ']') ||
                                   code_.is(i - 1, ')') || code_.is(i - 1, string) ||
                                   (code_.raw(i - 1) == ">" && !code_.is(i + 1, '['));
            if (!subscript || code_.is_word(i - 1, "return")) return give_up(i, "a lambda");
        }
        if (t.kind != word) continue;
        std::string w = code_.spelling(i);
        if (is_one_of(w, refused_words)) return give_up(i, w);
        const bool in_group = words_.groups.contains(i);
        if (w != own_ && !in_group && waiting_.contains(w)) return give_up(i, w);
        if (w.starts_with("cuset_")) return give_up(i, w);
        if (w == "return") {
            if (!code_.is(i + 1, ';')) return give_up(i, "a return with a value");
            words_.returns.push_back(i);
        }
        if (!look_at_macro(w, 0)) return false;
        if (!in_group && is_free_word(code_, i)) words_.places[std::move(w)].push_back(i);
    }
    return true;
}

// A macro may stand only for a part of an expression or of a type.
bool word_reader::look_at_macro(const std::string& name, int depth) {
    constexpr std::string_view statements[] = {"return",  "break", "continue", "goto", "case",
                                               "if",      "for",   "while",    "do",   "switch",
                                               "default", "else",  "static",   "asm",  "auto"};
    if (depth > 8) return give_up("macros in macros");
    if (!seen_macros_.insert(name).second) return true;
    const auto [from, to] = words_.macros.equal_range(name);
    for (auto each = from; each != to; ++each) {
        const auto [first, end] = each->second->replacement;
        for (std::uint32_t i = first; i < end; ++i) {
            const token& t = code_.tokens[i];
            if (t.kind == ';' || t.kind == '{' || t.kind == '}' || t.kind == paste || t.kind == '#')
                return give_up("the macro " + name);
            if (t.kind != word) continue;
            std::string w = code_.spelling(i);
            const bool two_words = i + 1 < end && code_.is(i + 1, word) &&
                                   !is_arithmetic_type_word(w) && w != "sizeof" && w != "const";
            if (two_words || waiting_.contains(w) || is_one_of(w, statements) ||
                is_one_of(w, refused_words))
                return give_up("the macro " + name);
            if (!look_at_macro(w, depth + 1)) return false;
            // The macro's own parameters stand for words of the body.
            const bool is_parameter = std::ranges::any_of(
                each->second->parameters,
                [&](std::uint32_t parameter) { return code_.spelling(parameter) == w; });
            if (!is_parameter) words_.in_macros.insert(std::move(w));
        }
        // `T v` is a declaration.
        if (end > first + 1 && code_.is(end - 1, word) && code_.is(end - 2, word) &&
            !is_arithmetic_type_word(code_.spelling(end - 1)))
            return give_up("the macro " + name);
    }
    return true;
}

bool word_reader::look_at_directives() {
    for (auto at = std::ranges::upper_bound(code_.directives, f_.body.first, {}, &directive::next);
         at != code_.directives.end() && at->next < f_.body.end; ++at) {
        const directive& d = *at;
        const std::string_view text = code_.text.substr(d.begin, d.end - d.begin);
        const bool harmless = d.keyword == pp_keyword::other && text.find("pragma") != text.npos &&
                              text.find("unroll") != text.npos;
        if (!harmless) return give_up("a directive: " + std::string(text.substr(0, 40)));
    }
    return true;
}

}  // namespace

std::optional<kernel_words> read_kernel_words(const cuda_program& program, std::uint32_t function,
                                              const waiting_names& waiting) {
    return word_reader(program, function, waiting, "__syncthreads").read();
}

kernel_words read_words_without_barriers(const cuda_program& program, std::uint32_t function,
                                         const waiting_names& waiting, std::string_view own) {
    return word_reader(program, function, waiting, own).read_without_barriers();
}

}  // namespace cuset
