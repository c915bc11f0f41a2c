// cuset-eval: tasks + candidates -> verdicts and a report.
#include <algorithm>

#include "cuset/base/log.h"
#include "cuset/judge/candidate_view.h"
#include "cuset/judge/evaluation.h"
#include "cuset/judge/task_check.h"
#include "cuset/stream/output.h"
#include "cuset/stream/pair_record.h"
#include "flags.h"
#include "moved_modes.h"
#include "tool.h"

namespace {

using namespace cuset;

/// The tasks of this shard.
std::vector<const task*> tasks_of_shard(const eval_flags& flags, const task_set& tasks) {
    std::vector<const task*> mine;
    for (const auto& t : tasks.tasks())
        if (is_in_shard(t.id, flags.stream.shard_index, flags.stream.shard_count))
            mine.push_back(&t);
    return mine;
}

/// CUDABench's protocol says nothing about tasks of other formats.
status check_protocol_of(const eval_flags& flags, const task_set& tasks) {
    if (!is_of_cudabench(rule_of(flags))) return {};
    for (const auto& t : tasks.tasks())
        if (t.build || t.question || !t.module.empty() || !t.unsupported.empty())
            return usage_error("--protocol " + flags.protocol + ": task " + t.id +
                               " is none of CUDABench's");
    return {};
}

/// Tasks that are built from files have no gen.py that could make more inputs.
void note_inputs(const eval_flags& flags, const task_set& tasks) {
    if (flags.inputs <= 1) return;
    const auto& all = tasks.tasks();
    const auto built = std::count_if(all.begin(), all.end(), [](const task& t) {
        return t.build.has_value() || t.question.has_value() || !t.module.empty();
    });
    if (built > 0)
        log(log_level::note, "--inputs does nothing for " + std::to_string(built) + " of " +
                                 std::to_string(all.size()) +
                                 " tasks: they have no gen.py, or ask for a number");
}

/// The environment and the judge that works in it.
struct opened_judge {
    std::unique_ptr<judge_environment> environment;
    std::unique_ptr<judge> judging;
};

result<opened_judge> open_judge(const eval_flags& flags) {
    CUSET_ASSIGN(auto made, judge_environment::open(to_environment_options(flags)));
    auto judging = std::make_unique<judge>(*made->backend, made->scripts,
                                           to_judge_options(flags, made->run_limits));
    return opened_judge{std::move(made), std::move(judging)};
}

/// Sets `unjudged` to the number of candidates that the evaluator itself failed on.
result<stream_summary> judge_candidates(const eval_flags& flags, output& out,
                                        std::size_t& unjudged) {
    CUSET_ASSIGN(const task_set tasks, task_set::read(flags.tasks));
    CUSET_TRY(check_protocol_of(flags, tasks));
    note_inputs(flags, tasks);
    CUSET_ASSIGN(const opened_judge opened, open_judge(flags));
    const judge& judging = *opened.judging;
    if (!flags.compile_only)
        CUSET_TRY(opened.environment->check_modules(tasks_of_shard(flags, tasks)));
    CUSET_ASSIGN(const evaluation done,
                 evaluate(to_stream_options(flags.stream), flags.verdicts, judging, tasks));
    if (done.judged < done.verdicts.size())
        log(log_level::note, std::to_string(done.verdicts.size() - done.judged) + " of " +
                                 std::to_string(done.verdicts.size()) +
                                 " verdicts were already in " + flags.verdicts);
    const stream_summary summary{done.records, done.rejected};
    if (done.verdicts.empty() && flags.stream.shard_count > 1) {
        log(log_level::note, "no candidates in this shard: no report");
        CUSET_TRY(out.finish());
        return summary;
    }
    CUSET_ASSIGN(unjudged, write_report(flags.counting, counted_tasks(flags.stream, tasks),
                                        done.verdicts, judging.setting(), out));
    return summary;
}

result<stream_summary> show_one(const eval_flags& flags, output& out) {
    log(log_level::note, deprecation_of("--show TASK/SAMPLE"));
    CUSET_ASSIGN(const candidate_name name, read_candidate_name(flags.show));
    CUSET_ASSIGN(const shown_candidate shown,
                 find_candidate(name, flags.tasks, to_stream_options(flags.stream)));
    CUSET_ASSIGN(const opened_judge opened, open_judge(flags));
    std::optional<verdict> v;
    if (!flags.verdicts.empty()) {
        CUSET_ASSIGN(v, verdict_on(shown.answer, flags.verdicts));
    }
    if (!v) {
        CUSET_ASSIGN(v, opened.judging->decide(shown.answer, shown.asked));
    }
    CUSET_TRY(out.write(to_text(shown, *v, to_judge_options(flags, {}).fence)));
    CUSET_TRY(out.finish());
    return stream_summary{};
}

result<stream_summary> check_all_tasks(const eval_flags& flags, output& out) {
    CUSET_ASSIGN(const task_set tasks, task_set::read(flags.tasks));
    CUSET_ASSIGN(const opened_judge opened, open_judge(flags));
    const auto mine = tasks_of_shard(flags, tasks);
    // A task that is weak for want of a module alone would be left out of evaluations later.
    CUSET_TRY(opened.environment->check_modules(mine, true));
    std::uint64_t weak_ones = 0, unsupported_ones = 0;
    for (const task* const t : mine) {
        CUSET_ASSIGN(const auto found, check_task(*t, *opened.judging));
        if (!found.weak.empty()) ++weak_ones;
        if (!found.unsupported.empty()) ++unsupported_ones;
        CUSET_TRY(out.write(to_line(*t, found)));
        CUSET_TRY(out.flush());
    }
    if (weak_ones < mine.size())
        log(log_level::note,
            std::to_string(weak_ones) + " of " + std::to_string(mine.size()) + " tasks are weak");
    if (unsupported_ones > 0)
        log(log_level::note, "bench.cu of " + std::to_string(unsupported_ones) +
                                 " needs what this backend does not model");
    CUSET_TRY(out.finish());
    if (weak_ones > 0 && weak_ones == mine.size())
        return data_error("all of the " + std::to_string(weak_ones) +
                          " tasks are weak: they tell no right program from a wrong one");
    return stream_summary{};
}

result<stream_summary> evaluate_all(eval_flags& flags, std::size_t& unjudged) {
    CUSET_TRY(check(flags));
    apply_protocol(flags);
    CUSET_ASSIGN(output out, output::open(to_output_options(flags.stream, output_form::text)));
    if (!flags.show.empty()) return show_one(flags, out);
    if (flags.check_tasks) return check_all_tasks(flags, out);
    return judge_candidates(flags, out, unjudged);
}

}  // namespace

int main(int argc, char** argv) {
    if (const auto code = run_moved_mode(argc, argv)) return *code;
    eval_flags flags;
    program p = describe(flags);
    std::size_t unjudged = 0;
    const int code = run_tool(p, flags.stream, argc, argv,
                              {.form = [] { return output_form::text; },
                               .run = [&] { return evaluate_all(flags, unjudged); },
                               .writes_at_end = true});
    return code == 0 && unjudged > 0 ? 3 : code;
}
