#include "cuset/judge/task_file.h"

#include <algorithm>

namespace cuset {

std::string path_fault(std::string_view path) {
    constexpr std::size_t most_parts = 16, most_characters = 200;
    constexpr std::string_view letters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-";
    if (path.empty()) return "is empty";
    if (path.front() == '/') return "is absolute";
    if (path.size() > most_characters) return "is longer than 200 characters";
    std::size_t parts = 0;
    for (std::string_view rest = path;; ++parts) {
        const std::string_view part = rest.substr(0, rest.find('/'));
        if (part == "..") return "leads out of its folder";
        if (part.empty() || part.front() == '.' || part.front() == '-')
            return "has a part that is empty or begins with a dot or a dash";
        if (part.find_first_not_of(letters) != part.npos)
            return "has characters other than letters, digits and ._+-/";
        if (part.size() == rest.size()) break;
        rest.remove_prefix(part.size() + 1);
    }
    return parts < most_parts ? "" : "has more than 16 parts";
}

std::string_view without_dots(std::string_view path) {
    while (path.starts_with("./")) path.remove_prefix(2);
    return path;
}

bool are_in_each_other(std::string_view path, std::string_view other) {
    const auto [inner, outer] =
        path.size() > other.size() ? std::pair(path, other) : std::pair(other, path);
    return inner.size() > outer.size() && inner.starts_with(outer) && inner[outer.size()] == '/';
}

const task_file* file_named(const std::vector<task_file>& files, std::string_view path) {
    const auto found = std::find_if(files.begin(), files.end(),
                                    [&](const task_file& f) { return f.path == path; });
    return found == files.end() ? nullptr : &*found;
}

}  // namespace cuset
