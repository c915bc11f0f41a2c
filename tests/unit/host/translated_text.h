// Translations of lines and of small programs, which the tests of several files compare.
#pragma once

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>

#include "cuset/host/translation.h"

namespace cuset::translation_test {

inline std::string text_of(std::string_view program) { return translate_for_host(program).text; }

// The translation of a line in a host function, after the kernels `k`, `t` (a template), `o`
// (overloaded), `d` (with a default argument) and `b` (bounded).
inline constexpr std::string_view kernels =
    "__global__ void k(float* x, int n);\n"
    "template <class T, int N = 1> __global__ void t(T* x) {}\n"
    "__global__ void o(int) {}\n"
    "__global__ void o(float) {}\n"
    "namespace ns { __global__ void d(float* x, int n = 3); }\n"
    "__global__ void __launch_bounds__(256, 2) b(float* x);\n"
    "int main() {\n";

inline std::string host(std::string_view line) {
    const std::string all = text_of(std::string(kernels) + std::string(line) + "\n}\n");
    const std::size_t from = all.find("int main() {\n") + 13;
    return all.substr(from, all.size() - from - 3);
}

// The same for a line in a kernel.
inline std::string device(std::string_view line) {
    const std::string all =
        text_of("__global__ void k(float* x, int n) {\n" + std::string(line) + "\n}");
    const std::size_t from = all.find('\n') + 1;
    return all.substr(from, all.rfind("\n}") - from);
}

// What finds the function of a kernel `t` with template arguments.
inline std::string finder(const std::string& callee) {
    if (!callee.starts_with("t<") && !callee.starts_with("t <")) return {};
    const std::string found = "::cuset_host::function_of<decltype(cuset_t)>(" + callee + ")";
    return "[&](auto cuset_t) -> decltype(" + found + ") { return " + found + "; }, ";
}

inline std::string launched(std::string_view name, int line, std::string_view shape,
                            std::string_view callee, bool plain = true) {
    const std::string c(callee);
    return "::cuset_host::launch({\"" + std::string(name) + "\", " + std::to_string(line) +
           "}, ::cuset_host::configuration(" + std::string(shape) + "))" +
           (plain ? ".plain(" + c + ", " : ".deduced(" + finder(c)) + "[&](auto&... cuset_a) { " +
           c + "(cuset_a...); })";
}

inline void check_lines(std::string_view program) {
    const std::string text = text_of(program);
    BOOST_TEST(std::ranges::count(text, '\n') == std::ranges::count(program, '\n'));
}

}  // namespace cuset::translation_test
