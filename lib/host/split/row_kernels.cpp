#include "split/row_kernels.h"

#include <algorithm>
#include <string>

#include "split/split_words.h"
#include "split/waiting_names.h"

namespace cuset {

using namespace syntax;

namespace {

// Of one line, without comments.
std::string joined(const token_stream& code, token_range range) {
    std::string text;
    for (std::uint32_t i = range.first; i < range.end; ++i) {
        if (i > range.first && code.tokens[i - 1].end != code.tokens[i].begin) text += ' ';
        text += code.spelling(i);
    }
    return text;
}

// What the translator rewrites in a way that the closure as written would lack, and what names the
// thread that runs.
bool has_other_needs(const cuda_program& program, const cuda_function& f) {
    const token_stream& code = program.code;
    for (const shared_declaration& d : program.shared)
        if (d.marker >= f.body.first && d.marker < f.body.end) return true;
    for (std::uint32_t i = f.parameters.first; i < f.parameters.end; ++i)
        if (code.is(i, '&')) return true;  // the closure would have a copy of what it refers to
    for (std::uint32_t i = f.body.first; i < f.body.end; ++i) {
        if (code.is(i, launch_open)) return true;
        if (code.is_any_word(i, {"printf", "malloc", "free", "new", "delete", "__trap", "__brkpt",
                                 "static", "__shared__"}))
            return true;
    }
    return false;
}

}  // namespace

std::vector<kernel_form> rewrite_row_kernels(const cuda_program& program, text_edits& edits) {
    constexpr std::size_t most_kernels = 128;  // each scans the text around it: keeps all linear
    const token_stream& code = program.code;
    std::vector<kernel_form> rewritten;
    const auto is_kernel = [](const cuda_function& f) {
        return f.is_global && !f.is_lambda && !f.body.empty() && f.name_token != no_token;
    };
    if (std::ranges::none_of(program.functions, is_kernel)) return rewritten;
    const waiting_names waiting(program, {"threadIdx"});
    std::size_t seen = 0;
    for (std::uint32_t number = 0; number < program.functions.size(); ++number) {
        const cuda_function& f = program.functions[number];
        if (!is_kernel(f)) continue;
        if (++seen > most_kernels) break;
        if (has_other_needs(program, f)) continue;
        const kernel_words words =
            read_words_without_barriers(program, number, waiting, "threadIdx");
        // Without its place a thread is one of a kind: nothing is gained.
        if (!words.obstacle.empty() || words.places_of("threadIdx").empty()) continue;
        const token_range inside{f.body.first + 1, f.body.end - 1};
        edits.insert(code.tokens[f.body.first].end,
                     " static_cast<void>([]" + joined(code, f.parameters) + " -> void {" +
                         joined(code, inside) +
                         " }); ::cuset_host::run_rows([=](const uint3 threadIdx, const uint3 "
                         "blockIdx, const dim3 blockDim, const dim3 gridDim) mutable -> void {");
        edits.insert(code.tokens[f.body.end - 1].begin, "}); ");
        // Called once for each block, so it need not be inlined twice.
        edits.insert(code.tokens[f.name_token].begin, "__attribute__((noinline)) ");
        rewritten.push_back(
            {f.name, program.line_of(f.body.first), program.line_of(f.body.end - 1), ""});
    }
    return rewritten;
}

}  // namespace cuset
