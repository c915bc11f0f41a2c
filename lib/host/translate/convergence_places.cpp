#include <algorithm>
#include <string_view>
#include <vector>

#include "rewriting.h"

namespace cuset {

using namespace syntax;

namespace {

constexpr std::string_view parameter = "cuset_call_place";

/// The functions of a program that are told where they are called.
class convergence_places {
public:
    convergence_places(const cuda_program& program, text_edits& edits)
        : program_(program), code_(program.code), edits_(edits) {}

    void rewrite();

private:
    bool is_meeting(std::uint32_t i) const;
    bool has_meeting(const cuda_function& f) const;
    bool can_be_told(const cuda_function& f) const;
    std::size_t calls_of(const cuda_function& f) const;
    bool calls(const cuda_function& f, const cuda_function& called) const;
    void rewrite(const cuda_function& f);

    const cuda_program& program_;
    const token_stream& code_;
    text_edits& edits_;
    std::vector<const cuda_function*> told_;
};

/// Whether lanes that are at one place meet in the call at i: `__activemask()`.
bool convergence_places::is_meeting(std::uint32_t i) const {
    return code_.is_any_word(i, {"coalesced_threads", "__activemask"}) && code_.is(i + 1, '(') &&
           code_.is(i + 2, ')') && !code_.is(i - 1, '.') && !code_.is(i - 1, arrow);
}

bool convergence_places::has_meeting(const cuda_function& f) const {
    for (std::uint32_t i = f.body.first; i < f.body.end; ++i)
        if (is_meeting(i)) return true;
    return false;
}

/// Whether a parameter with a default argument changes nothing else: a function with one text,
/// which is called by its name and of which nobody takes the address.
bool convergence_places::can_be_told(const cuda_function& f) const {
    if (f.is_global || f.is_lambda || f.in_class || f.body.empty() || f.define != no_token ||
        f.name_token == no_token || f.parameters.empty())
        return false;
    for (std::uint32_t i = f.parameters.first; i < f.parameters.end; ++i)
        if (code_.is(i, '.')) return false;  // of a pack
    if (f.parameter_count == 0 && f.parameters.first + 2 != f.parameters.end) return false;
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
        if (!code_.is_word(i, f.name) || i == f.name_token) continue;
        if (!code_.is(i + 1, '(') && !code_.is(i + 1, less)) return false;
        if (code_.is(i - 1, '.') || code_.is(i - 1, arrow)) return false;
        // Elsewhere it is declared, instantiated or a friend.
        if (std::ranges::none_of(program_.functions, [&](const cuda_function& g) {
                return g.body.first < i && i < g.body.end;
            }))
            return false;
    }
    return std::ranges::count(program_.functions, f.name, &cuda_function::name) == 1;
}

std::size_t convergence_places::calls_of(const cuda_function& f) const {
    std::size_t calls = 0;
    for (std::uint32_t i = 0; i < code_.size(); ++i)
        if (i != f.name_token && code_.is_word(i, f.name)) ++calls;
    return calls;
}

bool convergence_places::calls(const cuda_function& f, const cuda_function& called) const {
    return code_.has_word(f.body, {called.name});
}

void convergence_places::rewrite(const cuda_function& f) {
    const std::string word(parameter);
    const auto list_end = [&](std::uint32_t close, bool is_empty, const std::string& what) {
        edits_.insert(code_.tokens[close].begin, (is_empty ? "" : ", ") + what);
    };
    list_end(f.parameters.end - 1, f.parameter_count == 0,
             "unsigned " + word + " = __builtin_LINE()");
    for (std::uint32_t i = f.body.first; i + 2 < f.body.end; ++i) {
        if (is_meeting(i)) list_end(i + 2, true, "__builtin_LINE(), " + word);
        if (!code_.is(i + 1, '(') || code_.tokens[i + 1].link == no_token) continue;
        const auto called = std::ranges::find_if(
            told_, [&](const cuda_function* g) { return code_.is_word(i, g->name); });
        if (called == told_.end() || (*called)->defaults > 0) continue;
        const std::uint32_t close = code_.tokens[i + 1].link;
        list_end(close, close == i + 2, word + " * 31u + __builtin_LINE()");
    }
}

void convergence_places::rewrite() {
    for (const cuda_function& f : program_.functions)
        if (has_meeting(f) && can_be_told(f)) told_.push_back(&f);
    // Whoever calls one of them in one place may be called in several.
    for (std::size_t i = 0; i < told_.size(); ++i)
        for (const cuda_function& f : program_.functions)
            if (std::ranges::find(told_, &f) == told_.end() && calls(f, *told_[i]) &&
                can_be_told(f))
                told_.push_back(&f);
    if (std::ranges::none_of(told_, [&](const cuda_function* f) { return calls_of(*f) > 1; }))
        return;
    for (const cuda_function* f : told_) rewrite(*f);
}

}  // namespace

void name_convergence_places(const cuda_program& program, text_edits& edits) {
    convergence_places(program, edits).rewrite();
}

}  // namespace cuset
