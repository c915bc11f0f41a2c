// cuset-report: verdicts -> reports.
#include <algorithm>

#include "confidence.h"
#include "costs.h"
#include "counts.h"
#include "cuset/judge/candidate_view.h"
#include "cuset/judge/verdict_log.h"
#include "cuset/stream/pair_record.h"
#include "flags.h"
#include "page.h"
#include "performance.h"
#include "table.h"
#include "tool.h"
#include "turns.h"

namespace {

using namespace cuset;

/// Sets `unjudged` to the number of candidates that the evaluator itself failed on.
status report_evaluation(const report_flags& flags, output& out, std::size_t& unjudged) {
    CUSET_ASSIGN(const task_set tasks, task_set::read(flags.tasks));
    const auto& files = flags.stream.files;
    CUSET_ASSIGN(auto verdicts,
                 read_verdicts(files.empty() ? std::vector<std::string>{"-"} : files));
    std::erase_if(verdicts, [&](const verdict& v) {
        return !is_in_shard(v.task, flags.stream.shard_index, flags.stream.shard_count);
    });
    if (verdicts.empty()) return data_error("there are no verdicts to report");
    CUSET_ASSIGN(unjudged, write_report(flags.counting, counted_tasks(flags.stream, tasks),
                                        verdicts, verdicts.front().setting, out));
    return {};
}

status compare_verdicts(const report_flags& flags, output& out) {
    CUSET_ASSIGN(const report_options options, to_report_options(flags.counting));
    CUSET_ASSIGN(const auto first, read_verdicts({flags.stream.files[0]}));
    CUSET_ASSIGN(const auto second, read_verdicts({flags.stream.files[1]}));
    std::vector<counted_task> counted;
    if (!flags.tasks.empty()) {
        CUSET_ASSIGN(const task_set tasks, task_set::read(flags.tasks));
        counted = counted_tasks(flags.stream, tasks);
    }
    CUSET_ASSIGN(const auto report, compare_evaluations(counted, first, second, options));
    tell_too_large(options.pass_at, std::min(report.samples_first, report.samples_second));
    CUSET_TRY(out.write(flags.counting.json ? to_json(report) : to_text(report)));
    return out.finish();
}

status show_candidate(const report_flags& flags, output& out) {
    CUSET_ASSIGN(const candidate_name name, read_candidate_name(flags.show));
    CUSET_ASSIGN(const shown_candidate shown,
                 find_candidate(name, flags.tasks, to_stream_options(flags.stream)));
    CUSET_ASSIGN(const auto kept, verdict_on(shown.answer, flags.verdicts));
    if (!kept)
        return data_error(flags.verdicts + " has no verdict on " + flags.show +
                          ": cuset-eval --verdicts judges what it lacks");
    CUSET_TRY(out.write(
        to_text(shown, *kept, flags.fence == "last" ? fence_choice::last : fence_choice::first)));
    return out.finish();
}

result<stream_summary> report(const report_flags& flags, std::size_t& unjudged) {
    CUSET_TRY(check(flags));
    output_options wanted = to_output_options(flags.stream, output_form::text);
    wanted.path = output_path(flags);
    CUSET_ASSIGN(output out, output::open(wanted));
    if (flags.by_confidence) return report_confidence(flags, out);
    if (!flags.html.empty()) return write_page(flags, out, unjudged);
    CUSET_TRY(flags.compare         ? compare_verdicts(flags, out)
              : flags.table         ? write_condition_table(flags, out)
              : flags.costs         ? report_costs(flags, out)
              : flags.counts        ? report_counts(flags, out)
              : flags.fast          ? report_fast(flags, out)
              : flags.profile       ? report_profiles(flags, out)
              : flags.turns         ? report_turns(flags, out, unjudged)
              : !flags.show.empty() ? show_candidate(flags, out)
                                    : report_evaluation(flags, out, unjudged));
    return stream_summary{};
}

}  // namespace

int main(int argc, char** argv) {
    report_flags flags;
    program p = describe(flags);
    std::size_t unjudged = 0;
    const int code = run_tool(p, flags.stream, argc, argv,
                              {.form = [] { return output_form::text; },
                               .run = [&] { return report(flags, unjudged); },
                               .writes_at_end = true});
    return code == 0 && unjudged > 0 ? 3 : code;
}
