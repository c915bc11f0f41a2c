#include "trial/build_trial.h"

#include <utility>

#include "build/compiler_run.h"
#include "build/hip_program.h"
#include "build/shell_words.h"
#include "cuset/sandbox/file_text.h"
#include "cuset/sandbox/scratch_folder.h"
#include "tasks/answer.h"
#include "trial/program_trial.h"

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
    end_run(outcome, built, t);
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
    CUSET_ASSIGN(const compilation built, compile_program(setting, source, v));
    if (!v.passed()) return {};
    if (options.compile_only) return {};
    if (const auto missing = missing_reference(plan, given->files); !missing.empty())
        return end(failure::missing_reference, "the answer does not use " + missing);
    trial_setting timed = setting;
    for (const auto& file : source.files) timed.sources.push_back(file.content);
    timed.is_hip = is_hip_program(source);
    if (plan.seconds > 0) timed.limits.seconds = plan.seconds;
    return judge_runs(
        timed, source, built,
        [&](const trial_setting& once, const compilation& made, run_order order) {
            return run_once(once, source.files, *test, made, order);
        },
        v);
}

}  // namespace cuset
