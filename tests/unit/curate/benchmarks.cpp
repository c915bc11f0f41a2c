#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>

#include "cuset/curate/benchmark_index.h"
#include "cuset/stream/json_writer.h"

using namespace cuset;

namespace {

const std::string program =
    "#include <cuda_runtime.h>\n"
    "// Adds two vectors.\n"
    "__global__ void vector_add(const float* left, const float* right, float* sum, int count) {\n"
    "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < count) sum[i] = left[i] + right[i];\n}\n"
    "void run(float* a, float* b, float* c, int n) {\n"
    "    vector_add<<<(n + 255) / 256, 256>>>(a, b, c, n);\n    cudaDeviceSynchronize();\n}\n";
const std::string prompt =
    "Write a CUDA program that adds two vectors of one million numbers and writes the sum of each "
    "pair of elements to a third vector.";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
        text.replace(at, from.size(), to);
    return text;
}

struct index_of_one {
    std::filesystem::path path = std::filesystem::temp_directory_path() /
                                 ("cuset-benchmark-" + std::to_string(::getpid()) + ".jsonl");
    benchmark_index index{screen_options{}};
    index_of_one() {
        std::ofstream(path) << "{\"id\":7,\"level1_prompt\":" << json_of(prompt)
                            << ",\"bench.cu\":" << json_of(program) << "}\n";
        BOOST_REQUIRE(index.add(path));
    }
    ~index_of_one() { std::filesystem::remove(path); }

    std::optional<shared_text> find(std::string_view question, std::string_view code) const {
        code_tokens tokens;
        tokens.read(code);
        return index.find(question, tokens, *benchmark_index::new_searcher());
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(benchmarks, index_of_one)

BOOST_AUTO_TEST_CASE(runs_of_words_and_tokens) {
    const auto words = find("Please: " + replaced(prompt, "adds", "ADDS,") + " Thanks.", "int a;");
    BOOST_REQUIRE(words);
    BOOST_TEST(words->task == "7");
    BOOST_TEST(words->by == "words");
    BOOST_TEST(words->text.starts_with("Write a CUDA program that ADDS, two vectors"));
    // Twelve words are no run of 13.
    BOOST_TEST(!find("adds two vectors of one million numbers and writes the sum of", ""));
    BOOST_TEST(
        find("adds two vectors of one million numbers and writes the sum of each", "").has_value());

    const auto tokens = find("", "int before;\n" + program + "int after() { return 1; }");
    BOOST_REQUIRE(tokens);
    BOOST_TEST(tokens->by == "tokens");
    BOOST_TEST(tokens->text.starts_with("#include <cuda_runtime.h>"));
}

BOOST_AUTO_TEST_CASE(a_renamed_copy_with_other_comments) {
    std::string copy = replaced(program, "vector_add", "k");
    for (const auto& [from, to] : {std::pair("left", "p"),
                                   {"right", "q"},
                                   {"sum", "out"},
                                   {"count", "size"},
                                   {"// Adds two vectors.", "/* other */"}})
        copy = replaced(copy, from, to);
    copy = replaced(copy, "const int i", "const int at");
    copy = replaced(replaced(copy, "[i]", "[at]"), "(i <", "(at <");
    const auto found = find("Do it.", copy);
    BOOST_REQUIRE(found);
    BOOST_TEST(found->task == "7");
    BOOST_TEST(found->by == "similar code");
    BOOST_TEST(found->index == 1.0);
}

BOOST_AUTO_TEST_CASE(a_renamed_part_in_other_code) {
    std::string copy = replaced(program, "vector_add", "k");
    for (const auto& [from, to] : {std::pair("left", "p"), {"right", "q"}, {"count", "size"}})
        copy = replaced(copy, from, to);
    std::string other;
    for (int i = 0; i < 20; ++i)
        other += "double f" + std::to_string(i) + "(double x) { return x / " + std::to_string(i) +
                 " + g(x * " + std::to_string(i) + "); }\n";
    const auto found = find("", other + copy + replaced(other, "double", "float"));
    BOOST_REQUIRE(found);
    BOOST_TEST(found->by == "renamed tokens");
    BOOST_TEST(found->task == "7");
    BOOST_TEST(found->text.find("void k(const float* p") != found->text.npos);
    // Lists of names are all alike.
    std::string names = "enum e { a0", others = "enum f { b0";
    for (int i = 1; i < 60; ++i) {
        names += ", a" + std::to_string(i);
        others += ", b" + std::to_string(i);
    }
    std::ofstream(path) << "{\"id\":8,\"bench.cu\":\"" << names << " };\"}\n";
    BOOST_REQUIRE(index.add(path));
    BOOST_TEST(find("", names + " };").has_value());
    BOOST_TEST(!find("", other + others + " };"));
}

BOOST_AUTO_TEST_CASE(the_task_with_most_in_common_is_told) {
    // The first task has one run of the second, of which the copy has all.
    std::string both = program + "int own(int v) { return v * 3 + 1; }\n";
    std::ofstream(path) << "{\"id\":9,\"bench.cu\":" << json_of(both) << "}\n";
    BOOST_REQUIRE(index.add(path));
    const auto tokens = find("", both);
    BOOST_REQUIRE(tokens);
    BOOST_TEST(tokens->task == "9");
    const auto similar = find("", replaced(replaced(both, "left", "p"), "vector_add", "k"));
    BOOST_REQUIRE(similar);
    BOOST_TEST(similar->by == "similar code");
    BOOST_TEST(similar->task == "9");
}

BOOST_AUTO_TEST_CASE(other_programs_are_not_found) {
    BOOST_TEST(!find("Write a CUDA program that sorts a list of keys.",
                     "__global__ void scale(float* x, float f) { x[threadIdx.x] *= f; }\n"
                     "int main() { float* x; cudaMalloc(&x, 4); scale<<<1, 1>>>(x, 2); "
                     "cudaDeviceSynchronize(); cudaFree(x); return 0; }\n"
                     "struct pair { int key, value; };\nint compare(pair a, pair b) { return a.key "
                     "- b.key; }\n"));
}

BOOST_AUTO_TEST_CASE(a_line_without_texts_is_an_error) {
    std::ofstream(path) << "{\"id\":7}\n";
    const status added = index.add(path);
    BOOST_TEST(added.message().ends_with(":1: a benchmark's task has no prompt and no program"));
}

BOOST_AUTO_TEST_SUITE_END()
