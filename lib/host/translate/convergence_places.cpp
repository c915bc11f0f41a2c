#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>

#include "rewriting.h"

namespace cuset {

using namespace syntax;

namespace {

/// The functions of a program in which lanes meet by what they run, and their calls.
class convergence_places {
public:
    convergence_places(const cuda_program& program, text_edits& edits)
        : program_(program), code_(program.code), edits_(edits) {}

    void rewrite();

private:
    void find_functions();
    bool is_before_expression(std::uint32_t i) const;
    std::uint32_t name_begin(std::uint32_t i) const;
    bool is_call(std::uint32_t i) const;
    void look_at_body(const cuda_function& f);

    const cuda_program& program_;
    const token_stream& code_;
    text_edits& edits_;
    std::unordered_set<std::string> names_;
};

/// Those with a meeting of their own, and whoever calls them.
void convergence_places::find_functions() {
    const auto is_apart = [](const cuda_function& f) {
        return !f.is_global && !f.is_lambda && !f.body.empty() && !f.name.empty();
    };
    for (const cuda_function& f : program_.functions)
        if (is_apart(f) && code_.has_word(f.body, {"coalesced_threads", "__activemask"}))
            names_.insert(f.name);
    if (names_.empty()) return;
    for (std::size_t before = 0; before != names_.size();) {
        before = names_.size();
        for (const cuda_function& f : program_.functions) {
            if (!is_apart(f) || names_.contains(f.name)) continue;
            for (std::uint32_t i = f.body.first; i < f.body.end; ++i)
                if (code_.is(i, word) && names_.contains(std::string(code_.raw(i)))) {
                    names_.insert(f.name);
                    break;
                }
        }
    }
    // What a macro makes of a name is not known.
    for (std::uint32_t i = 0; i + 1 < code_.size(); ++i)
        if (code_.is(i, define)) names_.erase(std::string(code_.raw(i + 1)));
}

/// Whether an expression may begin behind the word at i.
bool convergence_places::is_before_expression(std::uint32_t i) const {
    return code_.is_any_word(
        i, {"return", "else", "do", "case", "throw", "and", "or", "not", "co_return"});
}

/// Where the name that ends at i begins, with its qualification.
std::uint32_t convergence_places::name_begin(std::uint32_t i) const {
    while (code_.is(i - 1, scope))
        i -= code_.is(i - 2, word) && !is_before_expression(i - 2) ? 2U : 1U;
    return i;
}

/// Whether the name at i is called, and may stand in a lambda of its own: `f(x)`, `s::f(x)`, not
/// `s.f(x)`, `f<T>(x)`, nor a declaration, and with arguments that another function can hand on.
bool convergence_places::is_call(std::uint32_t i) const {
    if (!code_.is(i + 1, '(') || code_.tokens[i + 1].link == no_token) return false;
    const std::uint32_t before = name_begin(i) - 1;
    if (code_.is(before, '.') || code_.is(before, arrow) || code_.is(before, greater)) return false;
    if (code_.is(before, word) && !is_before_expression(before)) return false;
    const std::uint32_t close = code_.tokens[i + 1].link;
    for (std::uint32_t j = i + 2; j < close; ++j) {
        const bool begins = j == i + 2 || code_.is(j - 1, ',');
        // Handed on, 0 is no null pointer any more.
        if (begins && (code_.is(j, '{') || code_.raw(j) == "0" || code_.is_word(j, "NULL")))
            return false;
    }
    return true;
}

void convergence_places::look_at_body(const cuda_function& f) {
    for (std::uint32_t i = f.body.first; i < f.body.end; ++i) {
        if (code_.is(i, define)) {
            i = code_.tokens[i].link;
            continue;
        }
        // Text that is printed, and operands without evaluation.
        if (code_.is_any_word(i, {"asm", "__asm__", "__asm", "assert", "static_assert", "decltype",
                                  "sizeof", "noexcept", "typeid", "alignof"})) {
            while (i + 1 < f.body.end && !code_.is(i + 1, '(') && !code_.is(i + 1, ';')) ++i;
            if (code_.is(i + 1, '(') && code_.tokens[i + 1].link != no_token)
                i = code_.tokens[i + 1].link;
            continue;
        }
        if (!code_.is(i, word) || !names_.contains(std::string(code_.raw(i))) || !is_call(i))
            continue;
        const std::uint32_t begin = code_.tokens[name_begin(i)].begin, end = code_.tokens[i].end;
        edits_.offer(
            {{begin, begin,
              "::cuset_host::at_call(" + std::to_string(i + 1) +
                  "u).of([&](auto&&... cuset_arguments) -> decltype(auto) { return "},
             {end, end, "(static_cast<decltype(cuset_arguments)&&>(cuset_arguments)...); })"}});
    }
}

void convergence_places::rewrite() {
    find_functions();
    if (names_.empty()) return;
    for (const cuda_function& f : program_.functions)
        if (!f.is_lambda && !f.body.empty() && f.define == no_token) look_at_body(f);
}

}  // namespace

void name_convergence_places(const cuda_program& program, text_edits& edits) {
    convergence_places(program, edits).rewrite();
}

}  // namespace cuset
