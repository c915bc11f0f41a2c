#include "trial/trial.h"

#include <algorithm>
#include <utility>

#include "cuset/sandbox/file_text.h"
#include "cuset/sandbox/scratch_folder.h"
#include "cuset/sandbox/text_lines.h"
#include "trial/comparison.h"
#include "trial/output_difference.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

std::string count_of(std::uint64_t count, const std::string& word) {
    return std::to_string(count) + ' ' + word + (count == 1 ? "" : "s");
}

/// `no_kernel_launch` if the right outputs in `folder` cannot have come from kernels. Programs
/// compute more from what they read, so a part of an output's size is enough.
program_fault failure_of_kernels(const kernel_use& use, const task& the_task,
                                 const fs::path& folder) {
    constexpr std::uint64_t part = 64, uncounted = 2;
    if (use.launches == 0)
        return {failure::no_kernel_launch, "the results are right, but no kernel ran"};
    if (!use.bytes_read) return {};
    const std::uint64_t read = *use.bytes_read;
    for (const auto& name : the_task.outputs) {
        std::error_code error;
        const std::uintmax_t size = fs::file_size(folder / (name + ".bin"), error);
        if (error || read * part * uncounted >= size) continue;
        return {failure::no_kernel_launch,
                "the results are right, and " + count_of(use.launches, "kernel") +
                    " ran, but of the " + count_of(size, "byte") + " of " + name +
                    ".bin the host read " + (read == 0 ? "none" : "only " + std::to_string(read)) +
                    " from memory that kernels wrote"};
    }
    return {};
}

/// Returns the failure of the outputs, or none.
status compare(const trial_setting& setting, const task& the_task, const task_data& made,
               const fs::path& scratch, const std::optional<kernel_use>& use, trial& t) {
    t.reached = stage::ran;
    const fs::path work = scratch / "compare";
    CUSET_TRY(make_folder(work / "data"));
    CUSET_ASSIGN(const auto missing,
                 take_outputs(the_task, scratch / "run", work / "data", setting.rule));
    program_fault& failed = t.failed;
    // Checked before compare.py can write to them.
    program_fault of_kernels;
    if (use && !missing) {
        t.counts_kernels = true;
        if (setting.needs_kernels) of_kernels = failure_of_kernels(*use, the_task, work / "data");
    }
    // CUDABench asks compare.py about missing outputs too.
    if (missing && !is_of_cudabench(setting.rule)) {
        failed = {failure::missing_output, *missing};
    } else {
        auto done = compare_outputs(the_task, made, work, setting.scripts, setting.rule);
        if (!done) {
            failed = {failure::evaluator, done.error().message()};
        } else if (t.compare_seconds = done->seconds; done->passed) {
            t.failed = std::move(of_kernels);
            if (t.failed.why == failure::none) t.reached = stage::correct;
            return {};
        } else if (failed = {failure::wrong_output, done->message}; done->crashed) {
            // Outputs of a wrong size cause this, and so does a compare.py that passes nothing.
            const auto passing =
                passing_references(the_task, made, scratch, setting.scripts, setting.rule);
            if (!passing) failed = {failure::evaluator, passing.error().message()};
            if (passing && *passing && (*passing)->empty()) failed.why = failure::evaluator;
        }
        if (missing && failed.why == failure::wrong_output)
            failed = {failure::missing_output, *missing};
        if (failed.why == failure::wrong_output)
            if (const auto where = describe_difference(the_task, made.references, work / "data");
                !where.empty())
                failed.diagnostic += "; " + where;
    }
    return {};
}

/// Whether an error of CUDA may have caused this failure.
bool may_be_of_cuda(failure why) {
    return why == failure::crash || why == failure::wrong_exit || why == failure::wrong_output ||
           why == failure::missing_output;
}

/// Whether the program's own results failed, which may depend on the order of threads.
bool is_of_results(failure why) {
    return why == failure::none || why == failure::wrong_output || why == failure::missing_output ||
           why == failure::wrong_exit;
}

bool passed(const trial& t) { return t.failed.why == failure::none; }

/// Whether the program means to meet the error of this fault. Another one could pass only because
/// it does not look at errors.
bool names_error(const trial_setting& setting, const program_fault& fault) {
    return std::any_of(setting.sources.begin(), setting.sources.end(), [&](auto source) {
        return !setting.backend.has_only_in_part(source, setting.is_hip, fault).empty();
    });
}

/// Whether a run with asynchronous streams may end otherwise.
bool may_need_streams(const trial_setting& setting, const trial& t) {
    const failure why = t.failed.why;
    // A program goes on after these, but the first finding decides.
    if (t.has_faulted && (why == failure::race || why == failure::uninitialised_read)) return false;
    if (t.streams == stream_need::needed) return true;
    if (t.has_faulted && (why == failure::illegal_address || why == failure::launch_error))
        return names_error(setting, {why, t.failed.diagnostic});
    return t.streams == stream_need::asked &&
           (why == failure::crash || why == failure::wrong_exit || why == failure::wrong_output ||
            why == failure::missing_output || why == failure::run_timeout);
}

/// Revises the first run's result by that of a later run.
void weigh(trial& first, trial later, std::uint64_t order) {
    first.run_seconds += later.run_seconds;
    first.compare_seconds += later.compare_seconds;
    if (later.failed.why == failure::evaluator) {
        first.failed = std::move(later.failed);
        first.reached = std::min(first.reached, later.reached);
        return;
    }
    if (passed(first) == passed(later)) return;
    if (passed(first) && !is_of_results(later.failed.why)) {
        first.failed = failure_in_order(std::move(later.failed), order);
        first.findings = std::move(later.findings);
        first.reached = later.reached;
        return;
    }
    const bool right = passed(first);
    std::string text = std::string("outputs are ") + (right ? "right" : "wrong") +
                       " in order 0 and " + (right ? "wrong" : "right") + " in " +
                       words_for_order(order);
    if (const std::string where = first_difference(first.launches, later.launches); !where.empty())
        text += ": " + where;
    first.failed = {failure::race, std::move(text)};
    first.reached = stage::ran;
}

/// Takes "add" and "12" from "0 add 12 5f…".
std::string place_of(std::string_view line) {
    constexpr std::size_t longest = 100;
    const std::size_t first = line.find(' '), last = line.rfind(' ');
    if (first == line.npos || last <= first) return {};
    const std::size_t number = line.rfind(' ', last - 1);
    if (number == line.npos || number <= first) return {};
    return "kernel " + std::string(line.substr(first + 1, std::min(number - first - 1, longest))) +
           " (line " + std::string(line.substr(number + 1, std::min(last - number - 1, longest))) +
           ')';
}

}  // namespace

result<trial> run_and_compare(const trial_setting& setting, const task& the_task,
                              const task_data& made, const fs::path& program, run_order order) {
    trial t;
    CUSET_ASSIGN(const scratch_folder scratch, scratch_folder::make(setting.scripts.scratch));
    const fs::path work = scratch.path() / "run";
    CUSET_TRY(make_folder(work / "data"));
    sandbox_request request;
    request.work = work;
    for (const auto& file : made.inputs)
        request.mounts.push_back({file.path, "/job/data/" + file.name});
    CUSET_ASSIGN(const program_outcome outcome,
                 run_program(setting, program, std::move(request), order, "program", t));
    if (t.failed.why == failure::none)
        CUSET_TRY(compare(setting, the_task, made, scratch.path(), outcome.kernels, t));
    explain_by_cuda(outcome, t);
    return t;
}

std::string first_difference(std::string_view plain, std::string_view other) {
    while (!plain.empty() || !other.empty()) {
        const std::string_view a = take_line(plain), b = take_line(other);
        if (a == b) continue;
        const std::string place = place_of(a.empty() ? b : a);
        return place.empty() ? std::string() : place + " is the first to differ";
    }
    return {};
}

std::string with_note(std::string diagnostic, const std::string& note) {
    if (note.empty() || diagnostic.ends_with("note: " + note)) return diagnostic;
    return (diagnostic.empty() ? "note: " : std::move(diagnostic) + "; note: ") + note;
}

std::string words_for_order(std::uint64_t seed) {
    return seed == run_order::descending_in_blocks ? "the descending order of a block's threads"
                                                   : "the order of seed " + std::to_string(seed);
}

program_fault failure_in_order(program_fault failed, std::uint64_t seed) {
    const std::string order = words_for_order(seed);
    if (!is_of_results(failed.why)) return {failed.why, "in " + order + ": " + failed.diagnostic};
    return {failure::race, "right in order 0 and wrong in " + order + ": " +
                               std::string(name_of(failed.why)) + ": " + failed.diagnostic};
}

bool may_rely_on_steps(failure why) {
    switch (why) {
        case failure::wrong_output:
        case failure::missing_output:
        case failure::wrong_exit:
        case failure::crash:  // a host's assert(), for one
        case failure::launch_error:
        case failure::illegal_address: return true;
        default: return false;
    }
}

void pass_in_step(verdict& v) {
    v.why = failure::none;
    v.reached = stage::correct;
    v.order = "warp";
    v.diagnostic = "note: right only where the threads of a warp run in step: the program races";
}

void excuse(verdict& v, const program_backend& backend, std::string_view source, bool is_hip) {
    if (!may_rely_on_steps(v.why)) return;
    std::string part = backend.has_only_in_part(source, is_hip, {v.why, v.diagnostic});
    if (part.empty()) return;
    v.why = failure::unsupported;
    v.findings.clear();
    v.diagnostic = std::move(part);
}

failure failure_of(compile_end end) {
    switch (end) {
        case compile_end::compiled: return failure::none;
        case compile_end::error: return failure::syntax_error;
        case compile_end::link_error: return failure::link_error;
        case compile_end::unsupported: return failure::unsupported;
        case compile_end::too_long: return failure::compile_timeout;
        case compile_end::too_large: return failure::compile_limit;
    }
    return failure::evaluator;
}

result<program_outcome> run_program(const trial_setting& setting, const fs::path& program,
                                    sandbox_request request, run_order order, const fs::path& place,
                                    trial& t) {
    request.limits = setting.limits;
    setting.device.acquire();
    const auto report = setting.backend.run(program, std::move(request), order, place);
    auto outcome = report ? setting.backend.outcome_of(*report) : program_outcome{};
    setting.device.release();
    if (!report) {
        t.failed = {failure::evaluator, report.error().message()};
        return outcome;
    }
    if (!outcome) return outcome;
    t.run_seconds = report->seconds;
    t.end = report->end;
    t.code = report->code;
    t.launches = outcome->launches;
    t.note = outcome->note;
    t.costs = outcome->costs;
    t.activity = std::move(outcome->activity);
    t.profile = std::move(outcome->profile);
    t.streams = outcome->streams;
    t.has_faulted = outcome->fault.has_value();
    if (t.has_faulted) {
        t.failed = *outcome->fault;
        t.findings = outcome->findings;
    } else {
        t.failed = failure_of_run(*report, setting.limits);
        if (t.failed.why == failure::run_timeout && !outcome->running.empty())
            t.failed.diagnostic += ": " + outcome->running + ", was still running";
        if (const auto& survived = outcome->survived_fault;
            survived && !names_error(setting, *survived))
            t.failed = *survived;
    }
    return outcome;
}

void explain_by_cuda(const program_outcome& outcome, trial& t) {
    if (outcome.cuda_error && may_be_of_cuda(t.failed.why)) t.failed = *outcome.cuda_error;
    if (!passed(t) && t.failed.why != failure::unsupported && t.failed.why != failure::evaluator)
        t.failed.diagnostic = with_note(std::move(t.failed.diagnostic), outcome.failed_call);
}

result<trial> try_in_orders(
    const trial_setting& setting,
    const std::function<result<trial>(run_order order, bool is_first)>& try_once) {
    const auto orders = setting.backend.description().orders;
    CUSET_ASSIGN(trial first, try_once(orders.front(), true));
    if (may_need_streams(setting, first)) {
        CUSET_ASSIGN(trial again, try_once({orders.front(), true}, true));
        if (first.streams == stream_need::needed || passed(again)) {
            again.order = "asynchronous";
            std::swap(first, again);
        }
        first.run_seconds += again.run_seconds;
        first.compare_seconds += again.compare_seconds;
    }
    const bool asynchronous = !first.order.empty();
    for (std::size_t i = 1; i < orders.size(); ++i) {
        if (!is_of_results(first.failed.why)) break;
        CUSET_ASSIGN(trial later, try_once({orders[i], asynchronous}, false));
        weigh(first, std::move(later), orders[i]);
    }
    if (is_of_results(first.failed.why))
        first.failed.diagnostic = with_note(std::move(first.failed.diagnostic), first.note);
    return first;
}

result<trial> try_program(const trial_setting& setting, const task& the_task, const task_data& made,
                          const fs::path& program) {
    return try_in_orders(setting, [&](run_order order, bool is_first) {
        trial_setting once = setting;
        if (!is_first) once.needs_kernels = false;  // once is enough
        return run_and_compare(once, the_task, made, program, order);
    });
}

}  // namespace cuset
