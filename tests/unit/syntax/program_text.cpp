#include "cuset/syntax/program_text.h"

#include <boost/test/unit_test.hpp>
#include <string>

using namespace cuset;

namespace {

const std::string kernel = "__global__ void k(float* x) { x[0] = 1; }\n";
const std::string program = "#include <cstdio>\n" + kernel + "int main() { k<<<1, 1>>>(0); }\n";

std::string found(const std::string& answer, fence_choice choice = fence_choice::first) {
    const auto at = find_program(answer, choice);
    return at ? answer.substr(at->begin, at->end - at->begin) : "(none)";
}

std::string fenced(const std::string& info, const std::string& code) {
    return "```" + info + "\n" + code + "```\n";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(program_text_of_an_answer)

BOOST_AUTO_TEST_CASE(first_and_last) {
    const std::string answer = "First the kernel:\n" + fenced("cuda", kernel) + "then compile\n" +
                               fenced("bash", "nvcc x.cu\n") + "and all of it:\n" +
                               fenced("cpp", program) + "```cuda\n__global__ void cut(";
    BOOST_TEST(found(answer) == kernel);
    BOOST_TEST(found(answer, fence_choice::last) == program);
}

// The values are those of Python's re.findall with CUDABench's pattern, and of its strip().
BOOST_AUTO_TEST_CASE(cudabench_takes_what_is_between_the_first_two_fences) {
    const auto by = [](const std::string& answer, cudabench_tags tags) {
        const auto at = find_program_of_cudabench(answer, tags);
        return at ? answer.substr(at->begin, at->end - at->begin) : "(none)";
    };
    const auto found = [&](const std::string& answer) { return by(answer, cudabench_tags::cpp); };
    BOOST_TEST(found("Here:\n```cpp\nint a;\n```\n```cpp\nint b;\n```") == "int a;");
    BOOST_TEST(found("```c++ \n\n int a; \t\n```") == "int a;");
    BOOST_TEST(found("```\nint a;\n```") == "int a;");
    BOOST_TEST(found("Run ```nvcc x.cu``` on\n```cpp\nint a;\n```") == "nvcc x.cu");
    BOOST_TEST(found("```cuda\nint a;\n```") == "cuda\nint a;");
    BOOST_TEST(found("```cppx\n```") == "x");
    BOOST_TEST(found("````cpp\nint a;\n````") == "`cpp\nint a;");
    BOOST_TEST(found("<think>```cpp\nint a;\n```</think>```cpp\nint b;\n```") == "int a;");
    BOOST_TEST(found("```cpp```") == "");
    BOOST_TEST(found("``````") == "");
    for (const std::string answer : {"", "int main() {}", "```cpp\nint main() {}", "```", "`````"})
        for (const auto tags : {cudabench_tags::cpp, cudabench_tags::any_word})
            BOOST_TEST(by(answer, tags) == "(none)", answer);
    for (const auto& [answer, program] :
         {std::pair{"```cuda\nint a;\n```\n```cpp\nint b;\n```", "int a;"},
          {"```CPP \n\n int a; \t\n```", "int a;"},
          {"```\nint a;\n```", "int a;"},
          {"```cu_12\nint a;```", "int a;"},
          {"```c++\nint a;\n```", "++\nint a;"},
          {"```cuda-c\nint a;\n```", "-c\nint a;"},
          {"```int a;```", "a;"},
          {"````cpp\nint a;\n````", "`cpp\nint a;"},
          {"```cpp```", ""},
          {"``````", ""}})
        BOOST_TEST(by(answer, cudabench_tags::any_word) == program, answer);
}

BOOST_AUTO_TEST_CASE(fences_that_count) {
    for (const char* info : {"cuda", "cpp", "c++", "CUDA", "cu", "c", "hip", ""}) {
        BOOST_TEST_CONTEXT("info '" << info << "'") {
            BOOST_TEST(found("Here:\n" + fenced(info, program)) == program);
        }
    }
    BOOST_TEST(found("Run\n" + fenced("bash", "nvcc x.cu\n")) == "(none)");
    BOOST_TEST(found("Use\n" + fenced("python", "import torch\n")) == "(none)");
    BOOST_TEST(found("Empty:\n" + fenced("cuda", "\n \n") + fenced("cuda", program)) == program);
    BOOST_TEST(found("~~~cuda\n" + program + "~~~\n") == program);
}

BOOST_AUTO_TEST_CASE(python_modules) {
    const auto module = [](const std::string& answer, fence_choice choice = fence_choice::first) {
        const auto at = find_module(answer, "ModelNew", choice);
        return at ? answer.substr(at->begin, at->end - at->begin) : "(none)";
    };
    const std::string sketch = "import torch\n", own = sketch + "class ModelNew(Module):\n  pass\n",
                      other = sketch + "class ModelNewest:\n  pass\n", later = own + "# later\n";
    BOOST_TEST(module(fenced("python", sketch) + fenced("py", own) + fenced("", later)) == own);
    BOOST_TEST(module(fenced("python", own) + fenced("", later) + fenced("python", sketch) +
                          "```python\n" + own,
                      fence_choice::last) == later);
    BOOST_TEST(module(fenced("cuda", kernel) + fenced("python", other)) == other);
    BOOST_TEST(module(fenced("python", own) + "</think>" + fenced("python", sketch)) == sketch);
    BOOST_TEST(module("```python\n" + own) == own);
    BOOST_TEST(module("```python\n" + own, fence_choice::last) == "(none)");
    BOOST_TEST(module(own) == own);
    BOOST_TEST(module(other) == "(none)");
    BOOST_TEST(module(fenced("cuda", own)) == own);
    BOOST_TEST(module(fenced("cuda", kernel)) == "(none)");
    BOOST_TEST(module("") == "(none)");
}

BOOST_AUTO_TEST_CASE(cut_off) {
    BOOST_TEST(found("Here:\n```cuda\n" + program) == program);
    BOOST_TEST(found("Here:\n```cuda\n" + program, fence_choice::last) == "(none)");
}

BOOST_AUTO_TEST_CASE(without_fences) {
    BOOST_TEST(found(program) == program);
    BOOST_TEST(found("// A copy.\n" + program) == "// A copy.\n" + program);
    BOOST_TEST(found(program, fence_choice::last) == program);
    BOOST_TEST(found("") == "(none)");
    BOOST_TEST(found("I cannot write a __global__ kernel for this; int main() is needed.\n") ==
               "(none)");
    BOOST_TEST(found("import torch\nprint(1)\n") == "(none)");
}

BOOST_AUTO_TEST_CASE(prompt_that_opened_the_fence) {
    BOOST_TEST(found(program + "```\nThis copies.\n") == program);
    BOOST_TEST(found(program + "```\n", fence_choice::last) == program);
}

BOOST_AUTO_TEST_CASE(thoughts_are_no_answer) {
    const std::string thought = "<think>Perhaps\n" + fenced("cuda", kernel) + "no.</think>\n";
    BOOST_TEST(found(thought + fenced("cuda", program)) == program);
    BOOST_TEST(found(thought + program) == "\n" + program);
    BOOST_TEST(found(thought + "I do not know.\n") == "(none)");
}

BOOST_AUTO_TEST_CASE(thoughts_that_are_cut_off_are_no_answer) {
    for (const std::string begin : {"<think>", "<think>\n", " \n\t<think>Perhaps\n"}) {
        BOOST_TEST(found(begin + "\n" + fenced("cuda", program)) == "(none)", begin);
        BOOST_TEST(found(begin + "\n```cuda\n" + program) == "(none)", begin);
        BOOST_TEST(found(begin + program) == "(none)", begin);
        BOOST_TEST(found(begin + fenced("cuda", program), fence_choice::last) == "(none)", begin);
        const std::string module = begin + "\n" + fenced("python", "class ModelNew:\n  pass\n");
        BOOST_TEST(!find_module(module, "ModelNew", fence_choice::first), begin);
    }
    // What does not begin an answer is no mark of a thought.
    BOOST_TEST(found(fenced("cuda", program) + "<think>") == program);
    BOOST_TEST(found("Without <think>:\n" + fenced("cuda", program)) == program);
    BOOST_TEST(found("<thinking>\n" + fenced("cuda", program)) == program);
}

BOOST_AUTO_TEST_CASE(where_reasoning_ends) {
    const auto behind = [](const std::string& answer) {
        return (is_cut_in_reasoning(answer) ? "cut:" : "") +
               answer.substr(end_of_reasoning(answer));
    };
    BOOST_TEST(behind("<think>a</think>b") == "b");
    BOOST_TEST(behind(" <think>a</think>") == "");
    BOOST_TEST(behind("a</think>b") == "b");  // the prompt began it
    BOOST_TEST(behind("<think>a</think>b</think>c") == "c");
    for (const std::string cut : {"<think>", "\r\n<think>a", "<think>a</think", "<think><think>a"})
        BOOST_TEST(behind(cut) == "cut:", cut);
    for (const std::string whole : {"", " ", "a", "a<think>b", "<think", "think>a", "</thin k>"})
        BOOST_TEST(behind(whole) == whole);
}

BOOST_AUTO_TEST_CASE(every_block_of_code) {
    const std::string answer = "<think>Perhaps\n" + fenced("cuda", kernel) + "no.</think>\n" +
                               fenced("bash", "nvcc x.cu\n") + fenced("cpp", program) +
                               "```cuda\n__global__ void cut(";
    std::vector<std::string> blocks;
    for (const program_text& b : code_blocks(answer))
        blocks.push_back(answer.substr(b.begin, b.end - b.begin));
    const std::vector<std::string> expected = {kernel, program, "__global__ void cut("};
    BOOST_TEST(blocks == expected, boost::test_tools::per_element());
    BOOST_TEST(code_blocks(program).size() == 1U);
    BOOST_TEST(code_blocks("Write a __global__ kernel, please.").empty());
}

BOOST_AUTO_TEST_SUITE_END()
