#include "trial/profiled_trial.h"

#include <string>
#include <utility>

#include "cuset/base/format.h"
#include "cuset/base/visible_text.h"
#include "trial/profiled_run.h"
#include "trial/untimed_source.h"

namespace cuset {

result<program_profile> profile_program(const trial_setting& setting, const task& the_task,
                                        const task_data& made, const profiled_program& program) {
    program_profile failed;
    if (const std::string name = name_that_hinders_profiling(program.source, program.flags);
        !name.empty()) {
        failed.not_profiled = "the program has " + name + ", with which a profile could be forged";
        return failed;
    }
    trial_setting longer = setting;
    longer.limits.seconds *= profiling_factor;
    run_order order(0);
    order.profiles = true;
    CUSET_ASSIGN(const trial t, run_and_compare(longer, the_task, made, program.compiled, order));
    if (t.end == run_end::too_long) {
        failed.not_profiled = format("it takes more than %g s under ncu", longer.limits.seconds);
        return failed;
    }
    program_profile profile = profile_of(t.profile);
    if (t.failed.why == failure::none) return profile;
    // ncu's own word says more than the exit code that follows from it.
    if (!profile.not_profiled.empty() && t.failed.why == failure::wrong_exit) return profile;
    failed.not_profiled = "under ncu the program fails: ";
    failed.not_profiled += name_of(t.failed.why);
    if (!t.failed.diagnostic.empty())
        failed.not_profiled += ": " + visible_text(t.failed.diagnostic);
    return failed;
}

}  // namespace cuset
