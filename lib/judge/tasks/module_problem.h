// KernelBench's problems: a Python module with a model, and an answer that is a module too. Private
// to lib/judge.
#pragma once

#include <optional>
#include <string>

#include "cuset/base/status.h"
#include "cuset/judge/task.h"

namespace cuset {

/// Why no backend but a GPU's judges them.
inline constexpr const char* module_needs_gpu =
    "a KernelBench problem: a PyTorch module, whose answer is a Python file with load_inline and "
    "needs a GPU";

/// Makes the task one whose gen.py runs the problem's Model and whose compare.py compares its
/// outputs with an answer's: `code` is the problem's module. `tolerance`: absolute and relative;
/// nothing: KernelBench's, by dtype.
void set_module(std::string code, std::optional<double> tolerance, task& t);

/// The program, over programs/harness.py, that runs an answer, which is answer.py in the same folder.
std::string answer_program(const task& t);

/// The answer that is the problem's own model.
std::string own_answer(const task& t);

}  // namespace cuset
