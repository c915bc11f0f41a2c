#include "moved_modes.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>
#include <variant>
#include <vector>

#include "cuset/base/fd.h"
#include "flags.h"
#include "sibling_program.h"

namespace cuset {

namespace {

constexpr std::array<std::string_view, 4> modes{"--report", "--compare", "--table",
                                                "--by-confidence"};
/// With another value than this one, these were refused in such a mode, and still are: cuset-report
/// does not know them. --table never minded the protocol.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> refused{
    {{"check", ""}, {"schedules", "0"}, {"inputs", "1"}, {"protocol", "cuset"}}};

bool is_refused(std::string_view name, std::string_view value, bool is_table) {
    if (is_table && name == "protocol") return false;
    return std::any_of(refused.begin(), refused.end(), [&](const auto& r) {
        return r.first == name && (r.second.empty() || r.second != value);
    });
}

bool is_mode(std::string_view word) {
    return std::find(modes.begin(), modes.end(), word) != modes.end();
}

int complain(const std::string& text, int code) {
    static_cast<void>(write_all(STDERR_FILENO, "cuset-eval: " + text + '\n', "stderr"));
    return code;
}

}  // namespace

std::string deprecation_of(std::string_view mode) {
    std::string text = std::string(mode) + " is deprecated: use cuset-report";
    return mode == "--report" ? text : text.append(" ").append(mode);
}

std::optional<int> run_moved_mode(int argc, char** argv) {
    eval_flags flags;
    const program all = describe(flags);
    program judging;
    add_judging(judging, flags);
    std::vector<std::string> words{"cuset-report"};
    std::vector<std::string> found;
    bool is_quiet = false, has_another = false;
    const bool is_table = std::any_of(argv + 1, argv + argc, [](const char* word) {
        return std::string_view(word) == "--table";
    });
    int i = 1;
    for (; i < argc && std::string_view(argv[i]) != "--"; ++i) {
        const std::string_view word = argv[i];
        const std::string_view name =
            word.starts_with("--") ? word.substr(2, word.find('=') - 2) : std::string_view();
        if (is_mode(word)) {
            if (std::find(found.begin(), found.end(), word) != found.end()) continue;
            found.emplace_back(word);
            if (word != "--report") words.emplace_back(word);
            continue;
        }
        has_another = has_another || name == "show" || name == "check-tasks";
        is_quiet = is_quiet || word == "--quiet" || word.starts_with("-q");
        const option* const known = all.find(name);
        const bool has_value = known && !std::holds_alternative<bool*>(known->target) &&
                               word.find('=') == word.npos && i + 1 < argc;
        const std::size_t equals = word.find('=');
        const std::string_view value = equals != word.npos ? word.substr(equals + 1)
                                       : has_value         ? std::string_view(argv[i + 1])
                                                           : std::string_view();
        const bool is_dropped = judging.find(name) && !is_refused(name, value, is_table);
        if (!is_dropped) words.emplace_back(word);
        if (has_value) ++i;
        if (has_value && !is_dropped) words.emplace_back(argv[i]);
    }
    if (found.empty()) return {};
    if (found.size() > 1 || has_another)
        return complain(
            "--report, --compare, --table, --show, --by-confidence and --check-tasks are modes: "
            "choose one",
            2);
    words.insert(words.end(), argv + i, argv + argc);
    if (!is_quiet) complain(deprecation_of(found[0]), 0);
    return complain(become_sibling(std::move(words)), 1);
}

}  // namespace cuset
