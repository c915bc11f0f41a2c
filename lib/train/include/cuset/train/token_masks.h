// What a record's tags decide about its tokens: the CUDA mask, and what windows count.
#pragma once

#include <bitset>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/stream/pair_record.h"
#include "cuset/syntax/roles.h"

namespace cuset {

using role_set = std::bitset<token_roles>;

/// "index,bound": the roles of those names; a usage error if one is unknown or stands twice.
result<role_set> roles_by_names(std::string_view names);
std::string names_of(const role_set& roles);

/// The default is the paper's: tokens that meet a span of a kernel or launch, comments among them.
struct token_masks {
    bool needs_tags = true;  ///< without, a record may lack them
    /// The CUDA mask has the tokens of these roles instead, wherever they stand. The role of a
    /// token is that of its first byte that is no white space (see token_groups.h).
    std::optional<role_set> sensitive_roles;
    /// Tokens of comments are in no CUDA mask and count into no window: windows are those of the
    /// tokens that are left, as if the response had no comments.
    bool drops_comments = false;

    bool needs_roles() const { return drops_comments || (needs_tags && sensitive_roles); }
};

/// What becomes of a response's tokens. Token i holds the bytes from ends[i - 1] (0 for the first)
/// to ends[i]. `left_out` is empty unless comments are dropped. Spans or roles that reach past the
/// response, and roles that are needed and missing, are data errors.
status read_masks(const token_masks& masks, const pair_record& record,
                  std::span<const std::size_t> ends, std::vector<bool>& sensitive,
                  std::vector<bool>& left_out);

}  // namespace cuset
