#include "counting_flags.h"

#include <utility>

#include "cuset/judge/task_check.h"
#include "cuset/judge/unjudged.h"
#include "cuset/stream/output_file.h"
#include "cuset/stream/pair_record.h"

namespace cuset {

void add_counting_flags(program& p, counting_flags& flags, std::string seed_help) {
    p.add({
        {'n', "samples", "N",
         "Samples that each task must have; 0 takes the largest number that a task has. Missing "
         "ones count as failures.",
         &flags.samples, between(0, 10'000)},
        {0, "seed", "N", std::move(seed_help), &flags.seed},
        {0, "leave-out", "FILE",
         "Do not count the tasks that FILE, the output of cuset-eval --check-tasks, calls weak. "
         "The report says how many.",
         &flags.leave_out, value_kind::file},
        {0, "json", "", "The report as one JSON object.", &flags.json},
        {0, "junit", "FILE", "Write a JUnit report to FILE too.", &flags.junit, value_kind::file},
    });
}

result<report_options> to_report_options(const counting_flags& flags) {
    report_options options;
    options.samples = static_cast<std::size_t>(flags.samples);
    options.seed = static_cast<std::uint64_t>(flags.seed);
    if (!flags.leave_out.empty()) {
        CUSET_ASSIGN(auto ids, read_weak_tasks(flags.leave_out));
        options.left_out.insert(ids.begin(), ids.end());
    }
    return options;
}

std::vector<counted_task> counted_tasks(const stream_flags& flags, const task_set& tasks) {
    std::vector<counted_task> counted;
    for (const auto& t : tasks.tasks())
        if (is_in_shard(t.id, flags.shard_index, flags.shard_count))
            counted.push_back({t.id, t.family, t.hash()});
    return counted;
}

result<std::size_t> write_report(const counting_flags& flags,
                                 const std::vector<counted_task>& counted,
                                 const std::vector<verdict>& verdicts,
                                 const evaluation_setting& setting, output& out) {
    CUSET_ASSIGN(const report_options options, to_report_options(flags));
    CUSET_ASSIGN(const auto report, make_report(counted, verdicts, setting, options));
    CUSET_ASSIGN(const std::size_t unjudged, warn_of_unjudged(report, verdicts));
    CUSET_TRY(out.write(flags.json ? to_json(report) : to_text(report)));
    if (!flags.junit.empty())
        CUSET_TRY(write_whole_file(flags.junit, to_junit(report, counted, verdicts, options)));
    CUSET_TRY(out.finish());
    return unjudged;
}

}  // namespace cuset
