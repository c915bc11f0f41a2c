#include "trial/race_search.h"

#include <algorithm>
#include <cstdint>
#include <optional>
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

/// A run in the order of that seed. The streams are as where the verdict was decided.
result<trial> run_searched(const trial_setting& setting, const compilation& made,
                           const program_run& run_once, std::uint64_t seed, verdict& v) {
    trial_setting limited = setting;
    limited.limits.seconds =
        seconds_of_search(setting, v, setting.backend.description().is_checked);
    limited.needs_kernels = false;
    limited.compares = seed != 0;
    CUSET_ASSIGN(trial t, run_once(limited, made, {seed, v.order == "asynchronous"}));
    v.compile_seconds += made.seconds;
    v.run_seconds += t.run_seconds;
    v.compare_seconds += t.compare_seconds;
    return t;
}

/// What the end of a search means for a program that passed without it.
std::string unfinished_search(failure why) {
    return "the search for races ended with " + std::string(name_of(why));
}

/// The trial of a search; nothing where there was none.
result<std::optional<trial>> search(const trial_setting& setting, const program_source& source,
                                    const program_run& run_once, std::uint64_t seed, verdict& v) {
    if (v.order == "warp") return std::optional<trial>();
    CUSET_ASSIGN(const compilation made, setting.backend.compile(source, program_form::searched));
    if (made.end == compile_end::unsupported) return std::optional<trial>();
    if (made.end != compile_end::compiled) {
        v.diagnostic =
            with_note(std::move(v.diagnostic),
                      "not searched for races, for which it does not compile: " + made.diagnostic);
        return std::optional<trial>();
    }
    CUSET_ASSIGN(trial t, run_searched(setting, made, run_once, seed, v));
    return std::optional(std::move(t));
}

/// Takes what the search found; false where it found nothing. A checked run does not see each
/// address of the host's that a kernel uses. Where programs are not checked, the run that passed
/// has.
bool take_finding(trial& t, bool is_checked, verdict& v) {
    if (t.failed.why != failure::race && (!is_checked || t.failed.why != failure::illegal_address))
        return false;
    v.why = t.failed.why;
    v.diagnostic = std::move(t.failed.diagnostic);
    v.findings = std::move(t.findings);
    v.reached = stage::ran;
    return true;
}

/// Whether a run that ended so says that its program is wrong, if another one passed.
bool is_of_program(failure why) {
    return why != failure::none && why != failure::run_timeout && why != failure::run_limit &&
           why != failure::unsupported && why != failure::evaluator;
}

/// Whether the backend has in part only what a program that fails so asks for.
bool is_excused(const trial_setting& setting, const program_fault& failed) {
    return std::any_of(setting.sources.begin(), setting.sources.end(), [&](auto source) {
        return !setting.backend.has_only_in_part(source, setting.is_hip, failed).empty();
    });
}

/// Takes a fault of the machine, which decides; false where there is none.
bool take_machine_fault(trial& t, verdict& v) {
    if (t.failed.why != failure::evaluator) return false;
    v.why = t.failed.why;
    v.diagnostic = std::move(t.failed.diagnostic);
    v.reached = std::min(v.reached, stage::ran);
    return true;
}

/// Takes that a program which passed has passed with warps in step alone. What was noted stays.
void pass_in_step_too(verdict& v) {
    const std::string noted = std::move(v.diagnostic), order = v.order;
    pass_in_step(v);
    if (!noted.empty()) v.diagnostic += "; " + noted;
    if (!order.empty()) v.order = order;
}

/// Runs a program whose search ended with `why` once more as it was when it passed, in the order of
/// that seed, and, where it may rely on that, with the threads of its warps in step. Its verdict
/// changes only if it then passes in the plain order again: a result may depend on time or chance.
status try_in_order(const trial_setting& setting, const program_source& source,
                    const program_run& run_once, std::uint64_t seed, failure why, verdict& v) {
    trial_setting once = setting;
    once.needs_kernels = false;
    once.compares = true;
    const bool asynchronous = v.order == "asynchronous";
    const auto try_form = [&](program_form form,
                              std::uint64_t order) -> result<std::optional<trial>> {
        CUSET_ASSIGN(const compilation made, setting.backend.compile(source, form));
        if (made.end != compile_end::compiled) return std::optional<trial>();
        CUSET_ASSIGN(trial t, run_once(once, made, {order, asynchronous}));
        v.compile_seconds += made.seconds;
        v.run_seconds += t.run_seconds;
        v.compare_seconds += t.compare_seconds;
        return std::optional(std::move(t));
    };
    const auto note = [&](const std::string& text) {
        v.diagnostic = with_note(std::move(v.diagnostic), text);
        return status();
    };
    CUSET_ASSIGN(std::optional<trial> plain, try_form(program_form::plain, seed));
    if (!plain) return note(unfinished_search(why));
    if (take_machine_fault(*plain, v)) return {};
    if (plain->failed.why == failure::none)
        return note(unfinished_search(why) +
                    "; memory that nobody has set holds no zeros there: "
                    "does the program use some?");
    // It may have failed for want of asynchronous streams.
    if (!is_of_program(plain->failed.why) || is_excused(setting, plain->failed) ||
        (!asynchronous && plain->streams != stream_need::none))
        return note("in " + words_for_order(seed) + " it ends with " +
                    std::string(name_of(plain->failed.why)));
    if (may_rely_on_steps(plain->failed.why)) {
        CUSET_ASSIGN(std::optional<trial> stepping, try_form(program_form::in_step, seed));
        if (stepping && take_machine_fault(*stepping, v)) return {};
        if (stepping && stepping->failed.why == failure::none) {
            pass_in_step_too(v);
            return {};
        }
        if (stepping && !is_of_program(stepping->failed.why))
            return note("with the threads of a warp in step it ends with " +
                        std::string(name_of(stepping->failed.why)));
    }
    CUSET_ASSIGN(std::optional<trial> again, try_form(program_form::plain, 0));
    if (!again || take_machine_fault(*again, v)) return {};
    if (again->failed.why != failure::none)
        return note("run again, it ends with " + std::string(name_of(again->failed.why)));
    program_fault failed = failure_in_order(std::move(plain->failed), seed);
    v.why = failed.why;
    v.diagnostic = std::move(failed.diagnostic);
    v.findings = std::move(plain->findings);
    v.reached = stage::ran;
    return {};
}

}  // namespace

status search_for_races(const trial_setting& setting, const program_source& source,
                        const program_run& run_once, verdict& v) {
    if (!v.passed()) return {};
    const bool is_checked = setting.backend.description().is_checked;
    const std::uint64_t seed = is_checked ? 0 : run_order::descending_in_blocks;
    CUSET_ASSIGN(std::optional<trial> t, search(setting, source, run_once, seed, v));
    if (!t || take_finding(*t, is_checked, v) || take_machine_fault(*t, v)) return {};
    if (!is_checked && is_of_program(t->failed.why))
        return try_in_order(setting, source, run_once, seed, t->failed.why, v);
    // What may be meant so, such as a flag that may be seen late, is noted too.
    v.diagnostic =
        with_note(std::move(v.diagnostic),
                  t->failed.why == failure::none ? t->note : unfinished_search(t->failed.why));
    return {};
}

status explain_by_race(const trial_setting& setting, const program_source& source,
                       const program_run& run_once, verdict& v) {
    if (v.why != failure::wrong_exit && v.why != failure::crash) return {};
    verdict searched = v;
    CUSET_ASSIGN(std::optional<trial> t, search(setting, source, run_once, 0, searched));
    if (t && take_finding(*t, setting.backend.description().is_checked, searched))
        v = std::move(searched);
    return {};
}

status name_line_of_fault(const trial_setting& setting, const program_source& source,
                          const program_run& run_once, verdict& v) {
    if (v.why != failure::illegal_address || line_in(v.diagnostic) != 0) return {};
    CUSET_ASSIGN(const compilation made, setting.backend.compile(source, program_form::searched));
    if (made.end != compile_end::compiled) return {};
    CUSET_ASSIGN(trial t, run_searched(setting, made, run_once, 0, v));
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
