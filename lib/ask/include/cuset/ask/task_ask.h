// How a task becomes a conversation: what a model is asked when it answers the task, and what it is
// trained and scored on.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/stream/pair_record.h"

namespace cuset {

struct ask_options {
    /// A name or the path of an ask file:
    ///   plain        the record's own prompt or conversation, as record_reader reads it
    ///   cudabench    rules, helper functions, description, inputs and outputs of a CUDABench task
    ///   computeeval  prompt, context files and build command of a problem of ComputeEval
    ///   harness      prompt and context files of a task whose answer is used by its harness
    ///   kernelbench  the module of a KernelBench problem, and what its answer has to define
    ///   counting     the program of a task whose answer is a count, and what is to be counted
    ///   auto         by the record's members: see task_ask::apply
    std::string ask = "auto";
    unsigned level = 1;        ///< which of CUDABench's three descriptions
    std::string prompt_field;  ///< the member that holds the prompt; empty: by the level
    std::optional<record_columns> columns = {};  ///< see record_options; a prompt of them is plain
    std::string gpu = {};  ///< the GPU that a prompt names; empty: the record's member "gpu"
    std::optional<std::string> system = {};  ///< replaces the system message of every conversation
};

/// Sets what record_reader must read, so that task_ask::apply() can be called.
void complete(record_options& wanted, const ask_options& options);

class task_ask {
public:
    /// Reads the ask file, if the ask is one. A usage error if there is neither such a name nor
    /// such a file, or if `level` has no meaning beside `prompt_field`; a data error "FILE:LINE: …"
    /// for what is wrong in the file.
    static result<task_ask> open(ask_options options);
    /// The ask file `path` that has this text, with no options.
    static result<task_ask> read(const std::string& path, std::string_view text);
    task_ask(task_ask&&) noexcept;
    task_ask& operator=(task_ask&&) noexcept;
    ~task_ask();

    const ask_options& options() const;

    /// Makes the record's conversation, and sets what stands around its response: the fence that
    /// the built-in asks want, if the response is a bare program, and what an ask file says. A data
    /// error for a member that is missing or has another
    /// type, with the ask file's line if that names the member.
    ///
    /// With auto, a record with "messages", "conversations" or "instruction" is asked plain, as is
    /// every record where a prompt field is named or there are columns. One with "bench.cu" and an
    /// "answer" that begins with "cost." is asked counting. One with "prompt" and
    /// "harness" is asked harness; one with "prompt" and "build_command", "test_command" or
    /// "test_files", computeeval. One without "prompt", with a description, whose "outputs", and
    /// "inputs" if there are any, all have dtype and shape is asked cudabench. One without either,
    /// with "problem_id" and "code", is asked kernelbench. Any other is asked plain.
    ///
    /// `made_by`, if it is given, receives what made the conversation, for the settings of a run:
    /// "cudabench level 1", "computeeval", "harness", "kernelbench", "counting", or "file " and a hash of the
    /// ask file and the files that it names. Empty: plain. It lives as long as this object.
    ///
    /// Threads may share the object.
    status apply(pair_record& record, std::string_view* made_by = nullptr) const;

private:
    struct state;
    explicit task_ask(std::unique_ptr<const state> s);
    std::unique_ptr<const state> state_;
};

/// The conversation as text to look at: before each message a line "--- ROLE".
std::string shown(const std::vector<chat_turn>& conversation);

}  // namespace cuset
