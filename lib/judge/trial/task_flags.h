// The flags of nvcc that tasks' own programs need.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "cuset/base/status.h"
#include "cuset/judge/backend.h"
#include "cuset/judge/task.h"

namespace cuset {

/// Finds out whether a task is meant to be compiled with --extended-lambda,
/// --expt-relaxed-constexpr or the toolkit's libraries (-lcublas and the like). nvcc's message
/// names the flag that a program lacks, or the call that no library has; where the task's own
/// program lacks it too, its build has it, and answers are not wrong for want of it.
class task_flags {
public:
    /// The backend outlives the object. Where `are_fixed`, no task has flags of its own.
    task_flags(const program_backend& backend, bool are_fixed)
        : backend_(backend), are_fixed_(are_fixed) {}

    /// Compiles an answer to a task, and once more if it lacks flags that the task's own program
    /// needs. `flags`: those that it was compiled with in the end.
    result<compilation> compile(const task& the_task, std::string_view source, flag_list& flags);
    /// Asks the backend's stricter compiler in the same way.
    result<compilation> confirm(const task& the_task, std::string_view source, flag_list& flags);

private:
    template <class Ask>
    result<compilation> with_flags(const task& the_task, flag_list& flags, const Ask& ask);
    result<flag_list> flags_of(const task& the_task);

    const program_backend& backend_;
    const bool are_fixed_;
    std::mutex mutex_;  // held while a task's own program is compiled
    std::map<const task*, flag_list> found_;
};

}  // namespace cuset
