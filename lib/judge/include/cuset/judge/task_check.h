// Checks whether a task can tell right programs from wrong ones.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/judge/judge.h"
#include "cuset/judge/task.h"

namespace cuset {

/// A reason why a task proves little, or nothing.
struct weakness {
    std::string name;    ///< as below
    std::string detail;  ///< in one line: a diagnostic, or the output; may be empty
};

struct task_findings {
    std::vector<weakness> weak;
    /// The features that bench.cu needs and the backend does not model. It is not known then
    /// whether bench.cu is right.
    std::string unsupported;
};

/// Looks at, in this order, and reports as
///   "no_comparer", "no_outputs"  the field is missing
///   "program_fails"              bench.cu, compiled and, unless the judge compiles only, run and
///                                compared
///   "generator_fails"            gen.py
///   "inputs_do_not_vary"         gen.py with other seeds, if there are several sets of inputs
///   "rejects_reference"          compare.py, given the reference as the output
///   "passes_empty_output", "passes_zero_output", "passes_nan_output" (every bit set, which is NaN
///   in floats of any width), "passes_truncated_output" (half of the reference): of one output,
///   where the others are right
/// Of a task that is built from files it looks at
///   "no_solution"                no known solution is there
///   "program_fails"              the solution, built and, unless the judge compiles only, tested
///   "passes_empty_solution"      an answer that is an empty file
/// Of a KernelBench problem it looks at "generator_fails", where the problem's own model does not
/// run, or not twice alike, and at "program_fails", where that model does not pass as an answer.
/// Where there is no reference file for each output, the last five are not looked at. Empty: none
/// of these. An error is this machine's; error_kind::unsupported where bench.cu finds no device.
result<task_findings> check_task(const task& t, const judge& judging);

/// {"task":5,"family":"…","weak":["passes_zero_output"],"detail":["…"]} with a newline, and
/// "unsupported":"inline PTX" if there is such a feature.
std::string to_line(const task& t, const task_findings& found);

/// The ids of the weak tasks in a file of such lines.
result<std::vector<std::string>> read_weak_tasks(const std::string& path);

}  // namespace cuset
