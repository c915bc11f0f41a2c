#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernel_needs.h"
#include "rewriting.h"

namespace cuset {
namespace {

using namespace syntax;

class shared_rewriter {
public:
    shared_rewriter(const cuda_program& program, const split_kernels& splits,
                    std::uint32_t first_shared, text_edits& edits)
        : program_(program),
          first_shared_(first_shared),
          code_(program.code),
          splits_(splits),
          edits_(edits),
          are_read_(shared_that_are_read(program)) {}

    void rewrite(const shared_declaration& d);
    void empty_macros();
    void rewrite_captures();

private:
    void rewrite_in_function(const shared_declaration& d);
    void rewrite_dynamic_array(const shared_declaration& d);
    void drop_storage(const shared_declaration& d, std::string words);
    void move(const shared_declaration& d, std::uint32_t place, std::string before,
              std::string after);
    std::string name_of(const declarator& d) const;
    /// Whether the braces around `d` close after token i, which is after the declaration.
    bool is_visible(const shared_declaration& d, std::uint32_t i) const {
        const std::uint32_t end = code_.tokens[d.scope].link;
        return end != no_token && end >= i;
    }
    std::string literal_of(const declarator& d, std::uint32_t define_token) const;

    const cuda_program& program_;
    const std::uint32_t first_shared_;
    const token_stream& code_;
    const split_kernels& splits_;
    text_edits& edits_;
    std::string size_check(const shared_declaration& d, const std::string& type);

    std::vector<bool> are_read_;  // by number
    std::size_t count_ = 0;
    std::vector<std::pair<const shared_declaration*, std::string>>
        in_functions_;                                                // and their types
    std::set<std::pair<std::uint32_t, std::string>> dynamic_arrays_;  // by scope and name
};

std::string shared_rewriter::name_of(const declarator& d) const {
    std::string name;
    for (std::uint32_t i = d.name.first; i < d.name.end; ++i) name += code_.spelling(i);
    return name;
}

std::string shared_rewriter::literal_of(const declarator& d, std::uint32_t define_token) const {
    const std::string name = name_of(d);
    return program_.is_macro_parameter(define_token, name) ? "#" + name : '"' + name + '"';
}

// Drops `__shared__`, `static` and `extern`; `words` stand for the first of them.
void shared_rewriter::drop_storage(const shared_declaration& d, std::string words) {
    for (std::uint32_t i = d.type.first; i < d.type.end; ++i) {
        if (!is_shared_storage(code_, i)) continue;
        edits_.replace(code_.tokens[i].begin, code_.tokens[i].end, std::exchange(words, {}),
                       d.define != no_token);
    }
    if (!words.empty()) edits_.insert(code_.tokens[d.type.first].begin, words + " ");
}

// The variables that a function declares and reads have together no more room than one alone.
std::string shared_rewriter::size_check(const shared_declaration& d, const std::string& type) {
    constexpr std::size_t most = 32;
    if (d.define != no_token || d.is_extern || d.scope == no_token) return {};
    for (std::size_t i = 0; i < d.declarators.size(); ++i)
        if (!are_read_[d.number + i]) return {};
    while (!in_functions_.empty() && !is_visible(*in_functions_.back().first, d.marker))
        in_functions_.pop_back();
    std::string sum = "sizeof(" + type + ")";
    std::size_t count = 0;
    for (auto each = in_functions_.rbegin(); each != in_functions_.rend() && count < most; ++each) {
        const auto& [other, other_type] = *each;
        if (program_.function_of[other->marker] != program_.function_of[d.marker]) break;
        if (!is_visible(*other, d.marker) || !program_.is_in_branches_of(other->marker, d.marker)) {
            continue;
        }
        sum += " + sizeof(" + other_type + ")";
        ++count;
    }
    in_functions_.emplace_back(&d, type);
    return " static_assert(" + sum + " <= 48 * 1024, \"uses too much shared data\");";
}

void shared_rewriter::rewrite_in_function(const shared_declaration& d) {
    std::string type = "cuset_shared_" + std::to_string(program_.line_of(d.marker)) + "_" +
                       std::to_string(++count_);
    // One function may use a macro more than once.
    const declarator& first = d.declarators.front();
    const bool pasted = first.name.end > first.name.first + 1;
    if (d.define != no_token && (pasted || program_.is_macro_parameter(d.define, name_of(first)))) {
        type += "_##" + name_of(first);
    }
    std::uint32_t number = d.number;
    std::string before = "struct " + type + (d.is_extern ? " { char cuset_head; " : " { ");
    std::string after = d.has_semicolon ? " };" : "; };";
    for (const declarator& each : d.declarators) {
        const std::string name = name_of(each);
        const std::string member = "decltype(" + type + "::" + name + ")";
        if (number != d.number) after += ';';
        after += " auto& " + name + " = ::cuset_host::";
        if (d.is_extern) {
            after += "dynamic_shared<" + member + ">()";
        } else {
            after += "shared<" + member + ", " + type + ", " +
                     std::to_string(first_shared_ + number) + ">(" + literal_of(each, d.define) +
                     ")";
        }
        ++number;
    }
    if (d.has_semicolon) after += ';' + size_check(d, type);
    if (const std::uint32_t place = splits_.place_of(d); place != no_token) {
        move(d, place, std::move(before), std::move(after));
        return;
    }
    edits_.insert(code_.tokens[d.all.first].begin, std::move(before));
    drop_storage(d, "");
    const std::uint32_t last = d.has_semicolon ? d.all.end : d.all.end - 1;
    edits_.insert(code_.tokens[last].end, std::move(after));
}

// Moves the declaration to the beginning of a kernel that is split at its barriers.
void shared_rewriter::move(const shared_declaration& d, std::uint32_t place, std::string before,
                           std::string after) {
    std::string words = ' ' + std::move(before);
    for (std::uint32_t i = d.all.first; i <= d.all.end; ++i)
        if (!is_shared_storage(code_, i) && i != d.marker) words += code_.spelling(i) + ' ';
    edits_.insert(place, words + std::move(after));
    edits_.replace(code_.tokens[d.all.first].begin, code_.tokens[d.all.end].end, "", false);
}

// An array at namespace scope without a first bound.
void shared_rewriter::rewrite_dynamic_array(const shared_declaration& d) {
    std::string type;
    for (std::uint32_t i = d.type.first; i < d.type.end; ++i) {
        const bool alignment = code_.is_any_word(i, {"__align__", "alignas"});
        if (alignment && code_.is(i + 1, '(') && code_.closer_of(i + 1) != no_token) {
            i = code_.closer_of(i + 1);
        } else if (!is_shared_storage(code_, i) && i != d.marker) {
            if (!type.empty()) type += ' ';
            type += code_.spelling(i);
        }
    }
    std::string words;
    for (const declarator& each : d.declarators) {
        const std::string name = name_of(each);
        if (!dynamic_arrays_.emplace(d.scope, name).second) continue;  // declared again
        std::string element = type;
        std::uint32_t i = each.all.first;
        for (; i < each.name.first; ++i) element += code_.spelling(i);
        std::uint32_t bounds = each.name.end;
        if (code_.is(bounds, '[') && code_.tokens[bounds].link != no_token) {
            bounds = code_.tokens[bounds].link + 1;
        }
        element += source_of(code_, {bounds, each.all.end});
        if (!words.empty()) words += "; ";
        words += "static ::cuset_host::dynamic_shared_array<" + element + "> " + name;
    }
    edits_.replace(code_.tokens[d.all.first].begin, code_.tokens[d.all.end - 1].end,
                   std::move(words), d.define != no_token);
}

void shared_rewriter::rewrite(const shared_declaration& d) {
    if (d.in_function) {
        rewrite_in_function(d);
    } else if (d.is_extern) {
        rewrite_dynamic_array(d);
    } else {
        drop_storage(d, "static thread_local");
    }
}

// A macro for `__shared__` now expands to what is left of `__shared__`.
void shared_rewriter::empty_macros() {
    for (const std::uint32_t m : program_.shared_macros) {
        const cuda_macro* macro = program_.macro_of(m);
        if (macro == nullptr) continue;
        for (std::uint32_t i = macro->replacement.first; i < macro->replacement.end; ++i) {
            if (is_shared_storage(code_, i)) {
                edits_.replace(code_.tokens[i].begin, code_.tokens[i].end, "", true);
            }
        }
    }
}

// `[=]` must not copy a shared variable, since all threads use one. It would copy a reference's.
void shared_rewriter::rewrite_captures() {
    constexpr std::size_t most = 64;  // captures of one lambda
    // Declarations that one lambda looks at: keeps hostile text linear.
    constexpr std::size_t most_seen = 1024;
    std::vector<const shared_declaration*> visible;
    const auto drop_closed = [&](std::uint32_t i) {
        while (!visible.empty() && !is_visible(*visible.back(), i)) visible.pop_back();
    };
    auto next = program_.shared.begin();
    for (std::uint32_t i = 0; i + 2 < code_.size(); ++i) {
        for (; next != program_.shared.end() && next->all.first <= i; ++next) {
            if (!next->in_function || next->define != no_token || next->scope == no_token) continue;
            drop_closed(next->marker);
            visible.push_back(&*next);
        }
        if (!code_.is(i, '[') || !code_.is(i + 1, '=')) continue;
        if (!code_.is(i + 2, ']') && !code_.is(i + 2, ',')) continue;
        drop_closed(i);
        std::string captures;
        std::size_t count = 0;
        for (std::size_t k = 0; k < std::min(visible.size(), most_seen) && count < most; ++k) {
            const shared_declaration& d = *visible[k];
            if (!is_visible(d, i) || !program_.is_in_branches_of(d.marker, i)) continue;
            for (const declarator& each : d.declarators) captures += ", &" + name_of(each);
            count += d.declarators.size();
        }
        if (count > 0) edits_.insert(code_.tokens[i + 1].end, std::move(captures));
    }
}

}  // namespace

void rewrite_shared_memory(const cuda_program& program, const split_kernels& splits,
                           std::uint32_t first_shared, text_edits& edits) {
    shared_rewriter rewriter(program, splits, first_shared, edits);
    rewriter.empty_macros();
    for (const shared_declaration& d : program.shared) rewriter.rewrite(d);
    rewriter.rewrite_captures();
}

}  // namespace cuset
