#include "cuset/train/token_masks.h"

#include <algorithm>

#include "cuset/region/recorded_roles.h"
#include "cuset/region/sensitive_tokens.h"
#include "cuset/region/token_groups.h"

namespace cuset {

result<role_set> roles_by_names(std::string_view names) {
    role_set roles;
    for (std::size_t at = 0; at <= names.size();) {
        const std::size_t comma = std::min(names.find(',', at), names.size());
        const std::string name(names.substr(at, comma - at));
        at = comma + 1;
        const auto role = role_of_name(name);
        if (!role) {
            std::string known;
            for (const std::string_view one : role_names)
                known += (known.empty() ? "" : ", ") + std::string(one);
            return usage_error("no role is called '" + name + "'; roles are " + known);
        }
        const auto bit = static_cast<std::size_t>(*role);
        if (roles[bit]) return usage_error("the role " + name + " stands twice");
        roles.set(bit);
    }
    return roles;
}

std::string names_of(const role_set& roles) {
    std::string names;
    for (std::size_t i = 0; i < token_roles; ++i)
        if (roles[i]) names += (names.empty() ? "" : ",") + std::string(role_names[i]);
    return names;
}

status read_masks(const token_masks& masks, const pair_record& record,
                  std::span<const std::size_t> ends, std::vector<bool>& sensitive,
                  std::vector<bool>& left_out) {
    std::vector<byte_span> spans;
    for (const tagged_span& span : record.spans) {
        if (span.end > record.response.size())
            return data_error("\"tag\" reaches past the response: tagged from other text?");
        if (!masks.sensitive_roles) spans.push_back({span.begin, span.end});
    }
    sensitive = sensitive_tokens(ends, spans);
    left_out.clear();
    if (!masks.needs_roles()) return {};
    std::vector<role_run> runs;
    CUSET_TRY(read_roles(record, runs));
    const std::vector<std::uint8_t> groups = groups_of_tokens(record.response, ends, runs);
    const auto comment = static_cast<std::size_t>(token_role::comment);
    if (masks.drops_comments) left_out.resize(ends.size());
    for (std::size_t i = 0; i < ends.size(); ++i) {
        const std::size_t group = groups[i];
        if (masks.needs_tags && masks.sensitive_roles)
            sensitive[i] = group < token_roles && (*masks.sensitive_roles)[group];
        if (masks.drops_comments && group == comment) {
            sensitive[i] = false;
            left_out[i] = true;
        }
    }
    return {};
}

}  // namespace cuset
