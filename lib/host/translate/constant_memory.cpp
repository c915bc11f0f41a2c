#include <algorithm>
#include <string>
#include <vector>

#include "rewriting.h"

namespace cuset {
namespace {

using namespace syntax;

// `__constant__` variables of namespaces, whose sizes only a compiler knows: it is told to add them
// up behind each declaration.
class constant_checker {
public:
    constant_checker(const cuda_program& program, text_edits& edits)
        : program_(program), code_(program.code), edits_(edits) {}
    void run();

private:
    struct open_brace {
        bool is_namespace;
        std::size_t visible;  // variables outside of it
    };
    void look_at(std::uint32_t marker);
    bool opens_namespace(std::uint32_t brace) const;
    std::vector<std::string> names_in(token_range declaration) const;

    const cuda_program& program_;
    const token_stream& code_;
    text_edits& edits_;
    std::vector<open_brace> open_;
    std::size_t others_ = 0;            // open braces that are of no namespace
    std::vector<std::string> visible_;  // names from here
};

bool constant_checker::opens_namespace(std::uint32_t brace) const {
    std::uint32_t i = brace;
    while (i > 0 && (code_.is(i - 1, scope) ||
                     (code_.is(i - 1, word) && !code_.is_word(i - 1, "namespace")))) {
        if (brace - i > 16) return false;
        --i;
    }
    if (i > 0 && code_.is_word(i - 1, "namespace")) return true;
    return brace > 1 && code_.is(brace - 1, string) && code_.is_word(brace - 2, "extern");
}

// Empty where the declaration is not plainly one of variables.
std::vector<std::string> constant_checker::names_in(token_range r) const {
    std::vector<std::string> names;
    std::uint32_t name = no_token;
    bool in_value = false;
    for (std::uint32_t i = r.first; i < r.end; ++i) {
        const std::uint8_t kind = code_.tokens[i].kind;
        if (kind == less && !in_value) {
            const std::uint32_t close = closing_angle(code_, i, r.end);
            if (close == no_token) return {};
            i = close;
        } else if (kind == '(' || kind == '[' || kind == '{') {
            const bool attribute = kind == '(' && (code_.is_word(i - 1, "__align__") ||
                                                   code_.is_word(i - 1, "alignas"));
            if (code_.tokens[i].link == no_token || code_.tokens[i].link >= r.end) return {};
            if (kind == '(' && !in_value && !attribute) return {};
            if (kind == '{') in_value = true;
            i = code_.tokens[i].link;
            if (attribute) name = no_token;
        } else if (kind == '=') {
            in_value = true;
        } else if (kind == ',') {
            if (name == no_token) return {};
            names.push_back(code_.spelling(name));
            name = no_token;
            in_value = false;
        } else if (kind == word && !in_value) {
            for (const std::string_view other :
                 {"extern", "template", "struct", "class", "union", "enum", "operator", "using",
                  "typedef", "friend"}) {
                if (code_.is_word(i, other)) return {};
            }
            name = i;
        }
    }
    if (name == no_token || name == r.first) return {};
    names.push_back(code_.spelling(name));
    return names;
}

void constant_checker::look_at(std::uint32_t marker) {
    constexpr std::uint32_t longest = 4096;  // tokens; initialisers are jumped over
    constexpr std::size_t most = 32;         // variables added up: keeps hostile text linear
    if (program_.function_of[marker] != no_token || program_.conditional_depth[marker] != 0) return;
    std::uint32_t first = marker, end = marker;
    const auto stops = [&](std::uint32_t i) {
        const std::uint8_t kind = code_.tokens[i].kind;
        return kind == ';' || kind == '{' || kind == '}' || kind == define || kind == define_end;
    };
    while (first > 0 && marker - first < 16 && !stops(first - 1)) --first;
    while (end < code_.size() && end - marker < longest && !code_.is(end, ';')) {
        if (code_.is(end, define) || code_.is(end, '}')) return;
        const std::uint32_t link = code_.tokens[end].link;
        const bool opens = code_.is(end, '{') || code_.is(end, '(') || code_.is(end, '[');
        end = opens && link != no_token ? link + 1 : end + 1;
    }
    if (!code_.is(end, ';') || program_.conditional_depth[end] != 0) return;
    const auto names = names_in({first, end});
    if (names.empty()) return;
    visible_.insert(visible_.end(), names.begin(), names.end());
    std::string sum;
    const std::size_t from = visible_.size() - std::min(visible_.size(), most);
    const auto begin = visible_.begin() + static_cast<std::ptrdiff_t>(from);
    for (auto name = begin; name != visible_.end(); ++name) {
        if (std::find(begin, name, *name) == name)  // declared once more
            sum += (sum.empty() ? "sizeof(" : " + sizeof(") + *name + ')';
    }
    edits_.insert(code_.tokens[end].end, " static_assert(" + sum +
                                             " <= 64 * 1024, \"uses too much global constant "
                                             "data\");");
}

void constant_checker::run() {
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
        if (code_.is(i, define) && code_.tokens[i].link != no_token) {
            i = code_.tokens[i].link;
        } else if (code_.is(i, '{')) {
            open_.push_back({opens_namespace(i), visible_.size()});
            others_ += !open_.back().is_namespace;
        } else if (code_.is(i, '}') && !open_.empty()) {
            visible_.resize(std::min(visible_.size(), open_.back().visible));
            others_ -= !open_.back().is_namespace;
            open_.pop_back();
        } else if (others_ == 0 && code_.is_word(i, "__constant__")) {
            look_at(i);
        }
    }
}

}  // namespace

void check_constant_memory(const cuda_program& program, text_edits& edits) {
    constant_checker(program, edits).run();
}

}  // namespace cuset
