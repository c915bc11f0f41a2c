#include "built_in.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "cuset/syntax/include_lines.h"
#include "cuset/syntax/program_text.h"

namespace cuset {

namespace {

constexpr std::string_view cudabench_rules =
    R"(You write CUDA programs. Answer each task with one whole program in one fenced code block that begins with ```cpp.

These rules decide whether the program passes:
- It is a single file of CUDA C++17 with a main function. nvcc compiles it without further files or libraries.
- It takes no arguments and reads no standard input. It reads each input NAME from the file data/NAME.bin and writes each output NAME to the file data/NAME.bin, below the folder where it is started. The folder data and the inputs are there.
- A file holds raw values and nothing else: each value in the dtype of the array, little-endian, in row-major order (the last dimension varies fastest).
- Sizes are fixed: a file has as many values as the shape has elements, and the shape () is one value. Make the sizes constants of the program.
- Kernels on the GPU compute the results. A program whose outputs do not come from kernels fails.
- The outputs must agree with those of a reference. main returns 0 if all went well; an error of a CUDA call ends the program with another exit code.

These functions read and write such files from and to host memory. Take them over as they are:

```cpp
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

// Reads the `count` values of the file into host memory at `values`.
template <class T>
void read_values(const char* path, T* values, std::size_t count) {
    std::FILE* file = std::fopen(path, "rb");
    if (file == nullptr || std::fread(values, sizeof(T), count, file) != count) {
        std::fprintf(stderr, "cannot read %zu values from %s\n", count, path);
        std::exit(1);
    }
    std::fclose(file);
}

// Writes `count` values from host memory at `values`; they are all that the file holds.
template <class T>
void write_values(const char* path, const T* values, std::size_t count) {
    std::FILE* file = std::fopen(path, "wb");
    if (file == nullptr || std::fwrite(values, sizeof(T), count, file) != count ||
        std::fclose(file) != 0) {
        std::fprintf(stderr, "cannot write %zu values to %s\n", count, path);
        std::exit(1);
    }
}
```)";

constexpr std::string_view computeeval_rules =
    R"(You write source files of CUDA projects. Each task comes with the files that are there already and with the command that builds the project. A test that you do not see uses your code afterwards.

- Answer with each file that you add or change, whole, in a fenced code block of its own. The first line of a block is a comment with the file's path from the folder of the project: "// file: src/solution.cu". Text outside the blocks is ignored.
- Leave out files that stay as they are, and write no tests.
- Keep the names, signatures and types that the given files declare. A header that declares what is missing asks for a source file that defines it.
- The build command must succeed as it is: it says how the source files are called, where headers are found, which language standard holds, and which libraries there are.
- The code must be right for every input that the task allows, and leave no error of a CUDA call behind.)";

constexpr std::string_view harness_rules =
    R"(You write one file of CUDA C++: solution.cu. A test program, harness.cu, uses it.

- Answer with the whole file in one fenced code block.
- Define what the task asks for, with the names, signatures and types that it and the given files state. harness.cu has the main function.
- The given files are in the same folder, and can be included.
- The code must be right for every input that the task allows, and leave no error of a CUDA call behind.)";

constexpr std::string_view kernelbench_rules =
    R"(You write faster forms of PyTorch modules with CUDA kernels of your own. Each task is a Python module that defines a class Model. Answer with one whole Python module in one fenced code block that begins with ```python; it defines a class ModelNew that takes the place of Model.

These rules decide whether the answer passes:
- ModelNew is an nn.Module. Its constructor takes the arguments that get_init_inputs() returns, and its forward those that get_inputs() returns; all tensors are on the GPU.
- It has Model's parameters and buffers, made in the same order by the same initialisers. Both are constructed after the same random seed, so that their values are then the same; nothing is copied from one to the other.
- For several sets of random inputs, forward returns what Model's forward returns: tensors of the same shapes and dtypes, on the GPU, with values that agree within the rounding of the dtype.
- Kernels in CUDA C++ are compiled when the module is imported, by load_inline of torch.utils.cpp_extension: cuda_sources has the kernels and the C++ functions that launch them, cpp_sources declares these functions, and functions lists their names. A function takes and returns torch::Tensor, and launches on at::cuda::getCurrentCUDAStream() or the default stream.
- Any operator may be replaced by a kernel, and several may be fused into one or computed in another way; the rest may stay PyTorch's.
- The module imports all that it uses, and runs nothing but its definitions: no tests, and no calls of get_inputs().)";

std::string_view language_of(std::string_view path) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 9> languages{{
        {".cu", "cuda"},
        {".cuh", "cuda"},
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

std::string fenced(std::string_view text, std::string_view language) {
    const response_frame fence = fence_around(text, language);
    return fence.before + std::string(text) + fence.after;
}

/// A heading and what follows it, as a part of a message of its own.
void add_part(std::string& message, std::string_view heading, std::string_view text) {
    if (!message.empty()) message += "\n\n";
    message.append(heading).append(text);
}

std::vector<chat_turn> conversation_of(std::string_view rules, std::string question) {
    return {{"system", std::string(rules)}, {"user", std::move(question)}};
}

std::string shown_arrays(const std::vector<task_array>& arrays) {
    std::string text;
    for (const task_array& array : arrays) text += '\n' + shown_array(array);
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

std::string shown_array(const task_array& array) {
    std::string line = "- " + array.name + ": " + array.dtype;
    if (const auto type = array.type(); !type.empty()) {
        line.append(" (").append(type);
        if (type == "__half") line += " of cuda_fp16.h";
        if (type == "__nv_bfloat16") line += " of cuda_bf16.h";
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
    add_part(question, "Inputs:", shown_arrays(inputs));
    CUSET_ASSIGN(const auto outputs, fields.arrays("outputs"));
    add_part(question, "Outputs:", shown_arrays(outputs));
    if (fields.has("gpu")) {
        CUSET_ASSIGN(const std::string gpu, fields.text("gpu"));
        if (gpu != "unknown") add_part(question, "GPU: ", gpu);
    }
    return conversation_of(cudabench_rules, std::move(question));
}

result<std::vector<chat_turn>> computeeval_conversation(const task_fields& fields,
                                                        const std::string& prompt) {
    std::string question = prompt;
    CUSET_ASSIGN(const auto files, fields.files("context_files"));
    if (!files.empty()) add_part(question, "Files that are there:\n\n", shown_files(files));
    CUSET_ASSIGN(const std::string build, fields.words("build_command"));
    if (!build.empty()) add_part(question, "Build command:\n", fenced(build, "sh"));
    return conversation_of(computeeval_rules, std::move(question));
}

result<std::vector<chat_turn>> harness_conversation(const task_fields& fields,
                                                    const std::string& prompt) {
    std::string question = prompt;
    CUSET_ASSIGN(const auto files, fields.files("context_files"));
    if (!files.empty()) add_part(question, "Files that are there:\n\n", shown_files(files));
    CUSET_ASSIGN(const std::string harness, fields.text("harness"));
    add_part(question, "", shown_use(harness));
    CUSET_ASSIGN(const std::string flags, fields.words("nvcc_flags"));
    if (!flags.empty()) add_part(question, "Flags of nvcc: ", flags);
    return conversation_of(harness_rules, std::move(question));
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
    return conversation_of(kernelbench_rules, std::move(question));
}

}  // namespace cuset
