#include "cuset/region/token_groups.h"

namespace cuset {

std::string_view name_of_group(std::size_t group) {
    if (group < token_roles) return role_names[group];
    return group == blank_group ? "blank" : "text";
}

std::vector<std::uint8_t> groups_of_tokens(std::string_view response,
                                           std::span<const std::size_t> ends,
                                           std::span<const role_run> runs) {
    std::vector<std::uint8_t> groups(ends.size(), static_cast<std::uint8_t>(text_group));
    std::size_t run = 0, begin = 0;
    for (std::size_t i = 0; i < ends.size(); begin = ends[i++]) {
        std::size_t at = begin;
        while (at < ends[i] && static_cast<unsigned char>(response[at]) <= ' ') ++at;
        if (at == ends[i]) {
            if (begin < ends[i]) groups[i] = static_cast<std::uint8_t>(blank_group);
            continue;
        }
        while (run < runs.size() && runs[run].end <= at) ++run;
        if (run < runs.size() && runs[run].begin <= at)
            groups[i] = static_cast<std::uint8_t>(runs[run].role);
    }
    return groups;
}

}  // namespace cuset
