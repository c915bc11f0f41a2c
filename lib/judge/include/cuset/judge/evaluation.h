// All candidates of a stream to their verdicts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/judge/judge.h"
#include "cuset/judge/task.h"
#include "cuset/judge/verdict.h"

namespace cuset {

struct evaluation_options {
    std::vector<std::string> inputs;  ///< paths; "-" is standard input; none means that too
    int threads = 0;                  ///< candidates at work at a time; 0 = all cores
    bool skip_errors = false;         ///< bad lines go to `rejects`; else the first one is the end
    std::string rejects;
    std::uint64_t shard_index = 0, shard_count = 1;
    std::string verdicts;  ///< a verdict_log; empty: none is kept
};

struct evaluation {
    std::vector<verdict> verdicts;            ///< in no order
    std::uint64_t records = 0, rejected = 0;  ///< lines of this shard
    std::uint64_t judged = 0;                 ///< the other verdicts stood in the log
};

/// Judges candidates as they come, several at a time. A line that is no candidate, is one of a task
/// that `tasks` does not have, or one that was there before, is a bad line. Where an error ends the
/// evaluation, the verdicts up to there are in the log.
result<evaluation> evaluate(const evaluation_options& options, const judge& judging,
                            const task_set& tasks);

}  // namespace cuset
