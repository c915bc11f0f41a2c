#include "trial/race_search.h"

#include <algorithm>
#include <utility>

#include "cuset/sandbox/file_text.h"
#include "cuset/sandbox/scratch_folder.h"

namespace cuset {

namespace fs = std::filesystem;

namespace {

/// The search makes kernels five to fifteen times slower. A race mostly shows in the first
/// launches, so that a program which passed need not wait for its end, but where it is checked from
/// all sides.
double seconds_of_search(const trial_setting& setting, const verdict& v, bool is_checked) {
    const double least = is_checked ? 10 : 5, times = is_checked ? 20 : 2;
    return std::min(setting.limits.seconds, least + times * v.run_seconds);
}

/// A run in the order that decided.
result<trial> run_searched(const trial_setting& setting, const compilation& made,
                           const program_run& run_once, verdict& v) {
    trial_setting limited = setting;
    limited.limits.seconds =
        seconds_of_search(setting, v, setting.backend.description().is_checked);
    limited.needs_kernels = false;
    CUSET_ASSIGN(trial t, run_once(limited, made, {0, v.order == "asynchronous"}));
    v.compile_seconds += made.seconds;
    v.run_seconds += t.run_seconds;
    return t;
}

/// What the end of a search means for a program that passed without it.
std::string unfinished_search(failure why, bool is_checked) {
    std::string text = "the search for races ended with " + std::string(name_of(why));
    if (!is_checked && why != failure::run_timeout && why != failure::run_limit)
        text += "; memory that nobody has set holds no zeros there: does the program use some?";
    return text;
}

}  // namespace

status search_for_races(const trial_setting& setting, const program_source& source,
                        const program_run& run_once, verdict& v) {
    if (!v.passed() || v.order == "warp") return {};
    CUSET_ASSIGN(const compilation made, setting.backend.compile(source, program_form::searched));
    if (made.end == compile_end::unsupported) return {};
    if (made.end != compile_end::compiled) {
        v.diagnostic =
            with_note(std::move(v.diagnostic),
                      "not searched for races, for which it does not compile: " + made.diagnostic);
        return {};
    }
    CUSET_ASSIGN(trial t, run_searched(setting, made, run_once, v));
    const bool is_checked = setting.backend.description().is_checked;
    // A checked run does not see each address of the host's that a kernel uses. Where programs are
    // not checked, the run that passed has.
    if (t.failed.why == failure::race || (is_checked && t.failed.why == failure::illegal_address)) {
        v.why = t.failed.why;
        v.diagnostic = std::move(t.failed.diagnostic);
        v.findings = std::move(t.findings);
        v.reached = stage::ran;
    } else if (t.failed.why != failure::none) {
        v.diagnostic =
            with_note(std::move(v.diagnostic), unfinished_search(t.failed.why, is_checked));
    } else {  // what may be meant so, such as a flag that may be seen late
        v.diagnostic = with_note(std::move(v.diagnostic), t.note);
    }
    return {};
}

status name_line_of_fault(const trial_setting& setting, const program_source& source,
                          const program_run& run_once, verdict& v) {
    if (v.why != failure::illegal_address || line_in(v.diagnostic) != 0) return {};
    CUSET_ASSIGN(const compilation made, setting.backend.compile(source, program_form::searched));
    if (made.end != compile_end::compiled) return {};
    CUSET_ASSIGN(trial t, run_searched(setting, made, run_once, v));
    if (t.failed.why != v.why || line_in(t.failed.diagnostic) == 0) return {};
    v.diagnostic = std::move(t.failed.diagnostic);
    v.findings = std::move(t.findings);
    return {};
}

result<trial> run_without_comparing(const trial_setting& setting, const task_data& made,
                                    const fs::path& program, run_order order) {
    trial t;
    CUSET_ASSIGN(const scratch_folder scratch, scratch_folder::make(setting.scripts.scratch));
    sandbox_request request;
    request.work = scratch.path() / "run";
    CUSET_TRY(make_folder(request.work / "data"));
    for (const auto& file : made.inputs)
        request.mounts.push_back({file.path, "/job/data/" + file.name});
    CUSET_ASSIGN([[maybe_unused]] const program_outcome outcome,
                 run_program(setting, program, std::move(request), order, "program", t));
    return t;
}

}  // namespace cuset
