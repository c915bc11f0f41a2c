#include <boost/test/unit_test.hpp>

#include "asked.h"
#include "task_fields.h"

using namespace cuset;
using namespace cuset::test;

namespace {

constexpr std::string_view arrays =
    R"J("inputs":[{"name":"a","dtype":"float32","shape":"()"}],"outputs":[{"name":"y","dtype":"bool","shape":"(4,)"}])J";

std::string cudabench(std::string_view more) {
    return "{" + std::string(arrays) + ',' + std::string(more) + '}';
}

ask_options with(std::string ask, unsigned level = 1, std::string field = {}) {
    return {.ask = std::move(ask), .level = level, .prompt_field = std::move(field)};
}

/// The user's message.
std::string question(std::string_view json, const ask_options& options = {}) {
    const std::string all = asked(json, options);
    const std::size_t at = all.rfind("|user:");
    return at == all.npos ? all : all.substr(at + 6, all.size() - at - 7);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(asks)

BOOST_AUTO_TEST_CASE(automatic) {
    // Records that are no tasks are asked as they are.
    BOOST_TEST(asked(R"J({"prompt":"p","response":"r"})J") == "user:p|");
    BOOST_TEST(asked(R"J({"level1_prompt":"l","inputs":[{"name":"x"}],"outputs":[]})J") ==
               "user:l|");
    BOOST_TEST(asked(R"J({"response":"r"})J") ==
               "\"prompt\" is missing; there is \"response\" (--prompt-field names another)");
    BOOST_TEST(
        asked(cudabench(R"J("messages":[{"role":"user","content":"m"}],"level1_prompt":"l")J")) ==
        "user:m|");
    BOOST_TEST(asked(cudabench(R"J("instruction":"i","level1_prompt":"l")J")) == "user:i|");
    BOOST_TEST(asked(cudabench(R"J("prompt":"p","level1_prompt":"l")J")) == "user:p|");
    BOOST_TEST(asked(cudabench(R"J("text":"l")J"), with("auto", 1, "text")) == "user:l|");
    BOOST_TEST(made_by(R"J({"prompt":"p","response":"r"})J").empty());
    // Numbers that no parser of doubles takes are no reason to refuse a record.
    BOOST_TEST(asked(R"J({"prompt":"p","n":123456789012345678901234567890,"x":1e999})J") ==
               "user:p|");

    BOOST_TEST(made_by(cudabench(R"J("level1_prompt":"l")J")) == "cudabench level 1");
    BOOST_TEST(made_by(cudabench(R"J("level2_prompt":"l")J"), with("auto", 2)) ==
               "cudabench level 2");
    BOOST_TEST(made_by(cudabench(R"J("task_description":"l")J")) == "cudabench level 1");
    BOOST_TEST(made_by(cudabench(R"J("level1_prompt":"l","response":"r")J")) ==
               "cudabench level 1");
    BOOST_TEST(made_by(cudabench(R"J("level1_prompt":null)J")).empty());
    BOOST_TEST(made_by(R"J({"prompt":"p","build_command":"b"})J") == "computeeval");
    BOOST_TEST(made_by(R"J({"prompt":"p","test_files":[]})J") == "computeeval");
    BOOST_TEST(made_by(R"J({"prompt":"p","harness":"h"})J") == "harness");
    BOOST_TEST(made_by(R"J({"problem_id":1,"code":"c"})J") == "kernelbench");
    BOOST_TEST(made_by(R"J({"problem_id":1,"code":"c","prompt":"p"})J").empty());
}

BOOST_AUTO_TEST_CASE(plain) {
    const std::string task = cudabench(R"J("level1_prompt":"1","level2_prompt":"2")J");
    BOOST_TEST(asked(task, with("plain")) == "user:1|");
    BOOST_TEST(asked(task, with("plain", 2)) == "user:2|");
    BOOST_TEST(asked(task, with("plain", 3)).starts_with("\"prompt\" is missing; there are "));
    BOOST_TEST(asked(task, with("plain", 2, "level1_prompt")) ==
               "--level has no meaning beside --prompt-field");
}

BOOST_AUTO_TEST_CASE(cudabench_tasks) {
    const std::string task = cudabench(
        R"J("task_name":"add","gpu":"H200","level1_prompt":"1","level2_prompt":"2","task_description":"d")J");
    const std::string rest =
        "\n\nInputs:\n- a: float32 (float), shape (), 1 element, file data/a.bin"
        "\n\nOutputs:\n- y: bool (bool), shape (4,), 4 elements, file data/y.bin\n\nGPU: H200";
    BOOST_TEST(question(task) == "Task: add\n\n1" + rest);
    BOOST_TEST(question(task, with("cudabench", 2)) == "Task: add\n\n2" + rest);
    BOOST_TEST(question(task, with("cudabench", 1, "task_name")) == "Task: add\n\nadd" + rest);
    BOOST_TEST(question(task, with("cudabench", 3)) == "\"level3_prompt\" is missing");
    BOOST_TEST(question(cudabench(R"J("task_description":"d")J"), with("cudabench", 3))
                   .starts_with("d\n\n"));
    BOOST_TEST(question(R"J({"inputs":[],"outputs":[],"level1_prompt":"l"})J") ==
               "l\n\nInputs:\nnone\n\nOutputs:\nnone");

    const std::string rules = asked(task);
    for (const char* word :
         {"data/NAME.bin", "little-endian", "row-major", "```cpp\n", "read_values"})
        BOOST_TEST(rules.find(word) != rules.npos, word);
    BOOST_TEST(asked(R"J({"inputs":[{"name":"x","shape":"()"}],"outputs":[],"level1_prompt":"l"})J",
                     with("cudabench")) ==
               "an element of \"inputs\" has no \"dtype\" that is a string");
    BOOST_TEST(asked(R"J({"inputs":3,"outputs":[],"level1_prompt":"l"})J", with("cudabench")) ==
               "\"inputs\" is not an array that can be read");
    BOOST_TEST(asked(R"J({"prompt":"p"})J", with("cudabench")) == "\"level1_prompt\" is missing");
    BOOST_TEST(asked(R"J({"level1_prompt":"l"})J", with("cudabench")) == "\"outputs\" is missing");
    const auto output = [](std::string_view more, std::string_view shape) {
        return R"J({"outputs":[{"name":"y","dtype":"int8","shape":)J" + std::string(shape) + "}]," +
               std::string(more) + '}';
    };
    const std::string described =
        "l\n\nInputs:\nnone\n\nOutputs:\n- y: int8 (std::int8_t), shape (2,)";
    BOOST_TEST(question(output(R"J("level1_prompt":"l")J", "[2]")).starts_with(described));
    BOOST_TEST(question(output(R"J("task_description":"l","inputs":null)J", "[2]"))
                   .starts_with(described));
    // A shape that is wrong is told, and not left out of what is asked.
    BOOST_TEST(asked(output(R"J("level1_prompt":"l")J", "4")) ==
               "an element of \"outputs\" has no \"shape\" that is a string");
    // A program that checks itself, stored like a task of CUDABench.
    BOOST_TEST(
        asked(R"J({"inputs":[{"name":"in"}],"outputs":[{"name":"out"}],"level1_prompt":"l"})J") ==
        "user:l|");
    BOOST_TEST(question(cudabench(R"J("gpu":"unknown","level1_prompt":"l")J")).find("GPU") ==
               std::string::npos);
    BOOST_TEST(
        asked(
            R"J({"inputs":[{"name":"x","dtype":"u1","shape":[-1]}],"outputs":[],"level1_prompt":"l"})J",
            with("cudabench")) == "a \"shape\" in \"inputs\" has an element that is no length");
}

BOOST_AUTO_TEST_CASE(computeeval_problems) {
    const std::string problem =
        R"J({"task_id":"own/1","type":"cuda_cpp","prompt":"Define scale().","context_files":[{"path":"include/scale.h",
        "content":"void scale(float*);\n"}],"test_files":[{"path":"test/main.cu","content":"secret"}],
        "build_command":"nvcc -I include -o test.out solution.cu test/*.cu","test_command":"./test.out"})J";
    BOOST_TEST(
        question(problem) ==
        "Define scale().\n\nFiles that are there:\n\ninclude/scale.h:\n```cpp\nvoid "
        "scale(float*);\n"
        "```\n\nBuild command:\n```sh\nnvcc -I include -o test.out solution.cu test/*.cu\n```");
    BOOST_TEST(asked(problem).find("secret") == std::string::npos);
    BOOST_TEST(asked(problem).find("// file: ") != std::string::npos);
    BOOST_TEST(
        question(
            R"J({"prompt":"p","context_files":[],"build_command":null,"test_command":"t"})J") ==
        "p");
    BOOST_TEST(asked(R"J({"prompt":"p","test_command":"t","context_files":[{"path":"x"}]})J") ==
               "an element of \"context_files\" has no \"content\" that is a string");
}

BOOST_AUTO_TEST_CASE(tasks_with_a_harness) {
    const auto use = [](std::string_view harness) {
        return question(R"J({"prompt":"p","nvcc_flags":["-O3","-lcublas"],"harness":")J" +
                        std::string(harness) + R"J("})J");
    };
    BOOST_TEST(
        use(R"J(#include <cstdio>\n  # include  \"scale.h\"\n#include \"solution.cu\"\n#include <late>\n)J") ==
        "p\n\nharness.cu includes solution.cu after <cstdio>, \"scale.h\".\n\n"
        "Flags of nvcc: -O3 -lcublas");
    BOOST_TEST(use(R"J(#include \"solution.cu\")J") ==
               "p\n\nharness.cu includes solution.cu.\n\nFlags of nvcc: -O3 -lcublas");
    BOOST_TEST(use(R"J(// #include <no>\n#include <cstdio>\n#define include\nvoid f();)J") ==
               "p\n\nharness.cu includes <cstdio>, and is compiled and linked with solution.cu.\n\n"
               "Flags of nvcc: -O3 -lcublas");
    BOOST_TEST(use(R"J(#include \"./solution.cu\")J") ==
               "p\n\nharness.cu includes solution.cu.\n\nFlags of nvcc: -O3 -lcublas");
    BOOST_TEST(
        use(R"J(/* #include \"solution.cu\" */\n#if 0\n#include \"solution.cu\"\n#endif\n)J") ==
        "p\n\nharness.cu includes nothing, and is compiled and linked with solution.cu.\n\n"
        "Flags of nvcc: -O3 -lcublas");
    BOOST_TEST(question(R"J({"prompt":"p","harness":"int main() {}","nvcc_flags":"-O3"})J") ==
               "p\n\nharness.cu includes nothing, and is compiled and linked with solution.cu.\n\n"
               "Flags of nvcc: -O3");
}

BOOST_AUTO_TEST_CASE(answers_in_hip) {
    const std::string arrays =
        R"J("level1_prompt":"About CUDA.","inputs":[{"name":"CUDA","dtype":"float16","shape":[2]}],)J"
        R"J("outputs":[{"name":"y","dtype":"bfloat16","shape":[2]}]})J";
    const std::string all = asked(R"J({"lang":"hip",)J" + arrays);
    BOOST_TEST(all.find("You write HIP programs.") != all.npos);
    BOOST_TEST(all.find("hipcc compiles it") != all.npos);
    BOOST_TEST(all.find("nvcc") == all.npos);
    BOOST_TEST(question(R"J({"lang":"hip",)J" + arrays) ==
               "About CUDA.\n\nInputs:\n- CUDA: float16 (__half of hip/hip_fp16.h), shape (2,), "
               "2 elements, file data/CUDA.bin\n\nOutputs:\n- y: bfloat16 (__hip_bfloat16 of "
               "hip/hip_bf16.h), shape (2,), 2 elements, file data/y.bin");
    BOOST_TEST(asked(R"J({"lang":"cuda",)J" + arrays) == asked('{' + arrays));
    BOOST_TEST(asked(R"J({"lang":7,)J" + arrays) == asked('{' + arrays));
    const std::string harness = R"J("prompt":"p","harness":"h","nvcc_flags":"-O3"})J";
    BOOST_TEST(question(R"J({"lang":"hip",)J" + harness).ends_with("Flags of hipcc: -O3"));
    BOOST_TEST(asked(R"J({"lang":"hip",)J" + harness).find("one file of HIP C++") != all.npos);
}

BOOST_AUTO_TEST_CASE(kernelbench_problems) {
    const std::string problem =
        R"J({"level":1,"name":"1_Twice","problem_id":1,"code":"class Model: pass\n","gpu":"H200"})J";
    BOOST_TEST(question(problem) ==
               "Task: 1_Twice\n\n```python\nclass Model: pass\n```\n\nGPU: H200");
    BOOST_TEST(asked(problem).find("ModelNew") != std::string::npos);
    BOOST_TEST(asked(R"J({"problem_id":1,"code":[7]})J").find("\"code\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_system_message) {
    auto options = with("auto");
    options.system = "s";
    BOOST_TEST(asked(R"J({"prompt":"p"})J", options) == "system:s|user:p|");
    BOOST_TEST(
        asked(cudabench(R"J("level1_prompt":"l")J"), options).starts_with("system:s|user:l"));
}

BOOST_AUTO_TEST_CASE(names) {
    BOOST_TEST(
        asked("{}", with("cudabnech")) ==
        "--ask: \"cudabnech\" is neither a file nor one of auto, plain, cudabench, computeeval, "
        "harness, kernelbench, counting");
    BOOST_TEST((task_ask::open(with("cudabnech")).error().kind() == error_kind::usage));
    BOOST_TEST((task_ask::open(with("/")).error().kind() == error_kind::io));
}

BOOST_AUTO_TEST_CASE(shapes) {
    const auto count = [](std::string_view shape) {
        return elements_of(shape).value_or(987654321);
    };
    constexpr std::uint64_t none = 987654321;
    BOOST_TEST(count("()") == 1U);
    BOOST_TEST(count("(16384,)") == 16384U);
    BOOST_TEST(count("(128, 128, 4)") == 65536U);
    BOOST_TEST(count("[ 2,3 ]") == 6U);
    BOOST_TEST(count("(3, 0)") == 0U);
    BOOST_TEST(count("(4294967296, 4294967295)") == 18446744069414584320U);
    for (const char* bad :
         {"", "(", ")", "(2", "(2]", "(2))", "(,)", "(2,,3)", "(2 3)", "(-1,)", "(N,)", "(2,) x",
          "(4294967296, 4294967296)", "(18446744073709551616,)", "2", "[2, 3"})
        BOOST_TEST(count(bad) == none, bad);
}

BOOST_AUTO_TEST_CASE(fences_around_programs) {
    const auto frame = [](const std::string& response, std::string_view ask = "cudabench") {
        return answered(
            cudabench(R"J("level1_prompt":"l","prompt":"p","harness":"h","response":")J" +
                      response + '"'),
            with(std::string(ask)));
    };
    BOOST_TEST(frame("int main() {}") == "```cpp\n|int main() {}|\n```");
    BOOST_TEST(frame(R"(int main() {}\n)") == "```cpp\n|int main() {}\n|```");
    BOOST_TEST(frame("int main() {}", "computeeval") == "```cuda\n|int main() {}|\n```");
    BOOST_TEST(frame("int main() {}", "harness") == "```cuda\n|int main() {}|\n```");
    BOOST_TEST(frame("int main() {}", "plain") == "|int main() {}|");
    const auto module = [](const std::string& response) {
        return answered(R"J({"problem_id":1,"code":"c","response":")J" + response + R"("})",
                        with("auto"));
    };
    BOOST_TEST(module(R"(import torch\nclass ModelNew:\n  pass\n)") ==
               "```python\n|import torch\nclass ModelNew:\n  pass\n|```");
    BOOST_TEST(module("I cannot.") == "|I cannot.|");
    // A comment that looks like a fence ends none.
    BOOST_TEST(frame(R"(/*\n```\n*/ int main() {}\n)") ==
               "````cpp\n|/*\n```\n*/ int main() {}\n|````");
    // What is more or less than a bare program has its own form.
    BOOST_TEST(frame(R"(```cuda\nint main() {}\n```)") == "|```cuda\nint main() {}\n```|");
    BOOST_TEST(frame(R"(Well:\n```\nint main() {}\n```)").starts_with("|Well"));
    BOOST_TEST(frame(R"(<think>x</think>int main() {}\n)").starts_with("|<think>"));
    BOOST_TEST(frame("I cannot do that.") == "|I cannot do that.|");
    BOOST_TEST(frame("") == "||");
}

BOOST_AUTO_TEST_CASE(a_named_gpu) {
    ask_options options = with("cudabench");
    options.gpu = "NVIDIA H200";
    for (const auto* own : {R"J("gpu":"other",)J", R"J("gpu":"unknown",)J", R"J("gpu":null,)J", ""})
        BOOST_TEST(question(cudabench(std::string(own) + R"J("level1_prompt":"l")J"), options)
                       .ends_with("\n\nGPU: NVIDIA H200"));
}

BOOST_AUTO_TEST_CASE(counting) {
    const std::string task = R"J("answer":"cost.flops","bench.cu":"int main() {}\n","prompt":"p")J";
    BOOST_TEST(made_by('{' + task + '}') == "counting");
    BOOST_TEST(made_by(R"J({"answer":"cost.flops","prompt":"p"})J").empty());
    BOOST_TEST(made_by(R"J({"answer":"4","bench.cu":"x","prompt":"p"})J").empty());
    BOOST_TEST(made_by('{' + task + R"J(,"harness":"int main() {}"})J") == "harness");
    BOOST_TEST(made_by('{' + task + R"J(,"test_command":"./a"})J") == "computeeval");
    const std::string plain = question('{' + task + '}');
    BOOST_TEST(
        plain.starts_with("The program:\n```cuda\nint main() {}\n```\n\n"
                          "Its arguments: none\n\nWhat counts: the floating-point"));
    BOOST_TEST(
        plain.ends_with("\n\nHow many are there in the first launch of a kernel in the "
                        "program?"));
    const std::string full = question(
        '{' + task +
        R"J(,"kernel":"k","launches":"all","arguments":["8","2"],"grid":[4,2],"block":256})J");
    BOOST_TEST(full.find("\n\nIts arguments: 8 2\n\nGrid of the launch: (4, 2, 1) blocks\n\nBlock "
                         "of the launch: (256, 1, 1) threads\n\nWhat counts: ") != full.npos);
    BOOST_TEST(full.ends_with("in all launches of kernel k?"));
    BOOST_TEST(full.find("GPU: ") == full.npos);
    const std::string sass = R"J({"answer":"cost.fp32_sass","bench.cu":"x")J";
    BOOST_TEST(question(sass + '}').find("GPU: one of compute capability 8.6") !=
               std::string::npos);
    BOOST_TEST(question(sass + R"J(,"gpu":"A100"})J").find("GPU: A100\n") != std::string::npos);
    BOOST_TEST(asked('{' + task + '}').starts_with("system:You tell what a CUDA program executes"));
    BOOST_TEST(asked(R"J({"answer":"cost.time","bench.cu":"x"})J")
                   .starts_with("\"answer\" is \"cost.time\", and none of cost.flops, "));
    BOOST_TEST(asked('{' + task + R"J(,"grid":[]})J") ==
               "\"grid\" is no array of one to three lengths");
    BOOST_TEST(asked('{' + task + R"J(,"block":[8,0]})J") ==
               "\"block\" is no array of one to three lengths");
    BOOST_TEST(asked(R"J({"answer":"cost.flops"})J", with("counting")) ==
               "\"bench.cu\" is missing");
    BOOST_TEST(answered('{' + task + R"J(,"response":"int main() {}"})J") == "|int main() {}|");
}

BOOST_AUTO_TEST_SUITE_END()
