// What the tokens of a model are for: the roles of code (cuset/syntax/roles.h) as tokens have them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cuset/syntax/roles.h"

namespace cuset {

/// The groups of tokens: the roles, in their order, then these two.
inline constexpr std::size_t blank_group = token_roles;     ///< white space alone
inline constexpr std::size_t text_group = token_roles + 1;  ///< outside code; a template's tokens
inline constexpr std::size_t token_group_count = token_roles + 2;

/// As reports spell it.
std::string_view name_of_group(std::size_t group);

/// Whether the group is CUDA-sensitive when roles decide: index, bound, memory, sync, launch.
constexpr bool is_sensitive_group(std::size_t group) {
    return group <= static_cast<std::size_t>(token_role::launch);
}

/// The group of each token: the role of its first byte that is no white space. Token i holds the
/// bytes of `response` from the end of the token before it (0 for the first) to ends[i]. `ends`
/// never falls and stays within the response; `runs` are sorted and do not overlap.
std::vector<std::uint8_t> groups_of_tokens(std::string_view response,
                                           std::span<const std::size_t> ends,
                                           std::span<const role_run> runs);

}  // namespace cuset
