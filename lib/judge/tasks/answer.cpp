#include "tasks/answer.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "build/hip_program.h"
#include "build/shell_words.h"
#include "cuset/base/visible_text.h"
#include "cuset/syntax/answer_files.h"
#include "cuset/syntax/lexer.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

/// `.hip` is the name of a source where hipcc is called, and of nothing where nvcc is.
bool is_source(std::string_view path, const build_plan& plan) {
    const std::string_view endings[] = {".cu", ".cpp", ".cc", ".cxx", ".c"};
    return std::any_of(std::begin(endings), std::end(endings),
                       [&](auto ending) { return path.ends_with(ending); }) ||
           (path.ends_with(".hip") && is_command_of_hipcc(plan.build_command));
}

bool is_source_or_header(std::string_view path, const build_plan& plan) {
    const std::string_view endings[] = {".cuh", ".h", ".hpp", ".hh", ".inl"};
    return is_source(path, plan) ||
           std::any_of(std::begin(endings), std::end(endings),
                       [&](auto ending) { return path.ends_with(ending); });
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == text.npos; }

std::string_view behind_reasoning(std::string_view answer) {
    return answer.substr(end_of_reasoning(answer));
}

/// Why there is no answer behind a model's reasoning; empty if there is one.
std::string why_no_answer(std::string_view answer) {
    if (is_cut_in_reasoning(answer)) return "its reasoning does not end: <think> without </think>";
    return is_blank(behind_reasoning(answer)) ? "nothing behind its reasoning" : "";
}

/// Sources that the build command names and the task does not have.
std::vector<std::string> wanted_sources(const build_plan& plan) {
    std::vector<std::string> wanted;
    const auto words = shell_words(plan.build_command);
    if (!words) return wanted;
    for (const auto& word : *words) {
        const std::string_view path = without_dots(word.text);
        if (word.is_pattern || !is_source(path, plan) || !path_fault(path).empty()) continue;
        if (!file_named(plan.context, path) && !file_named(plan.tests, path))
            wanted.emplace_back(path);
    }
    return wanted;
}

std::string folder_of(const std::string& path) { return fs::path(path).parent_path().string(); }

/// A C++ or CUDA block of an answer, as Markdown has it.
struct code_block {
    std::string_view opening;  ///< the line of its fence
    std::string_view content;
    std::string_view alone;   ///< the block with its fences
    std::string_view before;  ///< the same, with the text since the block before
};

std::vector<code_block> code_blocks(std::string_view text) {
    std::vector<code_block> found;
    while (const auto program = find_program(text, fence_choice::first)) {
        if (program->begin == 0) break;
        const std::size_t line = text.substr(0, program->begin - 1).rfind('\n') + 1;
        const std::string_view opening = text.substr(line, program->begin - 1 - line);
        if (opening.find("```") == opening.npos && opening.find("~~~") == opening.npos) break;
        const std::size_t end = std::min(text.find('\n', program->end), text.size());
        found.push_back({opening, text.substr(program->begin, program->end - program->begin),
                         text.substr(line, end - line), text.substr(0, end)});
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return found;
}

/// Whether the block has no path, or one that only titles it: the line before it, title=, or a
/// word in the info string that is no C++ or CUDA file.
bool is_only_titled(const code_block& block, const build_plan& plan) {
    auto named = find_answer_files(block.alone);
    const bool has_own = !named.empty();
    if (!has_own) named = find_answer_files(block.before);
    if (named.empty()) return true;
    const answer_file& last = named.back();
    if (last.content != block.content) return !has_own;  // a comment, or another block's
    const std::string_view path = without_dots(last.path);
    if (!path_fault(path).empty()) return false;
    if (file_named(plan.tests, path) || file_named(plan.context, path)) return false;
    if (!has_own) return true;
    const std::string_view opening = block.opening;
    return opening.find("title=") != opening.npos ||
           (opening.find(':') != opening.npos && !is_source_or_header(path, plan));
}

bool is_header(std::string_view path, const build_plan& plan) {
    return is_source_or_header(path, plan) && !is_source(path, plan);
}

/// A harness wants one file, solution.cu. If no block has that name, the one block that is not
/// clearly another file is meant.
void name_solution(std::string_view text, const build_plan& plan, std::vector<task_file>& files) {
    if (file_named(files, "solution.cu")) return;
    std::vector<std::string_view> left;
    for (const code_block& block : code_blocks(text))
        if (is_only_titled(block, plan)) {
            const auto named = std::find_if(files.begin(), files.end(), [&](const auto& f) {
                return f.content == block.content;
            });
            if (named == files.end() || files.size() == 1 || !is_header(named->path, plan))
                left.push_back(block.content);
        }
    if (left.size() != 1) return;
    const auto named = std::find_if(files.begin(), files.end(),
                                    [&](const auto& f) { return f.content == left.front(); });
    if (named != files.end()) files.erase(named);
    files.push_back({"solution.cu", std::string(left.front())});
}

/// The spellings of a text's live tokens.
std::vector<std::string> tokens_of(std::string_view text) {
    syntax::token_stream code;
    syntax::lex(text, code);
    std::vector<std::string> tokens;
    for (std::uint32_t i = 0; i < code.size(); ++i) tokens.push_back(code.spelling(i));
    return tokens;
}

}  // namespace

cudabench_tags tags_of(protocol rule) {
    return rule == protocol::cudabench_2025 ? cudabench_tags::cpp : cudabench_tags::any_word;
}

std::string_view program_in(const candidate& c, const judge_options& options) {
    std::string_view program = c.answer;
    if (!c.is_code) {
        const auto found = is_of_cudabench(options.rule)
                               ? find_program_of_cudabench(c.answer, tags_of(options.rule))
                               : find_program(c.answer, options.fence);
        if (!found) return {};
        program = program.substr(found->begin, found->end - found->begin);
    }
    return is_blank(program) ? std::string_view() : program;
}

std::string_view module_in(const candidate& c, const judge_options& options) {
    std::string_view module = c.answer;
    if (!c.is_code) {
        const auto found = find_module(c.answer, "ModelNew", options.fence);
        if (!found) return {};
        module = module.substr(found->begin, found->end - found->begin);
    }
    return is_blank(module) ? std::string_view() : module;
}

std::string why_no_module(const candidate& c) {
    if (c.is_code) return "the module is blank";
    if (is_blank(c.answer)) return "the answer is empty";
    if (std::string why = why_no_answer(c.answer); !why.empty()) return why;
    return fence_infos(behind_reasoning(c.answer)).empty()
               ? "neither a fenced block nor a class ModelNew"
               : "none of its fenced blocks is Python";
}

std::string why_no_program(const candidate& c, const judge_options& options) {
    if (c.is_code) return "the program is blank";
    if (is_blank(c.answer)) return "the answer is empty";
    std::string_view text = c.answer;
    const bool is_benchmarks = is_of_cudabench(options.rule);
    if (!is_benchmarks) {  // whose rule knows no reasoning
        if (std::string why = why_no_answer(text); !why.empty()) return why;
        text = behind_reasoning(text);
    }
    const auto fences = fence_infos(text);
    const std::string beginning(beginning_of(text.substr(text.find_first_not_of(" \t\r\n")), 80));
    if (fences.empty()) return "neither a fenced block nor C++: " + beginning;
    if (is_benchmarks) return "its first ``` is not closed, or has nothing in it";
    std::string infos;
    for (const auto info : fences)
        infos += (infos.empty() ? "" : ", ") +
                 (info.empty() ? std::string("no language") : std::string(info));
    return std::to_string(fences.size()) + " fenced block" + (fences.size() == 1 ? "" : "s") +
           ", none with " +
           (options.fence == fence_choice::last ? "C++ or CUDA that is closed" : "C++ or CUDA") +
           ": " + std::string(beginning_of(infos, 80));
}

std::string default_name(const build_plan& plan) {
    const auto wanted = wanted_sources(plan);
    return wanted.size() == 1 ? wanted.front() : "solution.cu";
}

std::string name_fault(const std::string& path, const build_plan& plan) {
    if (std::string fault = path_fault(path); !fault.empty()) return fault;
    if (file_named(plan.tests, path)) return "is a test of the task";
    for (const auto* files : {&plan.context, &plan.tests})
        for (const auto& file : *files)
            if (are_in_each_other(file.path, path))
                return "is at odds with the task's " + file.path;
    if (file_named(plan.solution, path) || path == "solution.cu" || path == default_name(plan))
        return {};
    // Other files of the context, such as a Makefile, could build something else than the test.
    if (!is_source_or_header(path, plan)) return "is no C++ or CUDA file";
    if (file_named(plan.context, path)) return {};
    const std::string folder = folder_of(path);
    const bool is_with_tests =
        !folder.empty() && std::any_of(plan.tests.begin(), plan.tests.end(), [&](const auto& t) {
            const std::string of_test = folder_of(t.path);
            return folder == of_test || folder.starts_with(of_test + '/');
        });
    return is_with_tests ? "is in a folder of tests" : "";
}

std::optional<answer> read_answer(const candidate& c, const build_plan& plan, fence_choice choice) {
    answer found;
    if (c.is_code) {
        found.files = c.files;
        if (found.files.empty()) found.files.push_back({default_name(plan), c.answer});
    } else {
        for (auto& file : find_answer_files(c.answer))
            found.files.push_back({std::string(without_dots(file.path)), std::move(file.content)});
        if (!found.files.empty() && plan.takes_flags)  // a harness
            name_solution(c.answer, plan, found.files);
        if (found.files.empty()) {
            const auto program = find_program(c.answer, choice);
            if (!program) return {};
            found.files.push_back({default_name(plan),
                                   c.answer.substr(program->begin, program->end - program->begin)});
        }
    }
    const bool has_nothing = std::all_of(found.files.begin(), found.files.end(),
                                         [](const auto& f) { return is_blank(f.content); });
    if (has_nothing && !c.is_code) return {};
    std::vector<task_file> last;  // the last of two blocks with one path counts
    for (auto& file : found.files) {
        if (std::string fault = name_fault(file.path, plan); !fault.empty()) {
            found.forbidden = "the file " + file.path + " of the answer " + fault;
            return found;
        }
        std::erase_if(last, [&](const task_file& f) { return f.path == file.path; });
        for (const auto& other : last)
            if (are_in_each_other(other.path, file.path))
                found.forbidden =
                    "the file " + file.path + " of the answer is at odds with its " + other.path;
        last.push_back(std::move(file));
    }
    found.files = std::move(last);
    return found;
}

std::vector<task_file> all_files(const build_plan& plan, const std::vector<task_file>& own) {
    std::vector<task_file> files = own;
    for (const auto* more : {&plan.context, &plan.tests})
        for (const auto& file : *more)
            if (!file_named(own, file.path)) files.push_back(file);
    return files;
}

std::string missing_reference(const build_plan& plan, const std::vector<task_file>& own) {
    if (plan.all_references.empty() && plan.any_references.empty()) return {};
    std::vector<std::vector<std::string>> texts;
    texts.reserve(own.size());
    for (const auto& file : own) texts.push_back(tokens_of(file.content));
    const auto is_there = [&](const std::string& reference) {
        const auto wanted = tokens_of(reference);
        return !wanted.empty() && std::any_of(texts.begin(), texts.end(), [&](const auto& text) {
            return std::search(text.begin(), text.end(), wanted.begin(), wanted.end()) !=
                   text.end();
        });
    };
    for (const auto& reference : plan.all_references)
        if (!is_there(reference)) return reference;
    const auto& any = plan.any_references;
    if (any.empty() || std::any_of(any.begin(), any.end(), is_there)) return {};
    std::string names;
    for (const auto& reference : any) names += (names.empty() ? "" : " or ") + reference;
    return names;
}

}  // namespace cuset
