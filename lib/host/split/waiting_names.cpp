#include "waiting_names.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace cuset {
namespace {

using namespace syntax;

// CUDA's own names.
constexpr std::string_view prefixes[] = {"__syncthreads", "__shfl",    "__ballot", "__any",
                                         "__all",         "__match",   "__reduce", "__barrier",
                                         "__cluster",     "__pipeline"};
constexpr std::string_view words[] = {
    "__syncwarp", "__activemask", "__nanosleep_until", "cooperative_groups", "this_thread_block",
    "this_thread", "this_grid", "this_multi_grid", "coalesced_threads", "coalesced_group",
    "tiled_partition", "labeled_partition", "binary_partition", "thread_block", "thread_group",
    "thread_block_tile", "grid_group", "cluster_group", "this_cluster", "memcpy_async",
    "wait_prior", "barrier_arrive", "barrier_wait", "block_barrier", "grid_barrier",
    "warp_exchange", "converged_lanes",
    // What the translation calls HIP's of these names.
    "__syncwarp_of_hip", "__activemask_of_hip", "__lane_id_of_hip", "__lanemask_lt_of_hip",
    "__lanemask_eq_of_hip", "__lanemask_gt_of_hip", "sync", "arrive_and_wait", "cub", "asm",
    "__asm__", "__asm", "arrive", "wait", "pipeline", "make_pipeline", "consumer_wait",
    "producer_acquire", "acquire", "try_wait", "try_wait_parity", "wait_parity", "try_wait_for",
    "try_wait_until", "try_wait_parity_for", "try_wait_parity_until", "mbarrier_try_wait",
    "mbarrier_try_wait_parity", "mbarrier_test_wait", "mbarrier_test_wait_parity",
    "barrier_cluster_wait", "nvcuda", "wmma", "load_matrix_sync", "store_matrix_sync", "mma_sync",
    "bmma_sync"};

// The words of a function or macro.
struct user {
    std::string name;
    std::vector<token_range> parts;
    bool is_nameless = false;
};

}  // namespace

bool waiting_names::contains(std::string_view word) const {
    if (is_one_of(word, words)) return true;
    if (word.starts_with("get_sreg_")) return true;  // asks for the place of the thread that runs
    if (word.starts_with("__") &&
        std::ranges::any_of(prefixes, [&](std::string_view p) { return word.starts_with(p); }))
        return true;
    return names_.contains(std::string(word));
}

waiting_names::waiting_names(const cuda_program& program,
                             std::initializer_list<std::string_view> more) {
    for (const std::string_view each : more) names_.emplace(each);
    const token_stream& code = program.code;
    std::vector<user> users;
    std::vector<bool> used(code.size(), false);  // whether the token is part of a function or macro
    const auto mark = [&](token_range part) {
        for (std::uint32_t i = part.first; i < part.end && i < code.size(); ++i) used[i] = true;
    };
    for (const cuda_function& f : program.functions) {
        user u{f.name, {f.head, f.parameters, f.body}, f.is_lambda || f.name.empty()};
        u.is_nameless |= f.name.starts_with("operator");
        for (const token_range part : u.parts) mark(part);
        if (f.is_global) continue;  // no device code calls a kernel
        users.push_back(std::move(u));
    }
    for (const cuda_macro& m : program.macros) {
        users.push_back({code.spelling(m.name), {m.replacement}, false});
        mark({m.define, m.replacement.end});
    }
    const bool has_own_group = std::ranges::any_of(program.functions, [](const cuda_function& f) {
        return f.name == "sync" || f.name == "this_thread_block";
    });
    if (!has_own_group) group_spaces_.insert("cooperative_groups");
    // namespace cg = cooperative_groups; using namespace cooperative_groups;
    for (std::uint32_t i = 0; i < code.size(); ++i) {
        if (!has_own_group && code.is_word(i, "namespace") && code.is(i + 1, word) &&
            code.is(i + 2, '=') && code.is_word(i + 3, "cooperative_groups") && code.is(i + 4, ';'))
            group_spaces_.insert(code.spelling(i + 1));
        if (used[i]) continue;
        const bool is_alias =
            code.is_word(i, "namespace") && code.is(i + 1, word) && code.is(i + 2, '=');
        if (is_alias || code.is_word(i, "using")) {
            bool waits = false;
            std::uint32_t end = i + 1;
            for (; end < code.size() && !code.is(end, ';') && !code.is(end, '{'); ++end) {
                used[end] = true;
                waits |= end > i + 2 && code.is(end, word) && contains(code.spelling(end));
            }
            const bool names = code.is(i + 1, word) && code.is(i + 2, '=');
            if (waits && names) names_.insert(code.spelling(i + 1));
            i = end;
        }
    }
    constexpr int most_rounds = 16;
    bool grew = true;
    for (int round = 0; grew && nameless_.empty(); ++round) {
        if (round == most_rounds) nameless_ = "long chains of functions";
        grew = false;
        for (user& u : users) {
            if (u.parts.empty()) continue;
            bool waits = false;
            for (const token_range part : u.parts) {
                for (std::uint32_t i = part.first; i < part.end && !waits; ++i) {
                    // The head contains the function's own name.
                    waits =
                        code.is(i, word) && contains(code.spelling(i)) && !code.is_word(i, u.name);
                }
            }
            if (!waits) continue;
            u.parts.clear();
            grew |= names_.insert(u.name).second;
            if (u.is_nameless) nameless_ = "an operator or lambda waits for other threads";
        }
    }
    for (std::uint32_t i = 0; i < code.size() && nameless_.empty(); ++i) {
        if (!used[i] && code.is(i, word) && contains(code.spelling(i)))
            nameless_ = code.spelling(i) + " outside of functions";
    }
}

}  // namespace cuset
