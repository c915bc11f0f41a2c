// Whole programs, and the same programs cut and mutated.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/host/translation.h"

using cuset::barrier_form;
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
            if (entry.path().extension() != ".cu") continue;
            std::string& text = texts.emplace_back(read(entry.path()));
            // A faulty program holds the lines of its correct twin as comments, launches too.
            for (std::size_t at; (at = text.find("\n//=")) != text.npos;)
                text.erase(at, text.find('\n', at + 1) - at);
        }
    }
    BOOST_REQUIRE(!texts.empty());
    return texts;
}

void check_lines(std::string_view program) {
    const std::string text = translate_for_host(program).text;
    // What is read for both sides stands there twice, and #line counts for it.
    if (text.find("\n#line ") != text.npos) return;
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

// If time grows with the square of the length, a text four times as long takes sixteen times as
// long. A length that takes almost no time is not measured again, and a busy machine gets five
// tries.
BOOST_AUTO_TEST_CASE(linear) {
    const auto repeated = [](std::string_view unit, std::size_t length) {
        std::string text;
        for (int number = 0; text.size() < length; ++number) {
            for (const char c : unit) {
                if (c == '@') text += std::to_string(number);
                if (c != '@') text += c;
            }
        }
        return text;
    };
    const auto seconds = [](const std::string& text, barrier_form form) {
        const std::clock_t begin = std::clock();
        const std::string translated = translate_for_host(text, {}, form).text;
        const std::clock_t end = std::clock();
        BOOST_REQUIRE(std::ranges::count(translated, '\n') == std::ranges::count(text, '\n'));
        return static_cast<double>(end - begin) / CLOCKS_PER_SEC;
    };
    struct {
        std::string_view before, unit, between, other, after;
    } const cases[] = {
        {"", "k<<<", "", "", ""},
        {"", "<", "", ">", ""},
        {"", "k<", "", ">", ""},
        {"", "f(", "", ")", ""},
        {"", "{", "", "}", ""},
        {"", "__shared__ a<", "", "", ""},
        {"", "__shared__ a[1],", "", "", ""},
        {"a ", "__shared__ ", "", "", "a;"},
        {"", "a ", "", "__shared__ ", "1;"},
        {"", "a<", "", "__constant__ b;", ""},
        {"", "a ", "", "__device__ b,", "1;"},
        {"__device__ void f(){", "__shared__ int a; a=1;", "", "", "}"},
        {"", "__device__ void f(){__shared__ int a; a=f();}", "", "", ""},
        {"", "__constant__ int a;", "", "", ""},
        {"", "{__constant__ int a[", "", "", ""},
        {"", "namespace a{__constant__ int a;", "", "}", ""},
        {"", "a=printf(", "", "", ""},
        {"void f(){", "k<<<1,1>>>(x);", "", "", "}"},
        {"", "__global__ void k() {}", "", "", ""},
        {"", "__global__ void k(){k(1);", "", "}", ""},
        {"", "#define a __shared__\na b;", "", "", ""},
        {"", "template<", "", ">", ""},
        {"", "[]__device__", "", "", ""},
        {"", "#if a\n", "", "#endif\n", ""},
        {"", "struct a{", "", "};", ""},
        {"", "std::", "", "", ""},
        {"", "x[1]<<<1,1>>>()", "", "", ""},
        {"", "int a{1},", "", "", ""},
        {"const ", "a ", "", ",b@", ";"},
        {"", "__device__ void f(){f();}", "", "", ""},
        {"", "volatile ", "", "* a;", ""},
        {"", "a::", "", "", ""},
        {"", "float a[m];", "", "", ""},
        {"__global__ void k(int n) {", "float a[m];", "", "", "} void f() { k<<<1,1>>>(1); }"},
        {"__global__ void k(", "int a@,", "int n){", "float b[m];",
         "} void f() { k<<<1,1>>>(1); }"},
        {"__global__ void k() {", "__shared__ int a@;", "", "[=]", "}"},
        {"__global__ void k() {", "\n#if a\n__shared__ int a@;\n#endif\n", "", "[=]", "}"},
        {"__global__ void k(int m) {", "{__shared__ int a@;m=a@;}", "", "", "}"},
        {"", "#define m@\n", "", "__attribute__((a b c d e f g h i j k l))int x;", ""},
        {"#define M\n__device__ void d(){} void ", "a ", "M f(){", "d();", "}"},
        {"", "int f();", "__device__ void g(){", "f(1);", "}"},
        {"template<class F> __global__ void k(F f,", "int a@,", "int b){} void f(){",
         "k<<<1,1>>>([](){});", "}"},
        {"__global__ void k(){", "auto g@=this_thread_block();", "", "g@.sync();", "}"},
        {"__global__ void j(){__syncthreads();}", "__global__ void k@(){}", "", "", ""},
    };
    for (const auto& [before, unit, between, other, after] : cases) {
        for (const barrier_form form : {barrier_form::fibers, barrier_form::split}) {
            const auto text = [&](std::size_t length) {
                std::string all{before};
                all += repeated(unit, other.empty() ? length : length / 2);
                all += between;
                if (!other.empty()) all += repeated(other, length / 2);
                return all += after;
            };
            constexpr std::size_t length = 200'000;
            const std::string whole = text(length), quarter = text(length / 4);
            bool in_line = false;
            for (int attempt = 0; !in_line && attempt < 5; ++attempt) {
                const double taken = seconds(whole, form);
                in_line = taken < 0.1 || taken < 9 * seconds(quarter, form);
            }
            BOOST_TEST(in_line, whole.substr(0, 200));
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
