#include "trial/module_trial.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "cuset/host/build/compiler_messages.h"
#include "cuset/sandbox/channel_lines.h"
#include "cuset/sandbox/file_text.h"
#include "cuset/sandbox/scratch_folder.h"
#include "cuset/sandbox/text_lines.h"
#include "tasks/answer.h"
#include "tasks/module_problem.h"
#include "tasks/script_run.h"
#include "trial/comparison.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

std::uint64_t bytes_of(const std::vector<data_file>& files) {
    std::uint64_t bytes = 0;
    for (const auto& file : files) {
        std::error_code error;
        const std::uintmax_t size = fs::file_size(file.path, error);
        if (!error) bytes += size;
    }
    return bytes;
}

/// " (answer.py:12)", the innermost line of the answer that a traceback names; or nothing.
std::string line_in_answer(std::string_view output) {
    constexpr std::string_view name = "answer.py\", line ";
    const std::size_t at = output.rfind(name);
    if (at == output.npos) return {};
    const std::string_view rest = output.substr(at + name.size());
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    return digits == 0 || digits > 9 ? ""
                                     : " (answer.py:" + std::string(rest.substr(0, digits)) + ')';
}

/// The first line of what an exception that ended Python says of itself: the one behind the
/// indented lines of the last frame of a traceback. Without a traceback, the last line.
std::string exception_in(std::string_view output) {
    std::string_view line = last_line(output);
    const std::size_t frame = output.rfind("\n  File \"");
    if (frame != output.npos) {
        std::string_view rest = output.substr(frame + 1);
        while (rest.starts_with(' ')) take_line(rest);
        if (!rest.empty()) line = first_line(rest);
    }
    return std::string(line.substr(0, 300)) + line_in_answer(output);
}

/// What the compiler of an extension said, as PyTorch repeats it; empty if none failed.
std::string_view compiler_in(std::string_view output) {
    const std::size_t at = output.rfind("Error building extension '");
    if (at == output.npos) return {};
    const std::size_t begin = output.find("': ", at);
    return begin == output.npos ? std::string_view() : output.substr(begin + 3);
}

/// The failure of an answer that was not loaded to its end.
void fail_to_load(const run_report& report, const sandbox_limits& limits, verdict& v) {
    v.reached = stage::extracted;
    v.why = failure::syntax_error;
    v.diagnostic = describe_end(report, limits);
    if (report.end == run_end::too_long) {
        v.why = failure::compile_timeout;
        v.diagnostic = "building and loading the answer " + v.diagnostic;
    } else if (report.end == run_end::signalled) {
        v.diagnostic += " while it was loaded";
    } else if (report.end != run_end::exited) {
        v.why = failure::compile_limit;
    } else if (report.code == 0) {
        v.diagnostic = "the answer ended while it was loaded";
    } else {
        const std::string_view compiler = compiler_in(report.err);
        v.compiler = all_diagnostics(compiler.empty() ? report.err : compiler);
        v.diagnostic = compiler.empty() ? exception_in(report.err) : first_diagnostic(compiler);
        if (has_any(v.diagnostic, {"undefined symbol"}) || failed_to_link(compiler))
            v.why = failure::link_error;
        if (ran_out(compiler)) v.why = failure::compile_limit;
    }
}

program_fault failure_of_answer(const run_report& report, const sandbox_limits& limits) {
    program_fault failed = failure_of_run(report, limits);
    if (failed.why == failure::wrong_exit)
        failed.diagnostic = report.err.empty() ? "exit code " + std::to_string(report.code)
                                               : exception_in(report.err);
    return failed;
}

result<run_report> run_answer(const trial_setting& setting, const task& the_task,
                              const task_data& made, std::string_view program, const fs::path& work,
                              const sandbox_limits& limits) {
    CUSET_TRY(make_folder(work / "data"));
    CUSET_TRY(write_text(work / "answer.py", program));
    std::vector<sandbox_mount> mounts;
    for (const auto& file : made.inputs) mounts.push_back({file.path, "/job/data/" + file.name});
    CUSET_ASSIGN(sandbox_request request,
                 script_request(setting.scripts, "run.py", answer_program(the_task), work,
                                std::move(mounts)));
    request.limits = limits;
    request.channel = true;
    setting.device.acquire();
    auto report = setting.backend.run_on_device(std::move(request));
    setting.device.release();
    return report;
}

/// Decides by the outputs of an answer that ended well.
status compare(const trial_setting& setting, const task& the_task, const task_data& made,
               const fs::path& scratch, verdict& v) {
    v.reached = stage::ran;
    const fs::path work = scratch / "compare";
    CUSET_TRY(make_folder(work / "data"));
    CUSET_ASSIGN(const auto missing,
                 take_outputs(the_task, scratch / "run", work / "data", setting.rule));
    if (missing) {
        v.why = failure::missing_output;
        v.diagnostic = *missing;
        return {};
    }
    CUSET_ASSIGN(const comparison done,
                 compare_outputs(the_task, made, work, setting.scripts, setting.rule));
    v.compare_seconds = done.seconds;
    if (done.passed) {
        v.reached = stage::correct;
        return {};
    }
    v.why = done.crashed ? failure::evaluator : failure::wrong_output;
    constexpr std::string_view prefix = "compare.py: ";
    v.diagnostic = done.message.substr(done.message.starts_with(prefix) ? prefix.size() : 0);
    return {};
}

}  // namespace

status judge_module(const trial_setting& setting, const judge_options& options, const candidate& c,
                    const task& the_task, task_data_store& data, verdict& v) {
    const auto end = [&](failure why, std::string diagnostic) {
        v.why = why;
        v.diagnostic = std::move(diagnostic);
        return status();
    };
    if (options.compile_only || !setting.backend.description().has_device) {
        v.reached = stage::extracted;
        return end(failure::unsupported, module_needs_gpu);
    }
    const std::string_view program = module_in(c, options);
    if (program.empty()) return end(failure::no_code, why_no_module(c));
    v.reached = stage::extracted;
    const auto made = data.get(the_task);
    if (!made) {
        if (made.error().kind() != error_kind::data) return made.error();
        return end(failure::evaluator, made.error().message());
    }
    sandbox_limits limits = setting.limits;
    limits.seconds += options.compile_seconds;
    if (const std::uint64_t bytes = bytes_of((*made)->references); bytes > limits.file_bytes)
        return end(failure::evaluator, "its outputs have " + gibibytes(bytes) +
                                           ", and an answer may write " +
                                           gibibytes(limits.file_bytes) + " (--memory)");
    CUSET_ASSIGN(const scratch_folder scratch, scratch_folder::make(setting.scripts.scratch));
    const auto report =
        run_answer(setting, the_task, **made, program, scratch.path() / "run", limits);
    if (!report) return end(failure::evaluator, report.error().message());
    v.run_seconds = report->seconds;
    // The answer may write these words too, but only once it has begun.
    if (!first_of(report->channel_output, "started")) {
        const std::string output = describe_end(*report, limits);
        return end(failure::evaluator,
                   "the harness failed: " + (output.empty() ? exception_in(report->err) : output));
    }
    if (!first_of(report->channel_output, "loaded")) {
        fail_to_load(*report, limits, v);
        return {};
    }
    v.reached = stage::compiled;
    trial t;
    t.failed = failure_of_answer(*report, limits);
    if (t.failed.why != failure::none) {
        setting.device.acquire();
        const auto outcome = setting.backend.outcome_of(*report);
        setting.device.release();
        if (!outcome) return outcome.error();
        explain_by_cuda(*outcome, t);
        return end(t.failed.why, std::move(t.failed.diagnostic));
    }
    return compare(setting, the_task, **made, scratch.path(), v);
}

}  // namespace cuset
