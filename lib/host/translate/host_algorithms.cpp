#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

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

/// The algorithms that the program may call without a namespace, with theirs ("std::"): by `using
/// namespace std;` or `using std::sort;`, and only where no name of its own is the same.
std::unordered_map<std::string, std::string> algorithms_in_use(const cuda_program& program) {
    const token_stream& code = program.code;
    std::unordered_map<std::string, std::string> used;
    std::string whole;
    std::unordered_set<std::string> own;
    for (const cuda_function& f : program.functions) own.insert(f.name);
    for (const cuda_macro& m : program.macros) own.insert(code.spelling(m.name));
    for (std::uint32_t i = 0; i + 3 < code.size(); ++i) {
        if (!code.is(i, word)) continue;
        if (code.is_word(i, "using")) {
            const bool is_namespace = code.is_word(i + 1, "namespace");
            const std::uint32_t name = is_namespace ? i + 2 : i + 1;
            if (!code.is_any_word(name, {"std", "thrust"})) continue;
            if (is_namespace && code.is(name + 1, ';')) whole = code.spelling(name) + "::";
            if (!is_namespace && code.is(name + 1, scope) && code.is(name + 2, word))
                used[code.spelling(name + 2)] = code.spelling(name) + "::";
            continue;
        }
        if (i == 0 || !is_algorithm(code.raw(i)) || is_member_or_qualified(code, i)) continue;
        const bool is_declared =
            code.is(i - 1, word) && !code.is_any_word(i - 1, {"return", "else", "do", "case"});
        if (is_declared || !code.is(i + 1, '(') || code.is(i - 1, '*') || code.is(i - 1, '&'))
            own.insert(code.spelling(i));
        else if (!whole.empty())
            used.emplace(code.spelling(i), whole);
    }
    std::erase_if(used, [&](const auto& each) { return own.contains(each.first); });
    return used;
}

}  // namespace

void mark_host_algorithms(const cuda_program& program, text_edits& edits) {
    const token_stream& code = program.code;
    const auto in_use = algorithms_in_use(program);
    for (std::uint32_t i = 0; i + 3 < code.size(); ++i) {
        if (code.is(i, define)) i = code.tokens[i].link;
        if (!code.is(i, word)) continue;
        const bool is_qualified = code.is_any_word(i, {"std", "thrust"}) && code.is(i + 1, scope);
        const std::uint32_t called = is_qualified ? i + 2 : i;
        if (!code.is(called, word) || !code.is(called + 1, '(') || !is_algorithm(code.raw(called)))
            continue;
        const auto use = in_use.find(code.spelling(called));
        if (!is_qualified && (i == 0 || use == in_use.end() || is_member_or_qualified(code, i)))
            continue;
        const bool is_programs_own = i > 0 && code.is(i - 1, scope) && code.is(i - 2, word);
        if (is_programs_own || program.function_of[i] == no_token || program.runs_on_device(i))
            continue;
        const auto arguments = split_at_commas(code, {called + 1, code.group_end(called + 1) + 1});
        if (arguments.size() < 2 || arguments[0].empty()) continue;
        const std::string name =
            (is_qualified ? code.spelling(i) + "::" : use->second) + code.spelling(called);
        const auto wrap = [&](token_range argument, const std::string& function) {
            if (argument.empty() || code.is(argument.first, '{')) return;
            edits.insert(code.tokens[argument.first].begin, "::cuset_host::" + function + '(');
            edits.insert(code.tokens[argument.end - 1].end, ", \"" + name + "\")");
        };
        wrap(arguments[0], "of_host");
        if (arguments.size() < 3 || !has_third_iterator(code.raw(called))) continue;
        const token_range first = arguments[0];
        if (name.starts_with("std::")) {
            wrap(arguments[2], "of_host");
        } else if (first.end == first.first + 1 && code.is(first.first, word)) {
            wrap(arguments[2], "of_host_after<decltype(" + code.spelling(first.first) + ")>");
        }
    }
}

}  // namespace cuset
