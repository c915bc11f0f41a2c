// A record's members as simdjson's elements. Private to lib/train.
#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>

#include "cuset/stream/json_text.h"
#include "cuset/stream/pair_record.h"

namespace cuset {

/// Parses the value of a member of a record that was read with its members; the last of duplicate
/// keys counts. False if it is missing or null. What simdjson cannot hold, such as 1e999, becomes
/// null. `value` lives until the parser's next use.
inline bool find_member(const pair_record& record, std::string_view key,
                        simdjson::dom::parser& parser, simdjson::dom::element& value) {
    const record_member* found = nullptr;
    for (const record_member& member : record.members)
        if (member.key == key) found = &member;
    if (found == nullptr || found->json == "null") return false;
    std::string copy(found->json);
    replace_lone_surrogates(copy);
    return parser.parse(copy).get(value) == simdjson::SUCCESS ||
           parser.parse(std::string("null")).get(value) == simdjson::SUCCESS;
}

}  // namespace cuset
