// Readers of the fields of a record that are not plain strings. Each empties `out` first and
// follows json_walk's rules: an error_code is broken JSON, `mistyped` a value of another form.
#pragma once

#include <vector>

#include "cuset/stream/pair_record.h"
#include "json_walk.h"

namespace cuset {

/// "messages" ("role", "content") and "conversations" ("from", "value"); with columns, a turn has
/// their members and roles. `unread`, emptied first, names the first thing that they hold and that
/// would be missing: with columns a turn of another role, a part that is no text, tool calls.
json_walk::error_code read_turns(json_walk::od::value value, const record_columns* columns,
                                 std::vector<chat_turn>& out, std::string& unread, bool& mistyped);

/// Alpaca's "history": [[question, answer], ...].
json_walk::error_code read_history(json_walk::od::value value, std::vector<chat_turn>& out,
                                   bool& mistyped);

/// Sets `used` unless the value is null, false, or an empty string, array or object.
json_walk::error_code read_use(json_walk::od::value value, bool& used);

struct tag_faults {
    bool tag = false, roles = false;
};

/// "tag": reads its "spans" and, if `roles` are wanted, those. has_tag and has_roles say whether
/// there are such arrays (an empty one counts).
json_walk::error_code read_tag(json_walk::od::value value, bool roles, pair_record& record,
                               tag_faults& faults);

/// What was wrong with a "score": the flags of its last "end" and "confidence".
struct score_faults {
    bool score = false, end = false, confidence = false;
};
json_walk::error_code read_score(json_walk::od::value value, std::vector<std::uint64_t>& end,
                                 std::vector<double>& confidence, score_faults& mistyped);

/// "window": reads its "token" and "min".
json_walk::error_code read_window(json_walk::od::value value, recorded_window& out, bool& mistyped);

}  // namespace cuset
