#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "rewriting.h"

namespace cuset {

using namespace syntax;

namespace {

/// Whether the name looks like a function of CUDA's APIs. A macro of the program may have such a
/// name too, in a header that is not seen here, and need not be an expression: those have names of
/// a check (cudaSafeCall, cublasErrCheck).
bool is_api_name(std::string_view name) {
    constexpr std::string_view beginnings[] = {"cuda",     "cublas",   "cufft",
                                               "cusolver", "cusparse", "curand"};
    const auto is_of = [&](std::string_view beginning) {
        return name.starts_with(beginning) && name.size() > beginning.size() &&
               std::isupper(static_cast<unsigned char>(name[beginning.size()])) != 0;
    };
    if (std::ranges::none_of(beginnings, is_of)) return false;
    std::string small(name);
    for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    constexpr std::string_view of_checks[] = {"check", "safe",   "err",     "assert", "call",
                                              "try",   "verify", "require", "test",   "throw"};
    // Launches are marked where they are rewritten.
    return !small.starts_with("cudalaunch") && std::ranges::none_of(of_checks, [&](auto word) {
        return small.find(word) != small.npos;
    });
}

/// Whether a statement can begin behind this token.
bool is_end_of_statement(const token_stream& code, std::uint32_t i) {
    return code.is(i, ';') || code.is(i, '{') || code.is(i, '}') || code.is(i, ')') ||
           code.is_any_word(i, {"else", "do"});
}

}  // namespace

bool drops_result(const cuda_program& program, std::uint32_t name) {
    const token_stream& code = program.code;
    return is_end_of_statement(code, name - 1) && code.is(code.group_end(name + 1) + 1, ';') &&
           program.function_of[name] != no_token && !program.runs_on_device(name) &&
           !program.macro_names.contains(code.spelling(name));
}

void mark_unchecked_calls(const cuda_program& program, text_edits& edits) {
    const token_stream& code = program.code;
    for (std::uint32_t i = 1; i + 2 < code.size(); ++i) {
        if (code.is(i, define)) i = code.tokens[i].link;
        if (!code.is(i, word) || !code.is(i + 1, '(') || !is_api_name(code.raw(i)) ||
            !drops_result(program, i))
            continue;
        const std::uint32_t begin = code.tokens[i].begin;
        edits.offer(
            {{begin, begin, "::cuset_host::unchecked_call(\"" + code.spelling(i) + "\"), "}});
    }
}

}  // namespace cuset
