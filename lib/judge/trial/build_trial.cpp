#include "trial/build_trial.h"

#include <utility>

#include "build/compiler_run.h"
#include "build/flat_source.h"
#include "build/shell_words.h"
#include "cuset/sandbox/file_text.h"
#include "cuset/sandbox/scratch_folder.h"
#include "tasks/answer.h"
#include "trial/race_search.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

/// The test as words; the first is the path of the program.
struct test_run {
    std::vector<std::string> words;
    std::string program;
};

result<test_run> test_of(const build_plan& plan) {
    auto words = shell_words(plan.test_command);
    if (!words) return std::move(words).error().with_prefix("the test command has ");
    test_run test;
    for (const auto& word : *words) {
        if (word.is_pattern) return data_error("the test command has a pattern (*)");
        test.words.push_back(word.text);
    }
    if (test.words.empty()) return data_error("the test command is empty");
    test.program = without_dots(test.words[0]);
    const bool is_here = test.program.size() < test.words[0].size();
    if (!is_here || !path_fault(test.program).empty())
        return data_error("the test command does not begin with a program that was built: " +
                          test.words[0]);
    return test;
}

result<trial> run_once(const trial_setting& setting, const std::vector<task_file>& files,
                       const test_run& test, const compilation& built, run_order order) {
    trial t;
    CUSET_ASSIGN(const scratch_folder scratch, scratch_folder::make(setting.scripts.scratch));
    sandbox_request request;
    request.work = scratch.path() / "run";
    CUSET_TRY(make_folder(request.work));
    CUSET_TRY(write_files(files, request.work));
    request.command = test.words;
    CUSET_ASSIGN(const program_outcome outcome,
                 run_program(setting, built.program, std::move(request), order, test.program, t));
    if (t.failed.why == failure::evaluator) return t;
    explain_by_cuda(outcome, t);
    if (t.failed.why == failure::none) t.reached = stage::correct;
    if (built.origins) {
        t.failed.diagnostic = built.origins->in_files(t.failed.diagnostic);
        t.note = built.origins->in_files(t.note);
    }
    return t;
}

}  // namespace

status judge_build(const trial_setting& setting, const judge_options& options, const candidate& c,
                   const task& the_task, verdict& v) {
    const auto end = [&](failure why, std::string diagnostic) {
        v.why = why;
        v.diagnostic = std::move(diagnostic);
        return status();
    };
    const build_plan& plan = *the_task.build;
    const auto given = read_answer(c, plan, options.fence);
    if (!given) return end(failure::no_code, why_no_program(c, options));
    if (!given->forbidden.empty()) return end(failure::forbidden_file, given->forbidden);
    v.reached = stage::extracted;
    if (const auto lacking = setting.backend.lacks(plan.toolkit, plan.capability); !lacking.empty())
        return end(failure::unsupported, lacking);
    const auto test = test_of(plan);
    if (!test) return end(failure::unsupported, test.error().message());
    const program_source source{.files = all_files(plan, given->files),
                                .command = plan.build_command,
                                .program = test->program,
                                .takes_flags = plan.takes_flags};
    CUSET_ASSIGN(const compilation built, setting.backend.compile(source));
    v.compile_seconds = built.seconds;
    v.diagnostic = built.diagnostic;
    v.compiler = built.messages;
    v.why = failure_of(built.end);
    if (!v.passed()) return {};
    v.reached = stage::compiled;
    if (options.compile_only) return {};
    if (const auto missing = missing_reference(plan, given->files); !missing.empty())
        return end(failure::missing_reference, "the answer does not use " + missing);
    trial_setting timed = setting;
    for (const auto& file : source.files) timed.sources.push_back(file.content);
    if (plan.seconds > 0) timed.limits.seconds = plan.seconds;
    CUSET_ASSIGN(trial t, try_in_orders(timed, [&](run_order order, bool) {
                     return run_once(timed, source.files, *test, built, order);
                 }));
    v.run_seconds = t.run_seconds;
    v.reached = t.reached;
    v.why = t.failed.why;
    v.diagnostic = std::move(t.failed.diagnostic);
    v.order = std::move(t.order);
    if (may_rely_on_steps(v.why)) {
        CUSET_ASSIGN(const compilation stepping,
                     setting.backend.compile(source, program_form::in_step));
        if (stepping.end == compile_end::compiled) {
            CUSET_ASSIGN(const trial again, try_in_orders(timed, [&](run_order order, bool) {
                             return run_once(timed, source.files, *test, stepping, order);
                         }));
            v.compile_seconds += stepping.seconds;
            v.run_seconds += again.run_seconds;
            if (again.failed.why == failure::none) pass_in_step(v);
        }
    }
    for (const auto& file : source.files) excuse(v, setting.backend, file.content);
    if (!v.passed()) {
        if (v.why != failure::evaluator)
            v.diagnostic = with_note(std::move(v.diagnostic), built.note);
        return {};
    }
    CUSET_ASSIGN(compilation strict, setting.backend.confirm(source));
    v.compile_seconds += strict.seconds;
    if (strict.end == compile_end::compiled)
        return search_for_races(
            timed, source,
            [&](const trial_setting& once, const compilation& searched, run_order order) {
                return run_once(once, source.files, *test, searched, order);
            },
            v);
    v.reached = stage::extracted;
    v.compiler = std::move(strict.messages);
    return end(failure_of(strict.end), std::move(strict.diagnostic));
}

}  // namespace cuset
