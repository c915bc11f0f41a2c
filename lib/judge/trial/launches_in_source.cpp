#include "trial/launches_in_source.h"

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cuset/host/headers.h"
#include "cuset/syntax/cuda_program.h"

namespace cuset {

namespace {

using namespace syntax;

constexpr std::string_view namespaces[] = {"cub", "cute", "cutlass", "thrust"};

/// "cub/cub.cuh" from `#include <cub/cub.cuh>`; empty if a macro gives the name.
std::string_view header_of(const token_stream& code, const directive& d) {
    std::string_view text = code.text.substr(d.argument, d.end - d.argument);
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    if (text.empty() || (text[0] != '<' && text[0] != '"')) return {};
    return text.substr(1, text.find(text[0] == '<' ? '>' : '"', 1) - 1);
}

bool names_library(const token_stream& code) {
    for (const directive& d : code.directives) {
        if (d.keyword != pp_keyword::include) continue;
        if (is_launching_header(header_of(code, d))) return true;
    }
    for (std::uint32_t i = 0; i < code.size(); ++i) {
        if (!code.is(i, word)) continue;
        const bool names = code.is(i + 1, scope) ||
                           (i > 0 && code.is_word(i - 1, "namespace") && !code.is(i + 1, '{'));
        if (names && std::ranges::find(namespaces, code.spelling(i)) != std::end(namespaces))
            return true;
    }
    return false;
}

/// The define tokens of macros that live code uses, directly or through other macros.
std::unordered_set<std::uint32_t> used_macros(const cuda_program& program) {
    const token_stream& code = program.code;
    std::unordered_map<std::string, std::vector<const cuda_macro*>> unused;
    for (const cuda_macro& m : program.macros) unused[code.spelling(m.name)].push_back(&m);
    std::unordered_set<std::uint32_t> used;
    std::vector<token_range> open;
    const auto look = [&](std::uint32_t i) {
        if (!code.is(i, word)) return;
        const auto found = unused.find(code.spelling(i));
        if (found == unused.end()) return;
        for (const cuda_macro* m : found->second) {
            used.insert(m->define);
            open.push_back(m->replacement);
        }
        unused.erase(found);
    };
    for (std::uint32_t i = 0; i < code.size(); ++i) {
        if (code.is(i, define) && code.tokens[i].link != no_token) i = code.tokens[i].link;
        look(i);
    }
    while (!open.empty()) {
        const token_range replacement = open.back();
        open.pop_back();
        for (std::uint32_t i = replacement.first; i < replacement.end; ++i) look(i);
    }
    return used;
}

}  // namespace

bool can_launch(std::string_view source) {
    if (source.size() >= std::numeric_limits<std::uint32_t>::max()) return true;
    const cuda_program program = read_cuda_program(source);
    if (names_library(program.code)) return true;
    const auto used = used_macros(program);
    return std::ranges::any_of(program.launches, [&](const cuda_launch& launch) {
        return launch.define == no_token || used.contains(launch.define);
    });
}

std::string error_after_fault(std::string_view source, const program_fault& fault) {
    const std::string_view message = fault.diagnostic;
    if (source.size() >= std::numeric_limits<std::uint32_t>::max()) return {};
    std::vector<std::string_view> names;
    if (message.find(": misaligned address") != message.npos)
        names = {"cudaErrorMisalignedAddress", "CUDA_ERROR_MISALIGNED_ADDRESS"};
    else if (fault.why == failure::illegal_address)
        names = {"cudaErrorIllegalAddress", "CUDA_ERROR_ILLEGAL_ADDRESS"};
    else if (message.find("(710, ") != message.npos)
        names = {"cudaErrorAssert", "CUDA_ERROR_ASSERT"};
    else if (message.ends_with(": calls __trap"))
        names = {"cudaErrorLaunchFailure", "cudaErrorIllegalInstruction",
                 "CUDA_ERROR_LAUNCH_FAILED", "CUDA_ERROR_ILLEGAL_INSTRUCTION"};
    const cuda_program program = read_cuda_program(source);
    for (std::uint32_t i = 1; i < program.code.size(); ++i)
        for (const std::string_view name : names)
            // A table of all errors expects none of them.
            if (program.code.is(i, word) && program.code.raw(i) == name &&
                !program.code.is_word(i - 1, "case"))
                return std::string(name);
    return {};
}

std::string call_about_peers(std::string_view source) {
    if (source.size() >= std::numeric_limits<std::uint32_t>::max()) return {};
    const cuda_program program = read_cuda_program(source);
    for (std::uint32_t i = 0; i < program.code.size(); ++i)
        if (program.code.is_any_word(i, {"cudaDeviceCanAccessPeer", "cudaDeviceEnablePeerAccess",
                                         "cuDeviceCanAccessPeer", "cuCtxEnablePeerAccess"}))
            return program.code.spelling(i);
    return {};
}

}  // namespace cuset
