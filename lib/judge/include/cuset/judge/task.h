// Tasks of CUDABench-Set. Each has the program that makes its inputs and reference, and the one
// that compares.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cuset/base/sha256.h"
#include "cuset/base/status.h"

namespace cuset {

struct task {
    std::string id;      ///< a number or a string, as text
    std::string family;  ///< "task_name": tasks that share it are variants of one problem
    /// A program reads data/NAME.bin for each input and writes data/NAME.bin for each output.
    std::vector<std::string> inputs, outputs;
    std::string program;    ///< "bench.cu", which solves it; empty where the file has none
    std::string generator;  ///< "gen.py", which makes the inputs and the reference; may be empty
    std::string comparer;   ///< "compare.py", which prints T or F; may be empty

    /// A hash of these fields, which does not depend on the spelling of the record's JSON.
    digest hash() const;
};

class task_set {
public:
    /// Reads a file of tasks (JSON Lines, plain or zstd; "-" is standard input). A data error
    /// "FILE:LINE: …" for a line that is no task, an id that appeared before, or a name of an input
    /// or output that is no plain file name.
    static result<task_set> read(const std::string& path);

    const std::vector<task>& tasks() const { return tasks_; }
    /// Null if there is no such task.
    const task* find(std::string_view id) const;

private:
    std::vector<task> tasks_;
    std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace cuset
