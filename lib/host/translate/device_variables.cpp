#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "host_shadows.h"
#include "refuse/names_in_program.h"
#include "rewriting.h"

namespace cuset {
namespace {

using namespace syntax;

// Makes the device's variables in namespaces known to the runtime, and checks the sizes of
// `__constant__` ones. Only a compiler knows the sizes, so it adds them up after each declaration.
class variable_reader {
public:
    variable_reader(const cuda_program& program, text_edits& edits)
        : program_(program), code_(program.code), edits_(edits) {}
    void run();
    void mark_host_symbols();
    /// The names of variables in namespaces that can change, with the semicolons behind them.
    std::unordered_map<std::string, plain_variable> plain{};

private:
    struct open_brace {
        bool is_namespace;
        std::size_t visible;  // variables outside of it
    };
    std::uint32_t look_at(std::uint32_t marker);
    void add_up(const std::vector<std::string>& names, std::uint32_t end);
    bool opens_namespace(std::uint32_t brace) const;
    std::vector<std::string> names_in(const declaration& d) const;

    const cuda_program& program_;
    const token_stream& code_;
    text_edits& edits_;
    std::vector<open_brace> open_;
    std::size_t others_ = 0;            // open braces that belong to no namespace
    std::vector<std::string> visible_;  // names from here
    std::uint32_t count_ = 0;           // variables made known
};

bool variable_reader::opens_namespace(std::uint32_t brace) const {
    std::uint32_t i = brace;
    while (i > 0 && (code_.is(i - 1, scope) ||
                     (code_.is(i - 1, word) && !code_.is_word(i - 1, "namespace")))) {
        if (brace - i > 16) return false;
        --i;
    }
    if (i > 0 && code_.is_word(i - 1, "namespace")) return true;
    return brace > 1 && code_.is(brace - 1, string) && code_.is_word(brace - 2, "extern");
}

// Empty if the declaration is not clearly one of variables.
std::vector<std::string> variable_reader::names_in(const declaration& d) const {
    if (code_.has_word(d.type, {"extern", "template", "struct", "class", "union", "enum",
                                "operator", "using", "typedef", "friend"}))
        return {};
    std::vector<std::string> names;
    for (const declarator& each : d.declarators) {
        const bool is_called = code_.is(each.initialiser.first, '(') && !each.initialiser.empty();
        const bool is_plain = each.name.end == each.name.first + 1 && !is_called &&
                              !code_.is(each.all.first, '(') && !d.is_partial &&
                              !code_.is(each.name.first - 1, scope);
        if (!is_plain) return {};
        names.push_back(code_.spelling(each.name.first));
    }
    return names;
}

// Reads the declaration that contains the marker; returns the token to continue at.
std::uint32_t variable_reader::look_at(std::uint32_t marker) {
    if (program_.function_of[marker] != no_token) return marker;
    const auto [why, end] = find_declaration_end(code_, marker, code_.size());
    if (why != declaration_end::kind::semicolon) return marker;
    const declaration d = read_declaration(code_, {declaration_start(code_, marker, 0), end});
    const auto names = names_in(d);
    if (names.empty()) return end;
    if (!code_.has_word(d.type, {"__managed__"})) {
        if (!code_.has_word(d.type, {"const", "constexpr"}))
            for (const declarator& each : d.declarators)
                plain.emplace(code_.spelling(each.name.first),
                              plain_variable{end, code_.is(each.name.end, '[')});
        for (const std::string& name : names)
            edits_.insert(code_.tokens[end].end,
                          " static const ::cuset_host::device_variable cuset_variable_" +
                              std::to_string(++count_) + "(&(" + name + "), sizeof(" + name +
                              "));");
    }
    const bool is_constant = code_.has_word(d.type, {"__constant__"});
    if (is_constant && program_.conditional_depth[marker] == 0) add_up(names, end);
    return end;
}

void variable_reader::add_up(const std::vector<std::string>& names, std::uint32_t end) {
    constexpr std::size_t most = 32;  // variables added up: keeps hostile text linear
    visible_.insert(visible_.end(), names.begin(), names.end());
    std::string sum;
    const std::size_t from = visible_.size() - std::min(visible_.size(), most);
    const auto begin = visible_.begin() + static_cast<std::ptrdiff_t>(from);
    for (auto name = begin; name != visible_.end(); ++name) {
        if (std::find(begin, name, *name) == name)  // declared again
            sum += (sum.empty() ? "sizeof(" : " + sizeof(") + *name + ')';
    }
    edits_.insert(code_.tokens[end].end, " static_assert(" + sum +
                                             " <= 64 * 1024, \"uses too much global constant "
                                             "data\");");
}

void variable_reader::run() {
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
        if (code_.is(i, define)) {
            i = code_.tokens[i].link;
        } else if (code_.is(i, '{')) {
            open_.push_back({opens_namespace(i), visible_.size()});
            others_ += !open_.back().is_namespace;
        } else if (code_.is(i, '}') && !open_.empty()) {
            visible_.resize(std::min(visible_.size(), open_.back().visible));
            others_ -= !open_.back().is_namespace;
            open_.pop_back();
        } else if (others_ == 0 && code_.is_any_word(i, {"__constant__", "__device__"})) {
            i = look_at(i);
        }
    }
}

// Marks the symbols that are the name of one of the host's variables: it has an address as the
// device's have, and only the text tells them apart.
void variable_reader::mark_host_symbols() {
    std::optional<names_in_program> names;
    for (std::uint32_t i = 0; i + 1 < code_.size(); ++i) {
        if (!code_.is(i, word) || !code_.is(i + 1, '(')) continue;
        const bool is_first =
            code_.is_any_word(i, {"cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync"});
        if (!is_first && !code_.is_any_word(i, {"cudaMemcpyFromSymbol", "cudaMemcpyFromSymbolAsync",
                                                "cudaGetSymbolAddress", "cudaGetSymbolSize"}))
            continue;
        const auto arguments = split_at_commas(code_, {i + 1, code_.group_end(i + 1) + 1});
        if (arguments.size() < 2) continue;
        const token_range symbol = arguments[is_first ? 0 : 1];
        if (symbol.end != symbol.first + 1 || !code_.is(symbol.first, word)) continue;
        if (!names) names.emplace(program_);
        if (!names->host_variables.contains(code_.spelling(symbol.first))) continue;
        edits_.insert(code_.tokens[symbol.first].begin, "::cuset_host::no_symbol(");
        edits_.insert(code_.tokens[symbol.first].end, ")");
    }
}

}  // namespace

std::unordered_map<std::string, plain_variable> plain_device_variables(
    const cuda_program& program) {
    text_edits none(program.code.text);
    variable_reader reader(program, none);
    reader.run();
    return reader.plain;
}

void read_device_variables(const cuda_program& program, text_edits& edits) {
    variable_reader reader(program, edits);
    reader.run();
    reader.mark_host_symbols();
}

}  // namespace cuset
