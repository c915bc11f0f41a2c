#include "library_headers.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "cuset/host/headers.h"

namespace cuset {

using namespace syntax;

std::string included_header(const token_stream& code, const directive& d) {
    if (d.keyword != pp_keyword::include) return {};
    std::string_view argument = code.text.substr(d.argument, d.end - d.argument);
    argument.remove_prefix(std::min(argument.find_first_not_of(" \t"), argument.size()));
    if (argument.empty() || (argument[0] != '<' && argument[0] != '"')) return {};
    const std::size_t end = argument.find(argument[0] == '<' ? '>' : '"', 1);
    if (end == argument.npos) return {};
    return std::string(argument.substr(1, end - 1));
}

namespace {

/// A header of Thrust's CUDA system brings along more of Thrust than the sequential system's: the
/// headers of what the program names, such as sort.h for thrust::stable_sort_by_key.
void add_named_headers(const token_stream& code, std::vector<std::string>& found) {
    constexpr std::string_view parts[] = {"sequence",  "fill",          "copy",
                                          "transform", "reduce",        "scan",
                                          "sort",      "for_each",      "count",
                                          "gather",    "scatter",       "unique",
                                          "remove",    "replace",       "generate",
                                          "tabulate",  "inner_product", "adjacent_difference",
                                          "merge",     "partition",     "binary_search",
                                          "swap",      "mismatch",      "equal",
                                          "tuple",     "pair",          "find",
                                          "reverse"};
    for (std::uint32_t i = 0; i + 2 < code.size(); ++i) {
        if (!code.is_word(i, "thrust") || !code.is(i + 1, scope)) continue;
        const std::string name = code.spelling(i + 2);
        for (const std::string_view part : parts)
            if (name.find(part) != name.npos) found.push_back("thrust/" + std::string(part) + ".h");
        if (name.ends_with("_element")) found.emplace_back("thrust/extrema.h");
        if (name.ends_with("_of")) found.emplace_back("thrust/logical.h");
        if (name.starts_with("transform_reduce")) found.emplace_back("thrust/transform_reduce.h");
        if (name.starts_with("transform_") && name.ends_with("_scan"))
            found.emplace_back("thrust/transform_scan.h");
    }
}

}  // namespace

std::vector<std::string> library_headers(const cuda_program& program) {
    std::vector<std::string> found;
    const token_stream& code = program.code;
    bool has_thrust = false, has_cub = false, has_groups = false, names_cuda = false,
         names_std = false;
    for (std::uint32_t i = 0; i + 1 < code.size(); ++i)
        if (code.is_word(i, "cuda") && code.is(i + 1, scope)) {
            names_cuda = true;
            names_std |= code.is_word(i + 2, "std");
        }
    for (const directive& d : program.code.directives) {
        std::string header = included_header(program.code, d);
        has_cub |= header.starts_with("cub/");
        has_groups |= header.starts_with("cooperative_groups");
        if (!is_plain_cpp_header(header)) continue;
        has_thrust |= header.starts_with("thrust/");
        if (std::ranges::find(found, header) == found.end()) found.push_back(std::move(header));
    }
    // CUB's headers include the function objects of libcu++.
    if (has_cub && names_cuda) found.emplace_back("cuda/functional");
    if (has_cub && names_cuda) found.emplace_back("cuda/std/functional");
    // Those of cooperative groups include some of libcu++'s.
    if (has_groups && names_std) found.emplace_back("cuda/std/utility");
    if (has_groups && names_std) found.emplace_back("cuda/std/type_traits");
    if (has_thrust) add_named_headers(code, found);
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    if (has_thrust) found.emplace_back("cuset_host/thrust_policies.h");
    return found;
}

bool names_libraries(std::string_view text) {
    return std::ranges::any_of(std::array{"cublas", "cufft", "cusolver", "cusparse"},
                               [&](std::string_view name) { return text.find(name) != text.npos; });
}

}  // namespace cuset
