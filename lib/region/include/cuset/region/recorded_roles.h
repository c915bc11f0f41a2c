// The roles that cuset-tag wrote into a record, checked.
#pragma once

#include <vector>

#include "cuset/base/status.h"
#include "cuset/stream/pair_record.h"
#include "cuset/syntax/roles.h"

namespace cuset {

/// Fills `runs` with the record's "tag.roles", sorted and within the response. A record without
/// roles is a data error, as are a name that no role has, and a run past the response.
status read_roles(const pair_record& record, std::vector<role_run>& runs);

/// Says of each token of the record's score, whose ends lie in the response, whether it is a
/// comment. Errors as read_roles.
status read_comments(const pair_record& record, std::vector<bool>& is_comment);

}  // namespace cuset
