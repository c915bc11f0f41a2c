// The formats of tasks beside CUDABench's. Private to lib/judge.
#pragma once

#include <simdjson.h>

#include <string>

#include "cuset/base/status.h"
#include "cuset/judge/task.h"

namespace cuset {

/// Reads a field into `out`, which stays as it is if the field is missing or null.
status read_text(const simdjson::dom::object& fields, const char* key, std::string& out);

/// Reads "lang": "cuda", which is the default, or "hip".
status read_language(const simdjson::dom::object& fields, task& t);

/// Whether a record is a task with a harness, one of ComputeEval's problems, or one of
/// KernelBench's: known by "harness", by "test_command", and by "problem_id" beside "code".
bool is_harness_task(const simdjson::dom::object& fields);
bool is_compute_eval(const simdjson::dom::object& fields);
bool is_kernel_bench(const simdjson::dom::object& fields);

/// Whether a record asks for a count: it has no other format's fields, and "answer" is a string that
/// begins with "cost.". Records of other formats may have an "answer" too, which is not read.
bool is_count_task(const simdjson::dom::object& fields);

/// A task's id, which the formats call by different names.
result<std::string> task_id_of(const simdjson::dom::object& fields);

/// Read such a record; its id has to be read first. A data error names the field.
status read_harness_task(const simdjson::dom::object& fields, task& t);
status read_compute_eval(const simdjson::dom::object& fields, task& t);
status read_kernel_bench(const simdjson::dom::object& fields, task& t);
/// Reads what is asked; the rest is a record of CUDABench's format.
status read_count_question(const simdjson::dom::object& fields, task& t);

}  // namespace cuset
