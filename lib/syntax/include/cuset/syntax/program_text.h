// The program in a model's answer.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace cuset {

/// The fenced block of an answer that is the program: the values of --fence.
enum class fence_choice : unsigned char {
    first,  ///< the first CUDA or C++ block, closed or not (a cut-off reply leaves it open)
    last,   ///< the last such block that is closed
};

/// Bytes [begin, end) of an answer.
struct program_text {
    std::size_t begin = 0, end = 0;
};

/// Where the text behind a model's reasoning begins: behind the last "</think>". An answer that
/// was cut off in its reasoning has no such text: its size. 0 if there is no reasoning.
std::size_t end_of_reasoning(std::string_view answer);

/// Whether an answer was cut off in its reasoning: it begins with "<think>", white space apart, and
/// has no "</think>".
bool is_cut_in_reasoning(std::string_view answer);

/// Finds the program in `answer`, outside a model's reasoning. With fences, a block counts by its
/// info string or, if that is empty, by its first lines; text before a lone bare fence is code too
/// (the answer to a prompt that ended in an opening fence). Without fences the whole answer is the
/// program if it begins like C++ or has a kernel, a launch or a main function. Returns nothing if
/// there is no code.
std::optional<program_text> find_program(std::string_view answer, fence_choice choice);

/// Every block of a text that could be the program, in order: those in a model's reasoning too.
std::vector<program_text> code_blocks(std::string_view text);

/// Which word behind an opening ``` is no part of the program for CUDABench: cpp or c++ alone, or,
/// since February 2026, any word of letters, digits and _. What is left of another tag stays: a
/// block called cuda once, and c++ now, begins with such a rest and does not compile.
enum class cudabench_tags : unsigned char { cpp, any_word };

/// Finds the program as CUDABench does: the text between the first ``` of the answer and the next,
/// without the tag behind the first and without blanks at the ends. Returns nothing if there is no
/// second ```. Letters beyond ASCII are no part of a tag here.
std::optional<program_text> find_program_of_cudabench(std::string_view answer, cudabench_tags tags);

/// Finds the Python module that defines class `name` in `answer`, outside a model's reasoning: of
/// the Python blocks (the closed ones, for the last) that have a line "class NAME", or else of all
/// of them, the first or the last. Without fences the whole answer is the module if it has such a
/// line.
std::optional<program_text> find_module(std::string_view answer, std::string_view name,
                                        fence_choice choice);

/// The info strings of a text's fenced blocks, trimmed; they point into the text.
std::vector<std::string_view> fence_infos(std::string_view text);

/// Whether live C++ code (no comment, string or dead branch) has an identifier that is one of
/// `stems`, or begins with one followed by a capital, an underscore or a digit: "cub" matches `cub`
/// and `cubDebug`, not `cube`.
bool has_name(std::string_view code, std::span<const std::string_view> stems);

}  // namespace cuset
