#include "host_shadows.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "rewriting.h"

namespace cuset {

using namespace syntax;

namespace {

bool names_symbols(std::string_view name) {
    return name.find("Symbol") != name.npos || name.find("SYMBOL") != name.npos;
}

class shadow_writer {
public:
    shadow_writer(const cuda_program& program, text_edits& edits)
        : code_(program.code), program_(program), edits_(edits) {}
    void run();

private:
    void find_symbol_takers();
    void drop_ambiguous();
    bool is_symbol(std::uint32_t i) const;
    bool is_in_launch(std::uint32_t i) const;

    const token_stream& code_;
    const cuda_program& program_;
    text_edits& edits_;
    std::unordered_map<std::string, plain_variable> variables_;
    std::unordered_set<std::string> takers_;  // functions and macros that pass symbols on
};

// Functions and macros that name one of CUDA's calls for symbols, or one of those.
void shadow_writer::find_symbol_takers() {
    const auto takes = [this](token_range range) {
        for (std::uint32_t i = range.first; i < range.end; ++i)
            if (code_.is(i, word) &&
                (names_symbols(code_.raw(i)) || takers_.contains(code_.spelling(i))))
                return true;
        return false;
    };
    constexpr int levels = 3;  // of calls
    for (int level = 0; level < levels; ++level) {
        for (const cuda_function& f : program_.functions)
            if (!f.name.empty() && takes(f.body)) takers_.insert(f.name);
        for (const cuda_macro& m : program_.macros)
            if (takes(m.replacement)) takers_.insert(code_.spelling(m.name));
    }
}

// Leaves the names that are declared once and are no macros.
void shadow_writer::drop_ambiguous() {
    for (const cuda_macro& m : program_.macros) variables_.erase(code_.spelling(m.name));
    std::unordered_map<std::string, int> declared;
    for (std::uint32_t i = 1; i + 1 < code_.size(); ++i) {
        if (!code_.is(i, word) || program_.runs_on_device(i)) continue;
        const std::uint8_t before = code_.tokens[i - 1].kind;
        const bool is_keyword =
            is_one_of(code_.raw(i - 1), {"return", "else", "do", "case", "sizeof"});
        const bool declares = (before == word && !is_keyword) || before == greater ||
                              // `T* name` and `T& name`, but no `= &name` and no `f(*name)`.
                              ((before == '*' || before == '&') && i > 1 &&
                               (code_.is(i - 2, word) || code_.is(i - 2, greater)) &&
                               !code_.is_any_word(i - 2, {"return", "case"}));
        const std::string name = code_.spelling(i);
        if (declares && variables_.contains(name)) ++declared[name];
    }
    std::erase_if(variables_, [&](const auto& each) { return declared[each.first] != 1; });
}

// Whether the variable's name at i goes to something that takes symbols.
bool shadow_writer::is_symbol(std::uint32_t i) const {
    constexpr std::uint32_t longest = 256;
    for (std::uint32_t j = i; j > 0 && i - j < longest; --j) {
        const bool closes = code_.is(j - 1, ')') || code_.is(j - 1, ']') || code_.is(j - 1, '}');
        if (closes && code_.tokens[j - 1].link != no_token) {
            j = code_.tokens[j - 1].link + 1;
        } else if (code_.is(j - 1, '(') && j > 1) {
            const std::string name = code_.spelling(j - 2);
            if (names_symbols(name) || takers_.contains(name) || name == "sizeof" ||
                name == "decltype" || name == "alignof")
                return true;
        } else if (code_.is(j - 1, ';') || code_.is(j - 1, '{')) {
            return false;
        }
    }
    return code_.is_word(i - 1, "sizeof");
}

bool shadow_writer::is_in_launch(std::uint32_t i) const {
    return std::ranges::any_of(program_.launches, [i](const cuda_launch& launch) {
        return launch.arguments.first < i && i < launch.arguments.end;
    });
}

void shadow_writer::run() {
    variables_ = plain_device_variables(program_);
    if (variables_.empty()) return;
    drop_ambiguous();
    find_symbol_takers();
    std::unordered_set<std::string> used;
    for (std::uint32_t i = 1; i < code_.size(); ++i) {
        if (code_.is(i, define)) i = code_.tokens[i].link;
        if (!code_.is(i, word) || program_.function_of[i] == no_token || program_.runs_on_device(i))
            continue;
        const auto variable = variables_.find(code_.spelling(i));
        if (variable == variables_.end() || is_member_or_qualified(code_, i) || is_symbol(i))
            continue;
        // The address of a host's array traps already (host_variable() of parameters.h).
        if (variable->second.is_array && is_in_launch(i)) continue;
        edits_.insert(code_.tokens[i].begin, "cuset_shadow_");
        if (used.insert(variable->first).second)
            edits_.insert(code_.tokens[variable->second.end].end,
                          " static ::cuset_host::shadow_of<decltype(" + variable->first +
                              ")> cuset_shadow_" + variable->first +
                              "{}; static const ::cuset_host::host_shadow cuset_shadows_" +
                              variable->first + "(&cuset_shadow_" + variable->first + ", &" +
                              variable->first + ", sizeof(" + variable->first + "));");
    }
}

}  // namespace

void use_host_shadows(const cuda_program& program, text_edits& edits) {
    shadow_writer(program, edits).run();
}

}  // namespace cuset
