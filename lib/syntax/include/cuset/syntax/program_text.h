// The program in a model's answer.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace cuset {

/// Which of an answer's fenced blocks is the program: the values of --fence.
enum class fence_choice : unsigned char {
    first,  ///< the first of CUDA or C++, closed or not (a reply that was cut off leaves it open)
    last,   ///< the last of them that is closed
};

/// Bytes [begin, end) of an answer.
struct program_text {
    std::size_t begin = 0, end = 0;
};

/// Finds the program in `answer`. What a reasoning model thought, all before the last "</think>",
/// is no answer. With fences, a block counts by its info string or, where that is empty, by its
/// first lines; text before a lone bare fence is code too (the answer to a prompt that ended in an
/// opening fence). Without fences the whole answer is the program if it begins as C++ does or has a
/// kernel, a launch or a main function. Nothing: there is no code.
std::optional<program_text> find_program(std::string_view answer, fence_choice choice);

/// Whether live C++ code (no comment, string or dead branch) has an identifier that begins with one
/// of `stems`, and goes on with a capital, an underscore or a digit, or not at all: of "cub", both
/// `cub` and `cubDebug`, not `cube`.
bool has_name(std::string_view code, std::span<const std::string_view> stems);

}  // namespace cuset
