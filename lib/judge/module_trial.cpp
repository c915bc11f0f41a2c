#include "module_trial.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "answer.h"
#include "comparison.h"
#include "diagnostics.h"
#include "file_text.h"
#include "module_problem.h"
#include "scratch_folder.h"
#include "script_run.h"
#include "text_lines.h"
#include "told_lines.h"

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
std::string line_in_answer(std::string_view said) {
    constexpr std::string_view name = "answer.py\", line ";
    const std::size_t at = said.rfind(name);
    if (at == said.npos) return {};
    const std::string_view rest = said.substr(at + name.size());
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    return digits == 0 || digits > 9 ? ""
                                     : " (answer.py:" + std::string(rest.substr(0, digits)) + ')';
}

/// The first line of what an exception that ended Python says of itself: the one behind the
/// indented lines of the last frame of a traceback. Without a traceback, the last line.
std::string exception_in(std::string_view said) {
    std::string_view line = last_line(said);
    const std::size_t frame = said.rfind("\n  File \"");
    if (frame != said.npos) {
        std::string_view rest = said.substr(frame + 1);
        while (rest.starts_with(' ')) take_line(rest);
        if (!rest.empty()) line = first_line(rest);
    }
    return std::string(line.substr(0, 300)) + line_in_answer(said);
}

/// What the compiler of an extension said, as PyTorch repeats it; empty if none failed.
std::string_view compiler_in(std::string_view said) {
    const std::size_t at = said.rfind("Error building extension '");
    if (at == said.npos) return {};
    const std::size_t begin = said.find("': ", at);
    return begin == said.npos ? std::string_view() : said.substr(begin + 3);
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
        if (has_any(v.diagnostic, {"undefined symbol"}) ||
            failure_of(compiler) == compile_end::link_error)
            v.why = failure::link_error;
        if (ran_out(compiler)) v.why = failure::compile_limit;
    }
}

run_failure failure_of_answer(const run_report& report, const sandbox_limits& limits) {
    run_failure failed = failure_of_run(report, limits);
    if (failed.why == failure::wrong_exit)
        failed.diagnostic = report.err.empty() ? "exit code " + std::to_string(report.code)
                                               : exception_in(report.err);
    return failed;
}

result<run_report> run_answer(const trial_setting& setting, const task& of, const task_data& made,
                              std::string_view program, const fs::path& work,
                              const sandbox_limits& limits) {
    CUSET_TRY(make_folder(work / "data"));
    CUSET_TRY(write_text(work / "answer.py", program));
    std::vector<sandbox_mount> mounts;
    for (const auto& file : made.inputs) mounts.push_back({file.path, "/job/data/" + file.name});
    CUSET_ASSIGN(
        sandbox_request request,
        script_request(setting.scripts, "run.py", answer_program(of), work, std::move(mounts)));
    request.limits = limits;
    request.channel = true;
    setting.device.acquire();
    auto report = setting.backend.run_on_device(std::move(request));
    setting.device.release();
    return report;
}

/// Decides by the outputs of an answer that ended well.
status compare(const trial_setting& setting, const task& of, const task_data& made,
               const fs::path& scratch, verdict& v) {
    v.reached = stage::ran;
    const fs::path work = scratch / "compare";
    CUSET_TRY(make_folder(work / "data"));
    CUSET_ASSIGN(const auto missing,
                 take_outputs(of, scratch / "run", work / "data", setting.rule));
    if (missing) {
        v.why = failure::missing_output;
        v.diagnostic = *missing;
        return {};
    }
    CUSET_ASSIGN(const comparison done,
                 compare_outputs(of, made, work, setting.scripts, setting.rule));
    v.compare_seconds = done.seconds;
    if (done.passed) {
        v.reached = stage::correct;
        return {};
    }
    v.why = done.crashed ? failure::evaluator : failure::wrong_output;
    constexpr std::string_view prefix = "compare.py: ";
    v.diagnostic = done.said.substr(done.said.starts_with(prefix) ? prefix.size() : 0);
    return {};
}

}  // namespace

status judge_module(const trial_setting& setting, const judge_options& options, const candidate& c,
                    const task& of, task_data_store& data, verdict& v) {
    const auto end = [&](failure why, std::string diagnostic) {
        v.why = why;
        v.diagnostic = std::move(diagnostic);
        return status();
    };
    if (options.compile_only || !setting.backend.has_device()) {
        v.reached = stage::extracted;
        return end(failure::unsupported, module_needs_gpu);
    }
    const std::string_view program = module_in(c, options);
    if (program.empty()) return end(failure::no_code, why_no_module(c));
    v.reached = stage::extracted;
    const auto made = data.get(of);
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
    const auto report = run_answer(setting, of, **made, program, scratch.path() / "run", limits);
    if (!report) return end(failure::evaluator, report.error().message());
    v.run_seconds = report->seconds;
    // The answer may write these words too, but only once it has begun.
    if (!first_of(report->told, "started")) {
        const std::string said = describe_end(*report, limits);
        return end(failure::evaluator,
                   "the harness failed: " + (said.empty() ? exception_in(report->err) : said));
    }
    if (!first_of(report->told, "loaded")) {
        fail_to_load(*report, limits, v);
        return {};
    }
    v.reached = stage::compiled;
    trial t;
    t.failed = failure_of_answer(*report, limits);
    CUSET_TRY(explain_by_cuda(setting, *report, t));
    if (t.failed.why != failure::none) return end(t.failed.why, std::move(t.failed.diagnostic));
    return compare(setting, of, **made, scratch.path(), v);
}

}  // namespace cuset
