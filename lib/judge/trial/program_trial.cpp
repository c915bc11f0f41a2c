#include "trial/program_trial.h"

#include <utility>

#include "build/flat_source.h"
#include "build/hip_program.h"
#include "trial/asked_flags.h"
#include "trial/race_search.h"

namespace cuset {

namespace {

/// What nvcc, or the backend, says of the program, where that may be with libraries of its own.
template <class Ask>
result<compilation> asked(const trial_setting& setting, const program_source& source,
                          flag_list& added, const Ask& ask) {
    if (!setting.finds_libraries) return ask(source);
    return with_asked_libraries(source, added, ask);
}

}  // namespace

result<compilation> compile_program(const trial_setting& setting, const program_source& source,
                                    verdict& v) {
    flag_list added;
    CUSET_ASSIGN(compilation built,
                 asked(setting, source, added, [&](const program_source& with_flags) {
                     return setting.backend.compile(with_flags);
                 }));
    v.compile_seconds = built.seconds;
    v.diagnostic = built.diagnostic;
    v.compiler = built.messages;
    v.why = failure_of(built.end);
    if (v.passed()) v.reached = stage::compiled;
    return built;
}

void end_run(const program_outcome& outcome, const compilation& built, trial& t) {
    if (t.failed.why == failure::evaluator) return;
    explain_by_cuda(outcome, t);
    if (t.failed.why == failure::none) t.reached = stage::correct;
    if (built.origins) {
        t.failed.diagnostic = built.origins->in_files(t.failed.diagnostic);
        t.note = built.origins->in_files(t.note);
        for (finding& f : t.findings) f.message = built.origins->in_files(f.message);
    }
}

status judge_runs(const trial_setting& setting, const program_source& source,
                  const compilation& built, const program_run& run_once, verdict& v) {
    const auto run_in_orders = [&](const compilation& made) {
        return try_in_orders(setting,
                             [&](run_order order, bool) { return run_once(setting, made, order); });
    };
    CUSET_ASSIGN(trial t, run_in_orders(built));
    v.run_seconds = t.run_seconds;
    v.reached = t.reached;
    v.why = t.failed.why;
    v.diagnostic = std::move(t.failed.diagnostic);
    v.findings = std::move(t.findings);
    v.order = std::move(t.order);
    if (may_rely_on_steps(v.why)) {
        CUSET_ASSIGN(const compilation stepping,
                     setting.backend.compile(source, program_form::in_step));
        if (stepping.end == compile_end::compiled) {
            CUSET_ASSIGN(const trial again, run_in_orders(stepping));
            v.compile_seconds += stepping.seconds;
            v.run_seconds += again.run_seconds;
            if (again.failed.why == failure::none) pass_in_step(v);
        }
    }
    CUSET_TRY(name_line_of_fault(setting, source, run_once, v));
    const bool is_hip = is_hip_program(source);
    for (const auto& file : source.files) excuse(v, setting.backend, file.content, is_hip);
    if (!v.passed()) {
        if (v.why != failure::evaluator)
            v.diagnostic = with_note(std::move(v.diagnostic), built.note);
        return {};
    }
    flag_list added;
    CUSET_ASSIGN(compilation strict,
                 asked(setting, source, added, [&](const program_source& with_flags) {
                     return setting.backend.confirm(with_flags);
                 }));
    v.compile_seconds += strict.seconds;
    // Where nvcc has no such library, the backend has linked the program with its own form.
    if (strict.end == compile_end::compiled || (setting.finds_libraries && lacks_library(strict))) {
        v.diagnostic = with_note(std::move(v.diagnostic), flags_note(added, "whose calls it has"));
        return search_for_races(setting, source, run_once, v);
    }
    v.reached = stage::extracted;
    v.compiler = std::move(strict.messages);
    v.why = failure_of(strict.end);
    v.diagnostic = std::move(strict.diagnostic);
    return {};
}

}  // namespace cuset
