#include <algorithm>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "refuse/names_in_program.h"
#include "rewriting.h"

namespace cuset {
namespace {

using namespace syntax;

class launch_rewriter {
public:
    launch_rewriter(const cuda_program& program, const kernel_table& kernels, text_edits& edits)
        : program_(program), code_(program.code), kernels_(kernels), edits_(edits) {}

    void rewrite(const cuda_launch& launch);
    /// Makes kernels of templates known whose address becomes a void*.
    bool names_one_function(std::uint32_t before) const;
    void rewrite_addresses();

private:
    void rewrite_configuration(const cuda_launch& launch);
    void rewrite_call(const cuda_launch& launch);
    bool is_plain(const cuda_launch& launch) const;
    std::uint32_t arguments_before_defaults(const cuda_launch& launch) const;
    std::string name_of(const cuda_launch& launch) const;
    std::string line_of(const cuda_launch& launch, std::uint32_t token) const;
    void drop(token_range range, std::uint32_t define, std::string words = {});
    token_range without_cast(token_range argument) const;
    void mark_host_variables(const cuda_launch& launch);
    bool names_host_function(std::uint32_t name);
    void find_device_names();
    /// A `::` must not come directly after a colon.
    std::string_view gap(std::uint32_t offset) const {
        return offset > 0 && code_.text[offset - 1] == ':' ? " " : "";
    }

    const cuda_program& program_;
    const token_stream& code_;
    const kernel_table& kernels_;
    text_edits& edits_;
    std::unordered_set<std::string> device_names_;  // of arrays and others, in namespaces
    bool has_device_names_ = false;
    std::optional<names_in_program> names_;  // once they are needed
    std::unordered_set<std::string> functions_;
};

// A literal. If the name is a macro's parameter, an expression that makes one of it.
std::string launch_rewriter::name_of(const cuda_launch& launch) const {
    if (program_.is_macro_parameter(launch.define, launch.name)) return "#" + launch.name;
    return '"' + launch.name + '"';
}

// In a macro, the line that uses the macro.
std::string launch_rewriter::line_of(const cuda_launch& launch, std::uint32_t token) const {
    return launch.define == no_token ? std::to_string(program_.line_of(token)) : "__LINE__";
}

bool launch_rewriter::is_plain(const cuda_launch& launch) const {
    if (code_.is(launch.callee.end - 1, greater)) {
        // Braces allow no deduction, so all the template's arguments must be present.
        const named_kernel* k = kernels_.find(launch.name);
        if (k == nullptr || k->is_overloaded || k->has_defaults || launch.arguments.empty())
            return false;
        for (const token_range a : split_at_commas(code_, launch.arguments)) {
            if (!a.empty() && code_.is(a.first, '{')) return true;
        }
        return false;
    }
    if (program_.is_macro_parameter(launch.define, launch.name)) return kernels_.all_are_plain();
    if (const named_kernel* k = kernels_.find(launch.name)) return k->is_plain();
    return !kernels_.macros_make_templates();
}

/// How many arguments a launch gives to a kernel with default arguments whose parameters are known;
/// else no_token.
std::uint32_t launch_rewriter::arguments_before_defaults(const cuda_launch& launch) const {
    const named_kernel* k = kernels_.find(launch.name);
    if (k == nullptr || k->is_template || k->is_overloaded || !k->has_defaults ||
        launch.define != no_token || launch.arguments.empty())
        return no_token;
    std::uint32_t given = 0;
    for (const token_range a : split_at_commas(code_, launch.arguments)) {
        if (a.empty()) continue;
        if (code_.is(a.end - 1, '.')) return no_token;  // of a pack
        ++given;
    }
    return given;
}

void launch_rewriter::rewrite_configuration(const cuda_launch& launch) {
    // A launch without callee or arguments is no launch to a C++ compiler either.
    if (launch.callee.empty() || launch.closing == no_token) return;
    const bool in_macro = launch.define != no_token;
    const bool at_end = code_.is(launch.closing + 1, define_end);
    if (launch.arguments.empty() && !(in_macro && at_end)) return;
    const std::string callee = source_of(code_, launch.callee);
    const std::uint32_t begin = code_.tokens[launch.callee.first].begin;
    std::string head(gap(begin));
    head += "::cuset_host::launch({" + name_of(launch) + ", " + line_of(launch, launch.opening) +
            "}, ::cuset_host::configuration(";
    edits_.replace(begin, code_.tokens[launch.opening].end, std::move(head), in_macro);
    const bool plain = is_plain(launch);
    const std::uint32_t given = arguments_before_defaults(launch);
    std::string tail = plain ? ")).plain(" + callee + ", "
                       : given != no_token
                           ? ")).first<" + std::to_string(given) + ">(" + callee + ", "
                           : ")).deduced(";
    if (const named_kernel* k = kernels_.find(launch.name);
        !plain && given == no_token && k != nullptr && !k->has_defaults &&
        code_.is(launch.callee.end - 1, greater)) {
        const std::string found = "::cuset_host::function_of<decltype(cuset_t)>(" + callee + ")";
        tail += "[&](auto cuset_t) -> decltype(" + found + ") { return " + found + "; }, ";
    }
    tail += "[&](auto&... cuset_a) { " + callee + "(cuset_a...); })";
    // A longer run of `>` begins with those of template arguments. A run of three may hold
    // comments.
    const token& closing = code_.tokens[launch.closing];
    const std::uint32_t end = closing.end;
    std::uint32_t last = closing.count == 3 ? closing.begin : end;
    for (int found = 0; found < 3 && last > closing.begin;) {
        if (code_.text[--last] == '>') ++found;
    }
    edits_.replace(last, end, std::move(tail), in_macro);
    if (!in_macro) mark_host_variables(launch);
    if (plain || given != no_token || launch.arguments.empty()) return;
    for (const token_range a : split_at_commas(code_, launch.arguments)) {
        // Deduction would make it an integer.
        if (a.end == a.first + 1 && code_.is_word(a.first, "NULL"))
            drop(a, launch.define, "nullptr");
    }
}

void launch_rewriter::find_device_names() {
    if (std::exchange(has_device_names_, true)) return;
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
        if (!code_.is_any_word(i, {"__device__", "__constant__"})) continue;
        if (program_.function_of[i] != no_token) continue;
        const auto [why, end] = find_declaration_end(code_, i, code_.size());
        if (why != declaration_end::kind::semicolon) continue;
        const declaration d = read_declaration(code_, {declaration_start(code_, i, 0), end});
        if (!code_.has_word(d.type, {"__managed__"})) {
            for (const declarator& each : d.declarators)
                if (each.name.end == each.name.first + 1)
                    device_names_.insert(code_.spelling(each.name.first));
        }
        i = end;
    }
}

// Whether the word is nothing but the name of one function, that is no kernel.
bool launch_rewriter::names_host_function(std::uint32_t name) {
    const std::string spelled = code_.spelling(name);
    if (!names_) {
        names_.emplace(program_);
        std::unordered_set<std::string> others;
        for (const cuda_function& f : program_.functions) {
            const bool is_plain = !f.is_template && !f.in_class && !f.is_lambda && !f.is_global &&
                                  f.define == no_token && !f.body.empty();
            if (!is_plain || !functions_.insert(f.name).second) others.insert(f.name);
        }
        for (const std::string& other : others) functions_.erase(other);
    }
    return functions_.contains(spelled) && !names_->variables.contains(spelled) &&
           !names_->macros.contains(spelled);
}

// Marks arguments that are a device variable's own name, or a function's: host code has another by
// that name, or another address.
void launch_rewriter::mark_host_variables(const cuda_launch& launch) {
    if (launch.arguments.empty()) return;
    find_device_names();
    const bool is_hosts = !program_.runs_on_device(launch.arguments.first);
    for (const token_range a : split_at_commas(code_, launch.arguments)) {
        if (a.empty()) continue;
        const std::uint32_t name = code_.is(a.first, '&') ? a.first + 1 : a.first;
        if (a.end != name + 1 || !code_.is(name, word)) continue;
        const bool is_variable = device_names_.contains(code_.spelling(name));
        if (!is_variable && !(is_hosts && names_host_function(name))) continue;
        edits_.insert(code_.tokens[a.first].begin, is_variable ? "::cuset_host::host_variable("
                                                               : "::cuset_host::host_function(");
        edits_.insert(code_.tokens[name].end, ")");
    }
}

void launch_rewriter::drop(token_range range, std::uint32_t define_token, std::string words) {
    if (range.empty()) return;
    edits_.replace(code_.tokens[range.first].begin, code_.tokens[range.end - 1].end,
                   std::move(words), define_token != no_token);
}

// The token after `const void*`, in any order; `i` if it is not there.
std::uint32_t after_void_pointer(const token_stream& code, std::uint32_t i, std::uint32_t end) {
    const std::uint32_t first = i;
    bool is_void = false;
    for (; i < end && code.is(i, word); ++i) {
        if (code.is_word(i, "void")) {
            is_void = true;
        } else if (!code.is_word(i, "const")) {
            return first;
        }
    }
    if (!is_void || !code.is(i, '*')) return first;
    ++i;
    return code.is_word(i, "const") ? i + 1 : i;
}

// The operand of a cast to a pointer to void, or all of the argument.
token_range launch_rewriter::without_cast(token_range a) const {
    if (a.empty()) return a;
    if (code_.is(a.first, '(')) {
        const std::uint32_t close = code_.tokens[a.first].link;
        const std::uint32_t after = after_void_pointer(code_, a.first + 1, a.end);
        if (after != a.first + 1 && after == close && close + 1 < a.end) return {close + 1, a.end};
    }
    const bool named =
        code_.is_any_word(a.first, {"reinterpret_cast", "static_cast", "const_cast"});
    if (!named || !code_.is(a.first + 1, less)) return a;
    const std::uint32_t after = after_void_pointer(code_, a.first + 2, a.end);
    const bool cast = after != a.first + 2 && code_.is(after, greater) &&
                      code_.is(after + 1, '(') && code_.tokens[after + 1].link == a.end - 1;
    return cast ? token_range{after + 2, a.end - 1} : a;
}

void launch_rewriter::rewrite_call(const cuda_launch& launch) {
    const std::string function = code_.spelling(launch.callee.end - 1);
    if (!function.starts_with("cudaLaunch") || launch.arguments.empty()) return;
    const std::uint32_t begin = code_.tokens[launch.callee.first].begin;
    std::string head(gap(begin));
    if (launch.callee.first > 0 && launch.callee.end == launch.callee.first + 1 &&
        launch.define == no_token && drops_result(program_, launch.callee.first))
        head += "::cuset_host::unchecked_call(\"" + function + "\"), ";
    head += "::cuset_host::named_launch(" + name_of(launch) + ", " +
            line_of(launch, launch.callee.end - 1) + ").";
    edits_.replace(begin, code_.tokens[launch.callee.end - 1].begin, std::move(head),
                   launch.define != no_token);
    const std::size_t wanted = function.ends_with("Ex") || function.ends_with("ExC") ? 1 : 0;
    const auto arguments = split_at_commas(code_, launch.arguments);
    if (arguments.size() <= wanted) return;
    const token_range whole = arguments[wanted];
    const token_range kernel = without_cast(whole);
    drop({whole.first, kernel.first}, launch.define);
    drop({kernel.end, whole.end}, launch.define);
}

// Whether what follows token `before` has to name one function without a type to choose it by: an
// argument of cudaFuncGetAttributes and the like, or the value of an `auto` that is no reference.
bool launch_rewriter::names_one_function(std::uint32_t before) const {
    constexpr std::uint32_t farthest = 64;
    if (before == 0) return false;
    if (code_.is(before, '=')) {
        std::uint32_t i = before - 1;
        while (i > 0 && (code_.is(i, '*') || (code_.is(i, word) && !code_.is_word(i, "auto"))) &&
               before - i < 5)
            --i;
        return code_.is_word(i, "auto");
    }
    if (!code_.is(before, ',') && !code_.is(before, '(')) return false;
    for (std::uint32_t i = before; i > 0 && before - i < farthest; --i) {
        const bool closes = code_.is(i, ')') || code_.is(i, ']') || code_.is(i, '}');
        if (closes && code_.tokens[i].link != no_token) {
            i = code_.tokens[i].link;
        } else if (code_.is(i, '(')) {
            // With template arguments of its own the call has a type.
            if (!code_.is(i - 1, word)) return false;
            const std::string called = code_.spelling(i - 1);
            return called.starts_with("cudaFunc") || called.starts_with("cudaOccupancy");
        } else if (code_.is(i, ';') || code_.is(i, '{')) {
            return false;
        }
    }
    return false;
}

void launch_rewriter::rewrite_addresses() {
    constexpr std::uint32_t longest = 64;  // tokens of the template's arguments
    for (std::uint32_t i = 2; i + 1 < code_.size(); ++i) {
        if (code_.is(i, define)) i = code_.tokens[i].link;
        if (!code_.is(i, word) || !code_.is(i + 1, less) || code_.tokens[i + 1].count != 1 ||
            program_.runs_on_device(i))
            continue;
        const named_kernel* kernel = kernels_.find(code_.spelling(i));
        if (kernel == nullptr || !kernel->is_template || kernel->is_overloaded) continue;
        const std::uint32_t before = code_.is(i - 1, '&') ? i - 2 : i - 1;
        bool is_cast = false;
        if (code_.is(before, ')') && code_.tokens[before].link != no_token) {
            const std::uint32_t open = code_.tokens[before].link;
            const std::uint32_t after = after_void_pointer(code_, open + 1, before);
            is_cast = after != open + 1 && after == before;
        } else if (code_.is(before, '(') && code_.is(before - 1, greater)) {
            is_cast = code_.is(before - 2, '*') || code_.is_word(before - 2, "const");
        }
        if (!is_cast && !names_one_function(before)) continue;
        int depth = 0;
        for (std::uint32_t j = i + 1; j < code_.size() && j < i + longest; ++j) {
            if (code_.is(j, ';') || code_.is(j, '{')) break;
            if (code_.is(j, less)) depth += code_.tokens[j].count;
            if (code_.is(j, greater)) depth -= code_.tokens[j].count;
            if (depth > 0) continue;
            if (depth == 0 && !code_.is(j + 1, '(')) {
                edits_.insert(code_.tokens[before + 1].begin, "::cuset_host::registered(");
                edits_.insert(code_.tokens[j].end, ", \"" + code_.spelling(i) + "\")");
            }
            break;
        }
    }
}

void launch_rewriter::rewrite(const cuda_launch& launch) {
    if (launch.is_call) {
        rewrite_call(launch);
    } else {
        rewrite_configuration(launch);
    }
}

}  // namespace

void rewrite_launches(const cuda_program& program, const kernel_table& kernels, text_edits& edits) {
    launch_rewriter rewriter(program, kernels, edits);
    for (const cuda_launch& launch : program.launches) rewriter.rewrite(launch);
    rewriter.rewrite_addresses();
}

}  // namespace cuset
