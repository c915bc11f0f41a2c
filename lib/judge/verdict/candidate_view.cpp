#include "cuset/judge/candidate_view.h"

#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "cuset/base/visible_text.h"
#include "cuset/judge/answer_parts.h"
#include "cuset/judge/verdict_log.h"
#include "cuset/stream/line_source.h"
#include "tasks/record_fields.h"

namespace cuset {

namespace {

void append_part(const std::string& title, std::string_view text, std::string& out) {
    out += "\n== " + title + " ==\n" + visible_lines(text);
    if (out.back() != '\n') out += '\n';
}

}  // namespace

result<candidate_name> read_candidate_name(const std::string& text) {
    candidate_name name;
    const std::size_t slash = text.rfind('/');
    const char* const end = text.data() + text.size();
    const char* const number = slash == text.npos ? end : text.data() + slash + 1;
    const auto [stop, error] = std::from_chars(number, end, name.sample);
    if (error != std::errc{} || stop != end || slash == 0)
        return usage_error("--show: '" + text + "' is not TASK/SAMPLE, such as 16/0");
    name.task = text.substr(0, slash);
    return name;
}

result<shown_candidate> find_candidate(const candidate_name& name, const std::string& tasks,
                                       stream_options candidates) {
    CUSET_ASSIGN(const task_set known, task_set::read(tasks));
    const task* const asked = known.find(name.task);
    if (asked == nullptr)
        return data_error("there is no task \"" + visible_text(name.task) + "\" in " + tasks);
    candidates.longest_line = longest_line;
    CUSET_ASSIGN(line_source lines, line_source::open(candidates));
    candidate_reader reader(solution_files::read);
    while (true) {
        CUSET_ASSIGN(const line* const next, lines.next());
        if (next == nullptr) break;
        auto found = reader.read(next->text);
        if (!found) {
            CUSET_TRY(lines.reject(std::move(found).error()));
            continue;
        }
        for (candidate& c : *found)
            if (c.task == name.task && c.sample == name.sample)
                return shown_candidate{*asked, std::move(c)};
    }
    return data_error("there is no sample " + std::to_string(name.sample) + " of task \"" +
                      visible_text(name.task) + "\" among the candidates");
}

result<std::optional<verdict>> verdict_on(const candidate& c, const std::string& verdicts) {
    CUSET_ASSIGN(auto all, read_verdicts({verdicts}));
    for (verdict& v : all)
        if (v.task == c.task && v.sample == c.sample) return std::optional(std::move(v));
    return std::optional<verdict>();
}

std::string to_text(const shown_candidate& shown, const verdict& v, fence_choice fence) {
    const auto& [t, c] = shown;
    std::string text = "task " + visible_text(v.task) + " (" + visible_text(v.family) +
                       "), sample " + std::to_string(v.sample) + ": ";
    text += v.passed() ? std::string(name_of(v.reached))
                       : std::string(name_of(v.why)) + ", after " + std::string(name_of(v.reached));
    text += '\n';
    if (!v.diagnostic.empty()) text += v.diagnostic + '\n';
    text += describe(v.setting) + '\n';
    if (!v.compiler.empty()) append_part("compiler", v.compiler, text);
    for (const answer_part& file : program_of(c, t, v.setting.rule, fence))
        append_part(visible_text(file.path), file.content, text);
    append_part("answer", c.answer, text);
    return text;
}

}  // namespace cuset
