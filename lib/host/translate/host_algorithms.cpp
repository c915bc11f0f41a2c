#include <string>
#include <string_view>

#include "rewriting.h"

namespace cuset {

using namespace syntax;

namespace {

/// Those whose first argument is an iterator where it is no execution policy.
bool is_algorithm(std::string_view name) {
    constexpr std::string_view names[] = {"sort",
                                          "stable_sort",
                                          "partial_sort",
                                          "nth_element",
                                          "sort_by_key",
                                          "stable_sort_by_key",
                                          "fill",
                                          "fill_n",
                                          "copy",
                                          "copy_n",
                                          "copy_if",
                                          "transform",
                                          "accumulate",
                                          "reduce",
                                          "reduce_by_key",
                                          "transform_reduce",
                                          "iota",
                                          "sequence",
                                          "tabulate",
                                          "generate",
                                          "generate_n",
                                          "for_each",
                                          "for_each_n",
                                          "count",
                                          "count_if",
                                          "find",
                                          "find_if",
                                          "find_if_not",
                                          "min_element",
                                          "max_element",
                                          "minmax_element",
                                          "reverse",
                                          "rotate",
                                          "unique",
                                          "unique_by_key",
                                          "remove",
                                          "remove_if",
                                          "replace",
                                          "replace_if",
                                          "partition",
                                          "stable_partition",
                                          "equal",
                                          "mismatch",
                                          "is_sorted",
                                          "inner_product",
                                          "partial_sum",
                                          "adjacent_difference",
                                          "inclusive_scan",
                                          "exclusive_scan",
                                          "inclusive_scan_by_key",
                                          "exclusive_scan_by_key",
                                          "transform_inclusive_scan",
                                          "transform_exclusive_scan",
                                          "gather",
                                          "scatter",
                                          "all_of",
                                          "any_of",
                                          "none_of",
                                          "lower_bound",
                                          "upper_bound",
                                          "binary_search",
                                          "swap_ranges",
                                          "shuffle",
                                          "set_union",
                                          "set_intersection",
                                          "set_difference",
                                          "merge",
                                          "is_partitioned",
                                          "uninitialized_fill",
                                          "uninitialized_copy"};
    return is_one_of(name, names);
}

/// Those whose third argument is one too.
bool has_third_iterator(std::string_view name) {
    constexpr std::string_view names[] = {"copy",        "copy_n",        "copy_if", "transform",
                                          "partial_sum", "inner_product", "equal"};
    return is_one_of(name, names);
}

}  // namespace

void mark_host_algorithms(const cuda_program& program, text_edits& edits) {
    const token_stream& code = program.code;
    for (std::uint32_t i = 0; i + 3 < code.size(); ++i) {
        if (code.is(i, define)) i = code.tokens[i].link;
        if (!code.is_any_word(i, {"std", "thrust"}) || !code.is(i + 1, scope) ||
            !code.is(i + 2, word) || !code.is(i + 3, '(') || !is_algorithm(code.raw(i + 2)))
            continue;
        const bool is_programs_own = i > 0 && code.is(i - 1, scope) && code.is(i - 2, word);
        if (is_programs_own || program.function_of[i] == no_token || program.runs_on_device(i))
            continue;
        const auto arguments = split_at_commas(code, {i + 3, code.group_end(i + 3) + 1});
        if (arguments.size() < 2 || arguments[0].empty()) continue;
        const std::string name = code.spelling(i) + "::" + code.spelling(i + 2);
        const auto wrap = [&](token_range argument, const std::string& function) {
            if (argument.empty() || code.is(argument.first, '{')) return;
            edits.insert(code.tokens[argument.first].begin, "::cuset_host::" + function + '(');
            edits.insert(code.tokens[argument.end - 1].end, ", \"" + name + "\")");
        };
        wrap(arguments[0], "of_host");
        if (arguments.size() < 3 || !has_third_iterator(code.raw(i + 2))) continue;
        const token_range first = arguments[0];
        if (code.is_word(i, "std")) {
            wrap(arguments[2], "of_host");
        } else if (first.end == first.first + 1 && code.is(first.first, word)) {
            wrap(arguments[2], "of_host_after<decltype(" + code.spelling(first.first) + ")>");
        }
    }
}

}  // namespace cuset
