// cuset-eval: tasks + candidates -> verdicts and a report.
#include <algorithm>
#include <set>

#include "cuset/base/log.h"
#include "cuset/base/visible_text.h"
#include "cuset/judge/evaluation.h"
#include "cuset/judge/task_check.h"
#include "cuset/judge/verdict_log.h"
#include "cuset/stream/output.h"
#include "cuset/stream/pair_record.h"
#include "eval_confidence.h"
#include "eval_flags.h"
#include "eval_show.h"
#include "eval_table.h"
#include "eval_workshop.h"
#include "tool.h"

namespace {

using namespace cuset;

judge_options to_judge_options(const eval_flags& flags, const program_backend& backend) {
    const bool is_host = backend.name() == "host";
    judge_options options;
    options.fence = flags.fence == "last" ? fence_choice::last : fence_choice::first;
    options.rule = protocol_named(flags.protocol).value_or(protocol::cuset);
    options.compile_only = flags.compile_only;
    options.accept_no_launch = flags.accept_no_launch;
    options.inputs = static_cast<std::uint64_t>(flags.inputs);
    options.run_limits.seconds = flags.timeout;
    options.run_limits.memory_bytes = memory_bytes(flags, is_host);
    options.run_limits.file_bytes = most_file_bytes(flags, is_host);
    options.concurrent_runs = static_cast<std::size_t>(flags.concurrent_runs);
    options.compile_seconds = flags.compile_timeout;
    return options;
}

bool is_mine(const eval_flags& flags, const std::string& task) {
    return is_in_shard(task, flags.stream.shard_index, flags.stream.shard_count);
}

/// The tasks of this shard.
std::vector<counted_task> counted_tasks(const eval_flags& flags, const task_set& tasks) {
    std::vector<counted_task> counted;
    for (const auto& t : tasks.tasks())
        if (is_mine(flags, t.id)) counted.push_back({t.id, t.family, t.hash()});
    return counted;
}

result<report_options> to_report_options(const eval_flags& flags) {
    report_options options;
    options.samples = static_cast<std::size_t>(flags.samples);
    options.seed = static_cast<std::uint64_t>(flags.seed);
    if (!flags.leave_out.empty()) {
        CUSET_ASSIGN(auto ids, read_weak_tasks(flags.leave_out));
        options.left_out.insert(ids.begin(), ids.end());
    }
    return options;
}

/// Names the tasks whose candidates could not be judged, with what the first warning does not say.
void tell_tasks(const std::vector<verdict>& verdicts, const std::string& said) {
    constexpr std::size_t most = 20;
    std::set<std::string> told;
    for (const auto& v : verdicts) {
        if (v.why != failure::evaluator || !told.insert(v.task).second) continue;
        if (told.size() <= most)
            log(log_level::warning, "not judged: task " + visible_text(v.task) + " (" +
                                        visible_text(v.family) + ')' +
                                        (v.diagnostic == said ? "" : ": " + v.diagnostic));
    }
    if (told.size() > most)
        log(log_level::warning, std::to_string(told.size() - most) + " more tasks were not judged");
}

/// Verdicts that say how far a program came once it was compiled.
std::size_t judged_programs(const std::vector<verdict>& verdicts) {
    return static_cast<std::size_t>(
        std::count_if(verdicts.begin(), verdicts.end(), [](const verdict& v) {
            return v.why != failure::evaluator && v.reached >= stage::compiled;
        }));
}

/// Sets `unjudged` to the number of candidates that the evaluator itself failed on. A data error if
/// rates would come from nothing.
status write_report(const eval_flags& flags, output& out, const task_set& tasks,
                    const std::vector<verdict>& verdicts, const evaluation_setting& setting,
                    std::size_t& unjudged) {
    CUSET_ASSIGN(const report_options options, to_report_options(flags));
    const auto counted = counted_tasks(flags, tasks);
    CUSET_ASSIGN(const auto report, make_report(counted, verdicts, setting, options));
    if (report.verdicts == 0) return data_error("there are no candidates to report");
    const auto& faults = report.failures[static_cast<std::size_t>(failure::evaluator)];
    unjudged = faults.count;
    if (faults.count > 0) {
        if (judged_programs(verdicts) == 0)
            return data_error("no program could be judged (" + std::to_string(faults.count) +
                              " of " + std::to_string(report.verdicts) +
                              " candidates): " + faults.example);
        log(log_level::warning,
            std::to_string(faults.count) + " of " + std::to_string(report.verdicts) +
                " candidates could not be judged, and count as failures: " + faults.example);
        tell_tasks(verdicts, faults.example);
    }
    CUSET_TRY(out.write(flags.json ? to_json(report) : to_text(report)));
    if (!flags.junit.empty())
        CUSET_TRY(write_whole_file(flags.junit, to_junit(report, counted, verdicts, options)));
    return out.finish();
}

/// CUDABench's protocol says nothing about tasks of other formats.
status check_tasks_of(const eval_flags& flags, const task_set& tasks) {
    if (flags.protocol != name_of(protocol::cudabench)) return {};
    for (const auto& t : tasks.tasks())
        if (t.build || !t.module.empty() || !t.unsupported.empty())
            return usage_error("--protocol cudabench: task " + t.id + " is none of CUDABench's");
    return {};
}

/// Tasks that are built from files have no gen.py that could make more inputs.
void tell_inputs(const eval_flags& flags, const task_set& tasks) {
    if (flags.inputs <= 1) return;
    const auto& all = tasks.tasks();
    const auto built = std::count_if(all.begin(), all.end(), [](const task& t) {
        return t.build.has_value() || !t.module.empty();
    });
    if (built > 0)
        log(log_level::note, "--inputs does nothing for " + std::to_string(built) + " of " +
                                 std::to_string(all.size()) + " tasks: they have no gen.py");
}

result<stream_summary> judge_candidates(const eval_flags& flags, output& out,
                                        std::size_t& unjudged) {
    CUSET_ASSIGN(const task_set tasks, task_set::read(flags.tasks));
    CUSET_TRY(check_tasks_of(flags, tasks));
    tell_inputs(flags, tasks);
    CUSET_ASSIGN(const auto shop, open_workshop(flags));
    if (!flags.compile_only) CUSET_TRY(check_modules(flags, tasks, *shop));
    const judge judging(*shop->backend, shop->scripts, to_judge_options(flags, *shop->backend));
    CUSET_ASSIGN(const evaluation done,
                 evaluate(to_stream_options(flags.stream), flags.verdicts, judging, tasks));
    if (done.judged < done.verdicts.size())
        log(log_level::note, std::to_string(done.verdicts.size() - done.judged) + " of " +
                                 std::to_string(done.verdicts.size()) +
                                 " verdicts were already in " + flags.verdicts);
    if (done.verdicts.empty() && flags.stream.shard_count > 1) {
        log(log_level::note, "no candidates in this shard: no report");
        CUSET_TRY(out.finish());
        return stream_summary{done.records, done.rejected};
    }
    CUSET_TRY(write_report(flags, out, tasks, done.verdicts, judging.setting(), unjudged));
    return stream_summary{done.records, done.rejected};
}

result<stream_summary> show_one(const eval_flags& flags, output& out) {
    CUSET_ASSIGN(const task_set tasks, task_set::read(flags.tasks));
    CUSET_ASSIGN(const auto shop, open_workshop(flags));
    const judge judging(*shop->backend, shop->scripts, to_judge_options(flags, *shop->backend));
    CUSET_TRY(show_candidate(flags, tasks, judging, out));
    return stream_summary{};
}

result<stream_summary> report_verdicts(const eval_flags& flags, output& out,
                                       std::size_t& unjudged) {
    CUSET_ASSIGN(const task_set tasks, task_set::read(flags.tasks));
    const auto& files = flags.stream.files;
    CUSET_ASSIGN(auto verdicts,
                 read_verdicts(files.empty() ? std::vector<std::string>{"-"} : files));
    std::erase_if(verdicts, [&](const verdict& v) { return !is_mine(flags, v.task); });
    if (verdicts.empty()) return data_error("there are no verdicts to report");
    CUSET_TRY(write_report(flags, out, tasks, verdicts, verdicts.front().setting, unjudged));
    return stream_summary{};
}

result<stream_summary> compare_verdicts(const eval_flags& flags, output& out) {
    CUSET_ASSIGN(const report_options options, to_report_options(flags));
    CUSET_ASSIGN(const auto first, read_verdicts({flags.stream.files[0]}));
    CUSET_ASSIGN(const auto second, read_verdicts({flags.stream.files[1]}));
    std::vector<counted_task> counted;
    if (!flags.tasks.empty()) {
        CUSET_ASSIGN(const task_set tasks, task_set::read(flags.tasks));
        counted = counted_tasks(flags, tasks);
    }
    CUSET_ASSIGN(const auto report, compare_evaluations(counted, first, second, options));
    CUSET_TRY(out.write(flags.json ? to_json(report) : to_text(report)));
    CUSET_TRY(out.finish());
    return stream_summary{};
}

result<stream_summary> check_all_tasks(const eval_flags& flags, output& out) {
    CUSET_ASSIGN(const task_set tasks, task_set::read(flags.tasks));
    CUSET_ASSIGN(const auto shop, open_workshop(flags));
    const judge judging(*shop->backend, shop->scripts, to_judge_options(flags, *shop->backend));
    std::uint64_t weak_ones = 0, unsupported_ones = 0, checked = 0;
    for (const auto& t : tasks.tasks()) {
        if (!is_mine(flags, t.id)) continue;
        CUSET_ASSIGN(const auto found, check_task(t, judging));
        ++checked;
        if (!found.weak.empty()) ++weak_ones;
        if (!found.unsupported.empty()) ++unsupported_ones;
        CUSET_TRY(out.write(to_line(t, found)));
        CUSET_TRY(out.flush());
    }
    log(log_level::note,
        std::to_string(weak_ones) + " of " + std::to_string(checked) + " tasks are weak");
    if (unsupported_ones > 0)
        log(log_level::note, "bench.cu of " + std::to_string(unsupported_ones) +
                                 " needs what this backend does not model");
    CUSET_TRY(out.finish());
    return stream_summary{};
}

result<stream_summary> evaluate_all(eval_flags& flags, std::size_t& unjudged) {
    CUSET_TRY(check(flags));
    apply_protocol(flags);
    CUSET_ASSIGN(output out, output::open(to_output_options(flags.stream, output_form::text)));
    if (flags.report) return report_verdicts(flags, out, unjudged);
    if (flags.compare) return compare_verdicts(flags, out);
    if (flags.table) {
        CUSET_ASSIGN(const report_options options, to_report_options(flags));
        CUSET_TRY(write_condition_table(flags, options, out));
        return stream_summary{};
    }
    if (!flags.show.empty()) return show_one(flags, out);
    if (flags.by_confidence) return report_confidence(flags, out);
    if (flags.check_tasks) return check_all_tasks(flags, out);
    return judge_candidates(flags, out, unjudged);
}

}  // namespace

int main(int argc, char** argv) {
    eval_flags flags;
    program p = describe(flags);
    std::size_t unjudged = 0;
    const int code = run_tool(p, flags.stream, argc, argv,
                              {.form = [] { return output_form::text; },
                               .run = [&] { return evaluate_all(flags, unjudged); },
                               .writes_at_end = true});
    return code == 0 && unjudged > 0 ? 3 : code;
}
