#include <set>
#include <string>
#include <string_view>

#include "kernel_needs.h"
#include "rewriting.h"
#include "translate/arch_directives.h"

namespace cuset {
namespace {

using namespace syntax;

constexpr std::string_view arch_name = "__CUDA_ARCH__";

void rewrite_architecture(const cuda_program& program, const std::string& arch, text_edits& edits) {
    const token_stream& code = program.code;
    for (const directive& d : code.directives) {
        if (!program.runs_on_device(d.next)) continue;
        for (directive_edit& edit : with_arch(code, d, arch))
            edits.replace(edit.begin, edit.end, std::move(edit.words), true);
    }
    for (std::uint32_t i = 0; i < code.size(); ++i) {
        if (code.is_word(i, arch_name) && program.runs_on_device(i)) {
            edits.replace(code.tokens[i].begin, code.tokens[i].end, arch, false);
        }
    }
}

// Rewrites printf in device code if its value is used.
void rewrite_printing(const cuda_program& program, text_edits& edits) {
    const token_stream& code = program.code;
    if (program.macro_names.contains("printf")) return;
    for (std::uint32_t i = 1; i + 1 < code.size(); ++i) {
        if (!code.is_word(i, "printf") || !code.is(i + 1, '(') || !program.runs_on_device(i))
            continue;
        std::uint32_t first = i;
        if (code.is(i - 1, scope)) first = code.is_word(i - 2, "std") ? i - 2 : i - 1;
        const std::uint8_t before = code.tokens[first - 1].kind;
        const bool is_value = before == '=' || before == '(' || before == ',' || before == '+' ||
                              code.is_word(first - 1, "return");
        if (!is_value) continue;
        edits.insert(code.tokens[first].begin, "::cuset_host::device_printing{");
        edits.insert(code.tokens[i].end, "}");
    }
}

// The clock() of device code counts a multiprocessor's cycles, the host's the time of the process.
// A program that has its own is left alone.
void rewrite_clock(const cuda_program& program, text_edits& edits) {
    const token_stream& code = program.code;
    const auto is_call = [&](std::uint32_t i) {
        return code.is_word(i, "clock") && code.is(i + 1, '(') && code.is(i + 2, ')');
    };
    for (std::uint32_t i = 1; i + 2 < code.size(); ++i) {
        const bool is_declared =
            code.is_word(i, "clock") &&
            (code.is(i + 1, '(') || code.is(i + 1, '=') || code.is(i + 1, '{')) &&
            (code.is(i - 1, '&') || code.is(i - 1, word)) &&
            !code.is_any_word(i - 1, {"return", "else", "do", "case", "using"});
        if (is_declared) return;
    }
    for (std::uint32_t i = 1; i + 2 < code.size(); ++i) {
        if (!is_call(i) || code.is(i - 1, '.') || code.is(i - 1, arrow) ||
            (code.is(i - 1, scope) && code.is(i - 2, word)) || !program.runs_on_device(i))
            continue;
        edits.replace(code.tokens[code.is(i - 1, scope) ? i - 1 : i].begin, code.tokens[i].end,
                      "::cuset_host::clock_of_place", program.macro_around(i) != nullptr);
    }
}

// Rewrites malloc, free and new in device code: the host must not get at what they give.
void rewrite_heap(const cuda_program& program, text_edits& edits) {
    const token_stream& code = program.code;
    std::set<std::string> own;  // functions of the program
    for (const cuda_function& f : program.functions) own.insert(f.name);
    const bool has_operators = [&] {
        for (std::uint32_t i = 0; i + 1 < code.size(); ++i)
            if (code.is_word(i, "operator") && code.is_any_word(i + 1, {"new", "delete"}))
                return true;
        return false;
    }();
    for (std::uint32_t i = 1; i + 1 < code.size(); ++i) {
        if (code.is(i, define)) i = code.tokens[i].link;
        if (!code.is(i, word) || !program.runs_on_device(i)) continue;
        if (code.is_word(i, "new") && !has_operators && code.is(i + 1, word) &&
            !code.is_word(i - 1, "operator")) {
            edits.insert(code.tokens[i].end, " (::cuset_host::device_heap)");
        } else if (code.is_any_word(i, {"malloc", "free"}) && code.is(i + 1, '(')) {
            const std::string name = code.spelling(i);
            if (is_member(code, i) || own.contains(name) || program.macro_names.contains(name) ||
                (code.is(i - 1, word) && !code.is_any_word(i - 1, {"return", "else", "do"})))
                continue;
            std::uint32_t first = i;
            if (code.is(i - 1, scope)) {
                const bool is_std = code.is_word(i - 2, "std");
                if (!is_std && code.is(i - 2, word)) continue;
                first = is_std ? i - 2 : i - 1;
            }
            edits.replace(code.tokens[first].begin, code.tokens[i].end,
                          "::cuset_host::device_" + name, false);
        }
    }
}

// Whether a statement begins behind the token.
bool comes_before_statement(const token_stream& code, std::uint32_t i) {
    if (code.is(i, ';') || code.is(i, '{') || code.is(i, '}')) return true;
    if (code.is_any_word(i, {"else", "do"})) return true;
    if (!code.is(i, ')')) return false;
    const std::uint32_t open = code.tokens[i].link;
    return open != no_token && open > 0 &&
           code.is_any_word(open - 1, {"if", "for", "while", "constexpr"});
}

// Names the type in `x = {};` where a program uses half precision: nvcc takes it for half2 and the
// like, and g++ finds two meanings.
void rewrite_empty_lists(const cuda_program& program, text_edits& edits) {
    const token_stream& code = program.code;
    const bool is_needed = [&] {
        for (std::uint32_t i = 0; i < code.size(); ++i)
            if (code.is_any_word(i, {"half", "half2", "__half", "__half2", "nv_bfloat16",
                                     "nv_bfloat162", "__nv_bfloat16", "__nv_bfloat162"}))
                return true;
        return false;
    }();
    if (!is_needed) return;
    for (std::uint32_t i = 2; i + 3 < code.size(); ++i) {
        if (!code.is(i, '=') || !code.is(i + 1, '{') || !code.is(i + 2, '}') ||
            !code.is(i + 3, ';'))
            continue;
        std::uint32_t first = i - 1;
        while (first > 1 && code.is(first, ']') && code.tokens[first].link != no_token)
            first = code.tokens[first].link - 1;
        if (!code.is(first, word) || !comes_before_statement(code, first - 1)) continue;
        const std::uint32_t begin = code.tokens[first].begin, end = code.tokens[i - 1].end;
        edits.insert(
            code.tokens[i + 1].begin,
            "::std::decay_t<decltype(" + std::string(code.text.substr(begin, end - begin)) + ")>");
    }
}

void register_kernels(const cuda_program& program, const kernel_table& kernels,
                      std::uint32_t first_shared, text_edits& edits) {
    const kernel_needs needs(program, first_shared);
    std::set<std::uint32_t> done;  // bodies
    for (std::uint32_t i = 0; i < program.functions.size(); ++i) {
        const cuda_function& f = program.functions[i];
        if (!f.is_global || f.is_lambda || f.in_class || f.body.empty() || f.is_open ||
            f.define != no_token || f.name_token == no_token) {
            continue;
        }
        const named_kernel* kernel = kernels.find(f.name);
        if (!program.code.is(f.body.end - 1, '}') || done.contains(f.body.end)) continue;
        const bool is_overloaded = kernel == nullptr || kernel->is_overloaded;
        std::string check = needs.bounds_check_of(i, is_overloaded);
        if (!check.empty()) edits.insert(program.code.tokens[f.body.first].end, std::move(check));
        if (is_overloaded) continue;
        done.insert(f.body.end);
        const std::string number = std::to_string(done.size());
        std::string words;
        if (!kernel->is_template) {
            words += " static const ::cuset_host::registration cuset_kernel_" + number + "(&" +
                     f.name + ", \"" + f.name + "\");";
        }
        if (const std::string needed = needs.words_of(i); !needed.empty()) {
            words += " static const ::cuset_host::kernel_needs cuset_needs_" + number + '(' +
                     needed + ");";
        }
        if (!words.empty()) edits.insert(program.code.tokens[f.body.end - 1].end, std::move(words));
    }
}

}  // namespace

void rewrite_device_functions(const cuda_program& program, const kernel_table& kernels,
                              const std::string& cuda_arch, std::uint32_t first_shared,
                              text_edits& edits) {
    rewrite_architecture(program, cuda_arch, edits);
    rewrite_printing(program, edits);
    rewrite_clock(program, edits);
    rewrite_heap(program, edits);
    rewrite_empty_lists(program, edits);
    register_kernels(program, kernels, first_shared, edits);
}

}  // namespace cuset
