// Tasks. Those of CUDABench-Set have the program that makes their inputs and reference, and the one
// that compares. Those with a harness, and ComputeEval's, are built from files with the answer's,
// and a test's exit code decides. KernelBench's are modules of PyTorch. cuset-tasks(5) has the
// formats.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cuset/base/sha256.h"
#include "cuset/base/status.h"
#include "cuset/cost/launch_shape.h"
#include "cuset/judge/task_file.h"

namespace cuset {

/// How a program is made of a task's files and an answer's, and tested.
struct build_plan {
    std::vector<task_file> context;  ///< an answer may replace them
    std::vector<task_file> tests;    ///< an answer may not
    std::string build_command;       ///< a shell's
    bool takes_flags = false;        ///< the backend adds its own flags to that command
    std::string test_command;        ///< a shell's; its exit code decides
    double seconds = 0;              ///< that the test may run; 0: as long as any program
    std::string toolkit;             ///< the oldest CUDA toolkit that will do; may be empty
    std::string capability;          ///< the least compute capability that will do; may be empty
    /// Names that an answer's code must have: all of the first, and one of the second.
    std::vector<std::string> all_references, any_references;
    std::vector<task_file> solution;  ///< files that pass; may be empty
};

/// What is asked of a task whose answer is a number: a count of what its own program executes.
struct count_question {
    std::string quantity;  ///< a cost_quantity's name: "cost.flops"
    std::string kernel;    ///< whose launches are meant, without namespace; empty: any kernel's
    bool all_launches = false;           ///< the sum over all of them, instead of the first
    std::vector<std::string> arguments;  ///< of the program
    std::string category;                ///< of the task, for reports; may be empty
    double tolerance = 0.01;             ///< the largest relative error of a right answer
    /// What the task says of the launch, which has to be so.
    std::optional<launch_shape> grid, block;
};

struct task {
    std::string id;      ///< a number or a string, as text
    std::string family;  ///< "task_name": tasks that share it are variants of one problem
    /// A program reads data/NAME.bin for each input and writes data/NAME.bin for each output.
    std::vector<std::string> inputs, outputs;
    /// The dtypes of the outputs, empty where the task has none. No verdict depends on them.
    std::vector<std::string> output_dtypes;
    std::string program;    ///< "bench.cu", which solves it; empty where the file has none
    std::string generator;  ///< "gen.py", which makes the inputs and the reference; may be empty
    std::string comparer;   ///< "compare.py", which prints T or F; may be empty
    /// A KernelBench problem's module. The fields above are then made of it: `generator` runs its
    /// Model, and `comparer` looks at what an answer's left. Empty for any other task.
    std::string module;
    /// If it is there, an answer is a number, and `program` what is counted, with the inputs of
    /// `generator`, if there is one.
    std::optional<count_question> question;
    std::optional<build_plan> build;  ///< if it is there, none of the fields above is used
    bool is_hip = false;              ///< answers and `program`, or the solution, are in HIP
    /// What is known of a task that no backend judges: "a ComputeEval problem of type …". Else
    /// empty.
    std::string unsupported;
    /// The bytes of all inputs and outputs, by their dtypes and shapes; 0 if these do not say so.
    std::uint64_t declared_bytes = 0;

    /// A hash of these fields, apart from dtypes and bytes, which does not depend on the spelling
    /// of the record's JSON.
    digest hash() const;
};

class task_set {
public:
    /// Reads a file of tasks (JSON Lines, plain or zstd; "-" is standard input). A data error
    /// "FILE:LINE: …" for a line that is no task, an id that appeared before, a name of an input or
    /// output that is no plain file name, or a path with path_fault().
    static result<task_set> read(const std::string& path);

    const std::vector<task>& tasks() const { return tasks_; }
    /// Null if there is no such task.
    const task* find(std::string_view id) const;

private:
    std::vector<task> tasks_;
    std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace cuset
