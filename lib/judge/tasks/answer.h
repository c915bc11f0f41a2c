// What an answer gives to a task: a program, or files for a task that is built from them. Private
// to lib/judge.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/judge/candidate.h"
#include "cuset/judge/judge.h"
#include "cuset/judge/task.h"
#include "cuset/syntax/program_text.h"

namespace cuset {

/// The program of an answer, as the options say that one is found. Empty if there is none, or if it
/// is blank.
std::string_view program_in(const candidate& c, const judge_options& options);

/// What is there in place of a program, for an answer that has none: "the answer is empty", "3
/// fenced blocks, none of C++ or CUDA: python, text", "neither a fenced block nor C++: I cannot
/// ...".
std::string why_no_program(const candidate& c, const judge_options& options);

/// The Python module of an answer to a KernelBench problem, and what is there in its place.
std::string_view module_in(const candidate& c, const judge_options& options);
std::string why_no_module(const candidate& c);

struct answer {
    std::vector<task_file> files;
    std::string forbidden;  ///< if not empty: why one of its files may not be written
};

/// The files of an answer: the blocks that it gives a path, or else its program as the file that
/// default_name() says. Nothing if there is no code.
std::optional<answer> read_answer(const candidate& c, const build_plan& plan, fence_choice choice);

/// The source that the build command names and the task does not have; solution.cu if there is
/// none, or more than one.
std::string default_name(const build_plan& plan);

/// Whether an answer's file has a name that it may have: that of a source that the build command
/// names, of a file of the known solution, of a C++ or CUDA file of the context, solution.cu; or
/// any other name of a C++ or CUDA file that is in no folder with tests. Empty if it may; else the
/// reason.
std::string name_fault(const std::string& path, const build_plan& plan);

/// The task's files with those of the answer; an answer's file stands for a context file of the
/// same path.
std::vector<task_file> all_files(const build_plan& plan, const std::vector<task_file>& own);

/// The first of the task's required names that the answer's live code lacks; empty if there is
/// none.
std::string missing_reference(const build_plan& plan, const std::vector<task_file>& own);

}  // namespace cuset
