// An answer taken apart: the files of its program, and the text around them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cuset/judge/candidate.h"
#include "cuset/judge/task.h"
#include "cuset/judge/verdict.h"
#include "cuset/syntax/program_text.h"

namespace cuset {

/// A file of the program that was taken from an answer, or other text of the answer.
struct answer_part {
    std::string path;  ///< of a file: "program.cu", "answer.py" or the task's name; else empty
    std::string content;
    /// The byte of the answer where the content begins; nothing for a file that the answer's text
    /// does not have as it is.
    std::optional<std::size_t> begin;
};

/// What is taken from an answer to be compiled: one program.cu (answer.py for a KernelBench
/// problem), or the files for a task that is built from them. Empty if there is no code. `rule` and
/// `fence` are those that the verdict was made with; CUDABench's rule knows no choice of a fence.
std::vector<answer_part> program_of(const candidate& c, const task& t, protocol rule,
                                    fence_choice fence);

/// The whole answer in its order: the files of program_of(), and the text before, between and
/// behind them where it is more than blanks and fences. Files without a place come first.
std::vector<answer_part> parts_of(const candidate& c, const task& t, protocol rule,
                                  fence_choice fence);

}  // namespace cuset
