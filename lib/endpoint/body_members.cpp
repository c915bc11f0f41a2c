#include "body_members.h"

#include <simdjson.h>

#include <algorithm>

namespace cuset {

result<std::vector<body_member>> read_body_members(std::string_view text,
                                                   std::span<const std::string_view> kept) {
    namespace dom = simdjson::dom;
    dom::parser parser;
    dom::element root;
    dom::object object;
    if (const auto error = parser.parse(text.data(), text.size()).get(root))
        return usage_error(std::string("no JSON object: ") + simdjson::error_message(error));
    if (root.get(object)) return usage_error("no JSON object, but another value");
    std::vector<body_member> members;
    for (const auto [key, value] : object) {
        if (std::find(kept.begin(), kept.end(), key) != kept.end())
            return usage_error('"' + std::string(key) +
                               "\" cannot be changed: without it no answer could be read");
        std::erase_if(members, [name = key](const body_member& m) { return m.key == name; });
        members.push_back({std::string(key), simdjson::minify(value)});
    }
    return members;
}

merged_object::merged_object(std::string& out, std::span<const body_member> theirs)
    : theirs_(theirs), json_(out) {
    json_.begin_object();
}

bool merged_object::is_ours(std::string_view key) const {
    return std::none_of(theirs_.begin(), theirs_.end(),
                        [&](const body_member& m) { return m.key == key; });
}

void merged_object::end() {
    for (const body_member& m : theirs_) {
        if (m.json == "null") continue;
        json_.key(m.key).raw(m.json);
    }
    json_.end_object();
}

}  // namespace cuset
