#include "cuset/region/recorded_roles.h"

#include "cuset/base/visible_text.h"
#include "cuset/region/token_groups.h"

namespace cuset {

status read_roles(const pair_record& record, std::vector<role_run>& runs) {
    runs.clear();
    if (!record.has_roles)
        return data_error("\"tag.roles\" is missing (tag the records with cuset-tag --roles)");
    for (const tagged_role& run : record.roles) {
        const auto role = role_of_name(run.role);
        if (!role) return data_error("\"tag.roles\": no role is called " + visible_text(run.role));
        if (run.end > record.response.size())
            return data_error("\"tag.roles\" reach past the response: tags of other text?");
        runs.push_back({*role, run.begin, run.end});
    }
    return {};
}

status read_comments(const pair_record& record, std::vector<bool>& is_comment) {
    std::vector<role_run> runs;
    CUSET_TRY(read_roles(record, runs));
    const auto groups = groups_of_tokens(record.response, record.token_end, runs);
    is_comment.resize(groups.size());
    for (std::size_t i = 0; i < groups.size(); ++i)
        is_comment[i] = groups[i] == static_cast<std::size_t>(token_role::comment);
    return {};
}

}  // namespace cuset
