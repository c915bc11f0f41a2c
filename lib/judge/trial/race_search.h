// What a run of a program's searched form tells (program_form::searched). Private to lib/judge.
#pragma once

#include "cuset/base/status.h"
#include "cuset/judge/backend.h"
#include "cuset/judge/verdict.h"
#include "trial/trial.h"

namespace cuset {

/// Compiles a program that passed for the search and runs it once, as `run_once` does: its verdict
/// becomes `race` if the backend's runtime finds one. Where the backend does not check each access,
/// and so runs programs in one order, the search has another, and a program that fails there, and
/// without the search too, is a `race`, or that failure. A note says so if the program does not
/// compile for the search, or its run did not come to its end. Nothing happens where the backend
/// does not search, or the verdict says already that the program races. An error is a fault of this
/// machine.
status search_for_races(const trial_setting& setting, const program_source& source,
                        const program_run& run_once, verdict& v);

/// Looks whether a failure that the program itself told with its exit code comes from a race: its
/// verdict is then `race`. An error is a fault of this machine.
status explain_by_race(const trial_setting& setting, const program_source& source,
                       const program_run& run_once, verdict& v);

/// Takes the words of a run of the searched form, which name the line, for an `illegal_address`
/// whose line is not known. Nothing happens where that form is not made, or its run ends otherwise.
/// An error is a fault of this machine.
status name_line_of_fault(const trial_setting& setting, const program_source& source,
                          const program_run& run_once, verdict& v);

/// A run of the program on a task's inputs, whose outputs nobody looks at.
result<trial> run_without_comparing(const trial_setting& setting, const task_data& made,
                                    const std::filesystem::path& program, run_order order);

}  // namespace cuset
