#include <set>
#include <string>
#include <string_view>

#include "rewriting.h"

namespace cuset {
namespace {

using namespace syntax;

constexpr std::string_view arch_name = "__CUDA_ARCH__";
constexpr const char* arch = "900";

bool runs_on_device(const cuda_program& program, std::uint32_t token) {
    if (token >= program.function_of.size()) return false;
    const std::uint32_t f = program.function_of[token];
    return f != no_token && (program.functions[f].is_global || program.functions[f].is_device);
}

void rewrite_directive(const token_stream& code, const directive& d, text_edits& edits) {
    const bool defined = d.keyword == pp_keyword::ifdef || d.keyword == pp_keyword::elifdef;
    const bool undefined = d.keyword == pp_keyword::ifndef || d.keyword == pp_keyword::elifndef;
    const bool plain = d.keyword == pp_keyword::if_ || d.keyword == pp_keyword::elif;
    if (!defined && !undefined && !plain) return;
    const std::string_view argument = code.text.substr(d.argument, d.end - d.argument);
    if (argument.find("__CUDA") == argument.npos && argument.find('\\') == argument.npos) return;
    token_stream words;
    lex(argument, words);
    const auto at = [&](std::uint32_t i) { return d.argument + words.tokens[i].begin; };
    const auto end = [&](std::uint32_t i) { return d.argument + words.tokens[i].end; };
    if (!plain) {
        if (!words.is_word(0, arch_name)) return;
        const bool elif = d.keyword == pp_keyword::elifdef || d.keyword == pp_keyword::elifndef;
        edits.replace(d.begin, end(0),
                      std::string(elif ? "#elif " : "#if ") + (defined ? "1" : "0"), true);
        return;
    }
    for (std::uint32_t i = 0; i < words.size(); ++i) {
        if (words.is_word(i, "defined")) {
            const bool parenthesis = words.is(i + 1, '(');
            const std::uint32_t name = parenthesis ? i + 2 : i + 1;
            const std::uint32_t last = parenthesis && words.is(name + 1, ')') ? name + 1 : name;
            if (words.is_word(name, arch_name)) edits.replace(at(i), end(last), "1", true);
            i = last;
        } else if (words.is_word(i, arch_name)) {
            edits.replace(at(i), end(i), arch, true);
        }
    }
}

void rewrite_architecture(const cuda_program& program, text_edits& edits) {
    const token_stream& code = program.code;
    for (const directive& d : code.directives) {
        if (runs_on_device(program, d.next)) rewrite_directive(code, d, edits);
    }
    for (std::uint32_t i = 0; i < code.size(); ++i) {
        if (code.is_word(i, arch_name) && runs_on_device(program, i)) {
            edits.replace(code.tokens[i].begin, code.tokens[i].end, arch, false);
        }
    }
}

void register_kernels(const cuda_program& program, const kernel_table& kernels, text_edits& edits) {
    std::set<std::uint32_t> done;  // bodies
    for (const cuda_function& f : program.functions) {
        if (!f.is_global || f.is_template || f.is_lambda || f.in_class || f.body.empty() ||
            f.is_open || f.define != no_token || f.name_token == no_token) {
            continue;
        }
        const named_kernel* kernel = kernels.find(f.name);
        if (kernel == nullptr || kernel->is_template || kernel->is_overloaded) continue;
        if (!program.code.is(f.body.end - 1, '}') || !done.insert(f.body.end).second) continue;
        edits.insert(program.code.tokens[f.body.end - 1].end,
                     " static const ::cuset_host::registration cuset_kernel_" +
                         std::to_string(done.size()) + "(&" + f.name + ", \"" + f.name + "\");");
    }
}

}  // namespace

void rewrite_device_functions(const cuda_program& program, const kernel_table& kernels,
                              text_edits& edits) {
    rewrite_architecture(program, edits);
    register_kernels(program, kernels, edits);
}

}  // namespace cuset
