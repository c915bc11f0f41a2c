#include "performance.h"

#include <string>
#include <vector>

#include "cuset/judge/fast_scores.h"
#include "cuset/judge/profile_scores.h"
#include "cuset/judge/verdict_log.h"
#include "cuset/stream/pair_record.h"

namespace cuset {

namespace {

template <class Score>
status report_scores(const report_flags& flags, output& out, const Score& score) {
    CUSET_ASSIGN(const report_options options, to_report_options(flags.counting));
    std::vector<counted_task> counted;
    if (!flags.tasks.empty()) {
        CUSET_ASSIGN(const task_set tasks, task_set::read(flags.tasks));
        counted = counted_tasks(flags.stream, tasks);
    }
    const auto& files = flags.stream.files;
    CUSET_ASSIGN(auto verdicts,
                 read_verdicts(files.empty() ? std::vector<std::string>{"-"} : files));
    std::erase_if(verdicts, [&](const verdict& v) {
        return !is_in_shard(v.task, flags.stream.shard_index, flags.stream.shard_count);
    });
    CUSET_ASSIGN(const auto report, score(counted, verdicts, options));
    tell_too_large(options.pass_at, report.samples);
    CUSET_TRY(out.write(flags.counting.json     ? to_json(report)
                        : flags.format == "tsv" ? to_table(report)
                                                : to_text(report)));
    return out.finish();
}

}  // namespace

status report_fast(const report_flags& flags, output& out) {
    return report_scores(flags, out, score_speed);
}

status report_profiles(const report_flags& flags, output& out) {
    return report_scores(flags, out, score_profiles);
}

}  // namespace cuset
