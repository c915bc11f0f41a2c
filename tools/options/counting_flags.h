// The options that say how verdicts are counted and reported, and the report on one evaluation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/cli/option_table.h"
#include "cuset/judge/report.h"
#include "cuset/judge/task.h"
#include "cuset/stream/output.h"

namespace cuset {

struct counting_flags {
    std::int64_t samples = 0;
    std::int64_t seed = 42;
    std::string leave_out, pass_at;
    bool json = false;
    std::string junit;
};

/// Appends --samples, --pass-at, --seed, whose help is `seed_help`, --leave-out, --json and
/// --junit.
void add_counting_flags(program& p, counting_flags& flags, std::string seed_help);

/// A usage error for a --pass-at that is no list.
status check(const counting_flags& flags);

/// Reads the file of --leave-out, and the numbers of --pass-at.
result<report_options> to_report_options(const counting_flags& flags);

/// Warns of each number of --pass-at above the number of samples.
void tell_too_large(const std::vector<std::size_t>& pass_at, std::size_t samples);

/// The tasks of the shard.
std::vector<counted_task> counted_tasks(const stream_flags& flags, const task_set& tasks);

/// Writes the report on verdicts of one setting. Returns the number of candidates that could not be
/// judged, with warnings of them: see warn_of_unjudged.
result<std::size_t> write_report(const counting_flags& flags,
                                 const std::vector<counted_task>& counted,
                                 const std::vector<verdict>& verdicts,
                                 const evaluation_setting& setting, output& out);

}  // namespace cuset
