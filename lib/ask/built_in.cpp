#include "built_in.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "cuset/syntax/include_lines.h"
#include "cuset/syntax/program_text.h"
#include "rules.h"

namespace cuset {

namespace {

std::string_view language_of(std::string_view path) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 10> languages{{
        {".cu", "cuda"},
        {".cuh", "cuda"},
        {".hip", "hip"},
        {".c", "c"},
        {".h", "cpp"},
        {".hpp", "cpp"},
        {".cc", "cpp"},
        {".cpp", "cpp"},
        {".cxx", "cpp"},
        {".py", "python"},
    }};
    const auto* const found = std::find_if(languages.begin(), languages.end(),
                                           [&](const auto& l) { return path.ends_with(l.first); });
    return found == languages.end() ? "" : found->second;
}

/// A fence that is longer than any run of backticks in the text.
response_frame fence_around(std::string_view text, std::string_view language) {
    std::size_t longest = 0, run = 0;
    for (const char c : text) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
    const std::string fence(std::max<std::size_t>(3, longest + 1), '`');
    std::string before = fence;
    before.append(language).append("\n");
    return {std::move(before), text.empty() || text.ends_with('\n') ? fence : '\n' + fence};
}

/// The rules as they are for answers in HIP.
std::string in_hip(std::string_view rules) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 2> names{
        {{"CUDA", "HIP"}, {"nvcc", "hipcc"}}};
    std::string text(rules);
    for (const auto& [cuda, hip] : names)
        for (std::size_t at = 0; (at = text.find(cuda, at)) != text.npos; at += hip.size())
            text.replace(at, cuda.size(), hip);
    return text;
}

std::vector<chat_turn> conversation_of(std::string_view rules, std::string question) {
    rules.remove_suffix(1);  // the line break that ends a file
    return {{"system", std::string(rules)}, {"user", std::move(question)}};
}

std::string shown_arrays(const std::vector<task_array>& arrays, bool is_hip) {
    std::string text;
    for (const task_array& array : arrays) (text += '\n') += shown_array(array, is_hip);
    return arrays.empty() ? "\nnone" : text;
}

/// How the harness uses the answer, as its #include lines tell the judge too.
std::string shown_use(std::string_view harness) {
    const auto includes = syntax::live_includes(harness);
    const auto at = std::find_if(includes.begin(), includes.end(), [](const auto& line) {
        return syntax::includes_beside(line, "solution.cu");
    });
    std::string names;
    for (auto before = includes.begin(); before != at; ++before) {
        const auto [open, close] = before->is_quoted ? std::pair('"', '"') : std::pair('<', '>');
        (names += names.empty() ? "" : ", ") += open + before->name + close;
    }
    if (at == includes.end())
        return "harness.cu includes " + (names.empty() ? "nothing" : names) +
               ", and is compiled and linked with solution.cu.";
    return "harness.cu includes solution.cu" + (names.empty() ? "." : " after " + names + '.');
}

}  // namespace

std::string fenced(std::string_view text, std::string_view language) {
    const response_frame fence = fence_around(text, language);
    return fence.before + std::string(text) + fence.after;
}

void add_part(std::string& message, std::string_view heading, std::string_view text) {
    if (!message.empty()) message += "\n\n";
    message.append(heading).append(text);
}

std::string shown_array(const task_array& array, bool is_hip) {
    std::string line = "- " + array.name + ": " + array.dtype;
    if (const auto type = array.type(); !type.empty()) {
        line += " (";
        if (type == "__half")
            line += is_hip ? "__half of hip/hip_fp16.h" : "__half of cuda_fp16.h";
        else if (type == "__nv_bfloat16")
            line += is_hip ? "__hip_bfloat16 of hip/hip_bf16.h" : "__nv_bfloat16 of cuda_bf16.h";
        else
            line += type;
        line += ')';
    }
    line += ", shape " + array.shape;
    if (array.count)
        line +=
            ", " + std::to_string(*array.count) + (*array.count == 1 ? " element" : " elements");
    return line + ", file " + array.file();
}

std::string shown_files(std::span<const context_file> files) {
    std::string text;
    for (const context_file& file : files)
        add_part(text, file.path + ":\n", fenced(file.content, language_of(file.path)));
    return text;
}

response_frame frame_of_program(std::string_view response, std::string_view language) {
    const auto program = find_program(response, fence_choice::first);
    const bool is_bare = program && program->begin == 0 && program->end == response.size();
    return is_bare ? fence_around(response, language) : response_frame{};
}

response_frame frame_of_module(std::string_view response) {
    const auto module = find_module(response, "ModelNew", fence_choice::first);
    const bool is_bare = module && module->begin == 0 && module->end == response.size();
    return is_bare ? fence_around(response, "python") : response_frame{};
}

result<std::vector<chat_turn>> cudabench_conversation(const task_fields& fields,
                                                      const std::string& prompt) {
    std::string question;
    if (fields.has("task_name")) {
        CUSET_ASSIGN(const std::string name, fields.text("task_name"));
        add_part(question, "Task: ", name);
    }
    add_part(question, "", prompt);
    std::vector<task_array> inputs;
    if (fields.has("inputs")) {
        CUSET_ASSIGN(inputs, fields.arrays("inputs"));
    }
    add_part(question, "Inputs:", shown_arrays(inputs, fields.is_hip()));
    CUSET_ASSIGN(const auto outputs, fields.arrays("outputs"));
    add_part(question, "Outputs:", shown_arrays(outputs, fields.is_hip()));
    if (fields.has("gpu")) {
        CUSET_ASSIGN(const std::string gpu, fields.text("gpu"));
        if (gpu != "unknown") add_part(question, "GPU: ", gpu);
    }
    if (fields.is_hip()) return conversation_of(in_hip(cudabench_md), std::move(question));
    return conversation_of(cudabench_md, std::move(question));
}

result<std::vector<chat_turn>> computeeval_conversation(const task_fields& fields,
                                                        const std::string& prompt) {
    std::string question = prompt;
    CUSET_ASSIGN(const auto files, fields.files("context_files"));
    if (!files.empty()) add_part(question, "Files that are there:\n\n", shown_files(files));
    CUSET_ASSIGN(const std::string build, fields.words("build_command"));
    if (!build.empty()) add_part(question, "Build command:\n", fenced(build, "sh"));
    return conversation_of(computeeval_md, std::move(question));
}

result<std::vector<chat_turn>> harness_conversation(const task_fields& fields,
                                                    const std::string& prompt) {
    std::string question = prompt;
    CUSET_ASSIGN(const auto files, fields.files("context_files"));
    if (!files.empty()) add_part(question, "Files that are there:\n\n", shown_files(files));
    CUSET_ASSIGN(const std::string harness, fields.text("harness"));
    add_part(question, "", shown_use(harness));
    CUSET_ASSIGN(const std::string flags, fields.words("nvcc_flags"));
    if (!flags.empty())
        add_part(question, fields.is_hip() ? "Flags of hipcc: " : "Flags of nvcc: ", flags);
    if (fields.is_hip()) return conversation_of(in_hip(harness_md), std::move(question));
    return conversation_of(harness_md, std::move(question));
}

result<std::vector<chat_turn>> kernelbench_conversation(const task_fields& fields,
                                                        const std::string& code) {
    std::string question;
    if (fields.has("name")) {
        CUSET_ASSIGN(const std::string name, fields.text("name"));
        add_part(question, "Task: ", name);
    }
    add_part(question, "", fenced(code, "python"));
    if (fields.has("gpu")) {
        CUSET_ASSIGN(const std::string gpu, fields.text("gpu"));
        if (gpu != "unknown") add_part(question, "GPU: ", gpu);
    }
    return conversation_of(kernelbench_md, std::move(question));
}

}  // namespace cuset
