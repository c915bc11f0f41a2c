// Whole programs, and the same programs cut and mutated.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/host/translation.h"

using cuset::translate_for_host;

namespace {

const std::string source_dir = CUSET_SOURCE_DIR;

std::string read(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> programs() {
    std::vector<std::string> texts;
    for (const char* folder : {"/examples", "/tests"}) {
        for (const auto& entry :
             std::filesystem::recursive_directory_iterator(source_dir + folder)) {
            if (entry.path().extension() == ".cu") texts.push_back(read(entry.path()));
        }
    }
    BOOST_REQUIRE(!texts.empty());
    return texts;
}

void check_lines(std::string_view program) {
    const std::string text = translate_for_host(program).text;
    BOOST_REQUIRE(std::ranges::count(text, '\n') == std::ranges::count(program, '\n'));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(whole_programs)

BOOST_AUTO_TEST_CASE(of_this_repository) {
    for (const std::string& program : programs()) {
        check_lines(program);
        const auto t = translate_for_host(program);
        BOOST_TEST(!t.error);
        if (!t.unsupported) BOOST_TEST(t.text.find("<<<") == t.text.npos);
    }
}

BOOST_AUTO_TEST_CASE(cut_and_mutated) {
    const auto texts = programs();
    constexpr unsigned seed = 20261121;
    constexpr int rounds = 20000;
    BOOST_TEST_MESSAGE("seed " << seed);
    std::mt19937 random(seed);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    constexpr std::string_view bytes = "<>(){}[];,:#\\\"'/*\n \r=&~%.aR0_\x80";
    for (int i = 0; i < rounds; ++i) {
        std::string text = texts[below(texts.size())];
        text = text.substr(below(text.size() / 2), below(text.size()));
        for (std::size_t n = below(8); n > 0 && !text.empty(); --n) {
            text[below(text.size())] = bytes[below(bytes.size())];
        }
        check_lines(text);
    }
}

BOOST_AUTO_TEST_CASE(broken) {
    for (const std::string_view text :
         {"", "\n", "#define", "#define @D __device__\n#define S __shared__\nS", "__shared__",
          "extern __shared__ \"a\\\nb\" s[];\n", "#define (k) k<<<1, 1>>>()\n", "<<<>>>()", "k<<<",
          "__global__", "#if __CUDA_ARCH__", "[] __device__", "cudaLaunchKernel("}) {
        check_lines(text);
    }
}

// If time grew with the square of the length, this would take hours.
BOOST_AUTO_TEST_CASE(linear) {
    for (const std::string_view unit : {"k<<<",
                                        "<",
                                        ">",
                                        "k<",
                                        "f(",
                                        "{",
                                        "__shared__ a<",
                                        "__shared__ a[1],",
                                        "__shared__ int a; a=1;",
                                        "__device__ void f(){__shared__ int a; a=f();}",
                                        "__constant__ int a;",
                                        "{__constant__ int a[",
                                        "namespace a{__constant__ int a;",
                                        "a=printf(",
                                        "k<<<1,1>>>(x);",
                                        "__global__ void k() {}",
                                        "__global__ void k(){k(1);",
                                        "#define a __shared__\na b;",
                                        "template<",
                                        "[]__device__",
                                        "#if a\n",
                                        "struct a{",
                                        "std::",
                                        "x[1]<<<1,1>>>()",
                                        "int a{1},",
                                        "__device__ void f(){f();}",
                                        "float a[n];",
                                        "volatile ",
                                        "* a;",
                                        "a::"}) {
        std::string text;
        while (text.size() < 400'000) text += unit;
        check_lines(text);
        check_lines("__global__ void k(int n) {" + text);
    }
}

BOOST_AUTO_TEST_SUITE_END()
