#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cuset/syntax/expression.h"
#include "text_edits.h"
#include "translate/macro_expansion.h"

namespace cuset {

using namespace syntax;

namespace {

class head_macros {
public:
    explicit head_macros(const cuda_program& program) : program_(program), code_(program.code) {}
    void find();
    /// The macro whose use at i is a function's head or begins one; null if none is.
    const cuda_macro* at(std::uint32_t i) const;

private:
    bool begins_template(const cuda_macro& m) const;
    bool makes_head(const cuda_macro& m) const;

    const cuda_program& program_;
    const token_stream& code_;
    std::unordered_set<std::string> qualifiers_;  // macros for __global__ and __device__
    std::unordered_map<std::string, const cuda_macro*> found_;
};

// Whether a function's head is in it, up to a name and parameters that its last argument brings.
bool head_macros::makes_head(const cuda_macro& m) const {
    if (!m.is_function || m.replacement.empty()) return false;
    const std::uint32_t last = m.replacement.end - 1;
    bool has_qualifier = false;
    for (std::uint32_t i = m.replacement.first; i < m.replacement.end; ++i) {
        if (code_.is(i, '{') || code_.is(i, ';') || code_.is(i, paste)) return false;
        has_qualifier |= code_.is_any_word(i, {"__global__", "__device__"}) ||
                         (code_.is(i, word) && qualifiers_.contains(code_.spelling(i)));
    }
    return has_qualifier && (code_.is_word(last, "__VA_ARGS__") ||
                             program_.is_macro_parameter(m.define, code_.spelling(last)));
}

// `template <class T>`, and perhaps what follows it, up to the function's name.
bool head_macros::begins_template(const cuda_macro& m) const {
    const std::uint32_t first = m.replacement.first;
    if (!code_.is_word(first, "template") || !code_.is(first + 1, less)) return false;
    for (std::uint32_t i = first; i < m.replacement.end; ++i)
        if (code_.is(i, '{') || code_.is(i, ';') || code_.is(i, paste)) return false;
    return true;
}

void head_macros::find() {
    std::unordered_map<std::string, int> definitions;
    for (const cuda_macro& m : program_.macros) {
        const std::string name = code_.spelling(m.name);
        ++definitions[name];
        if (!m.is_function)
            for (std::uint32_t i = m.replacement.first; i < m.replacement.end; ++i)
                if (code_.is_any_word(i, {"__global__", "__device__"})) qualifiers_.insert(name);
        if (makes_head(m) || begins_template(m)) found_[name] = &m;
    }
    std::erase_if(found_, [&](const auto& each) { return definitions[each.first] != 1; });
}

const cuda_macro* head_macros::at(std::uint32_t i) const {
    if (!code_.is(i, word) || program_.function_of[i] != no_token) return nullptr;
    const auto found = found_.find(code_.spelling(i));
    if (found == found_.end()) return nullptr;
    if (!found->second->is_function) return found->second;
    const std::uint32_t close = code_.is(i + 1, '(') ? code_.closer_of(i + 1) : no_token;
    if (close != no_token && begins_template(*found->second)) return found->second;
    // The parameters are in the arguments: `KERNEL(name)(float* x)` is read as it is.
    if (close == no_token || !code_.is(close - 1, ')')) return nullptr;
    return code_.is(close + 1, '{') || code_.is(close + 1, ';') ? found->second : nullptr;
}

}  // namespace

std::string with_head_macros_expanded(std::string_view text) {
    if (text.find("#") == text.npos || text.size() >= std::numeric_limits<std::uint32_t>::max() / 4)
        return {};
    const cuda_program program = read_cuda_program(text);
    const token_stream& code = program.code;
    head_macros macros(program);
    macros.find();
    text_edits edits(text);
    bool has_any = false;
    for (std::uint32_t i = 0; i + 1 < code.size(); ++i) {
        if (code.is(i, define)) {
            i = code.tokens[i].link;
            continue;
        }
        const cuda_macro* const m = macros.at(i);
        if (m == nullptr) continue;
        const std::uint32_t close = m->is_function ? code.tokens[i + 1].link : i;
        const auto parts =
            m->is_function ? split_at_commas(code, {i + 1, close + 1}) : std::vector<token_range>();
        if (parts.size() < m->parameters.size()) continue;
        std::vector<std::string> arguments;
        for (std::size_t k = 0; k < m->parameters.size(); ++k)
            arguments.push_back(source_of(code, parts[k]));
        std::string rest;
        if (parts.size() > arguments.size())
            rest = source_of(code, {parts[arguments.size()].first, close});
        edits.replace(code.tokens[i].begin, code.tokens[close].end,
                      expansion_of(code, *m, arguments, rest), false);
        has_any = true;
        i = close;
    }
    return has_any ? edits.apply().value_or("") : std::string();
}

}  // namespace cuset
