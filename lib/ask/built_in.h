// The asks that have names, and the parts that ask files share with them. Private to lib/ask.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/stream/pair_record.h"
#include "task_fields.h"

namespace cuset {

/// What a program, in HIP or else in CUDA, has to know of an array, on one line.
std::string shown_array(const task_array& array, bool is_hip);

/// Each file's path and, in a fence that its content cannot close, the content. Between two files
/// is an empty line, and no newline is at the end.
std::string shown_files(std::span<const context_file> files);

/// The text in a fence that it cannot close, with that info string.
std::string fenced(std::string_view text, std::string_view language);

/// A heading and what follows it, as a part of a message of its own.
void add_part(std::string& message, std::string_view heading, std::string_view text);

/// What stands around the response in the assistant's turn.
struct response_frame {
    std::string before, after;
};

/// The fence that the built-in asks want around a program; the language is its info string. Nothing
/// around a response that is more or less than a bare program: it has a form of its own already.
response_frame frame_of_program(std::string_view response, std::string_view language);

/// The same around a Python module that defines ModelNew.
response_frame frame_of_module(std::string_view response);

/// The conversations about a task. `prompt`: its description or prompt. Data errors as task_fields
/// has them.
result<std::vector<chat_turn>> cudabench_conversation(const task_fields& fields,
                                                      const std::string& prompt);
result<std::vector<chat_turn>> computeeval_conversation(const task_fields& fields,
                                                        const std::string& prompt);
result<std::vector<chat_turn>> harness_conversation(const task_fields& fields,
                                                    const std::string& prompt);
/// `code`: the problem's module.
result<std::vector<chat_turn>> kernelbench_conversation(const task_fields& fields,
                                                        const std::string& code);

/// A question about counts. `program`: the text of "bench.cu".
result<std::vector<chat_turn>> counting_conversation(const task_fields& fields,
                                                     const std::string& program);

}  // namespace cuset
