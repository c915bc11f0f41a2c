#include "cuset/judge/answer_parts.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "tasks/answer.h"

namespace cuset {

namespace {

/// Finds each file in the text of the answer, behind a model's reasoning. A file that another one
/// already stands for is not found again.
void place(const std::string& answer, std::vector<answer_part>& files) {
    std::vector<std::pair<std::size_t, std::size_t>> taken;
    for (answer_part& file : files) {
        if (file.content.empty()) continue;
        for (std::size_t at = answer.find(file.content, end_of_reasoning(answer));
             at != answer.npos; at = answer.find(file.content, at + 1)) {
            const std::size_t end = at + file.content.size();
            if (std::any_of(taken.begin(), taken.end(), [&](const auto& other) {
                    return at < other.second && other.first < end;
                }))
                continue;
            taken.emplace_back(at, end);
            file.begin = at;
            break;
        }
    }
}

/// Whether a line says more than blanks and the marks of a fence.
bool has_words(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = text.substr(at, end - at);
        const std::size_t first = line.find_first_not_of(" \t\r");
        if (first != line.npos && !line.substr(first).starts_with("```") &&
            !line.substr(first).starts_with("~~~"))
            return true;
        at = end + 1;
    }
    return false;
}

}  // namespace

std::vector<answer_part> program_of(const candidate& c, const task& t, protocol rule,
                                    fence_choice fence) {
    judge_options options;
    options.rule = rule;
    if (!is_of_cudabench(rule)) options.fence = fence;
    std::vector<answer_part> files;
    if (t.build) {
        if (auto given = read_answer(c, *t.build, options.fence))
            for (task_file& file : given->files)
                files.push_back({std::move(file.path), std::move(file.content), std::nullopt});
        place(c.answer, files);
        return files;
    }
    const bool is_module = !t.module.empty();
    const std::string_view program = is_module ? module_in(c, options) : program_in(c, options);
    if (program.empty()) return files;
    files.push_back({is_module ? "answer.py" : "program.cu", std::string(program),
                     static_cast<std::size_t>(program.data() - c.answer.data())});
    return files;
}

std::vector<answer_part> parts_of(const candidate& c, const task& t, protocol rule,
                                  fence_choice fence) {
    std::vector<answer_part> files = program_of(c, t, rule, fence);
    // A file without a place is less than any that has one.
    std::stable_sort(files.begin(), files.end(),
                     [](const auto& a, const auto& b) { return a.begin < b.begin; });
    std::vector<answer_part> parts;
    std::size_t end = 0;
    const auto add_text = [&](std::size_t to) {
        std::string text = c.answer.substr(end, to - end);
        if (has_words(text)) parts.push_back({"", std::move(text), end});
    };
    for (answer_part& file : files) {
        if (file.begin) {
            add_text(*file.begin);
            end = *file.begin + file.content.size();
        }
        parts.push_back(std::move(file));
    }
    add_text(c.answer.size());
    return parts;
}

}  // namespace cuset
