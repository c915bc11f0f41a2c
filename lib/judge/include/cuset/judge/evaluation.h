// All candidates of a stream to their verdicts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/judge/judge.h"
#include "cuset/judge/task.h"
#include "cuset/judge/verdict.h"
#include "cuset/stream/stream_options.h"

namespace cuset {

struct evaluation {
    std::vector<verdict> verdicts;            ///< in no order
    std::uint64_t records = 0, rejected = 0;  ///< lines of this shard
    std::uint64_t judged = 0;                 ///< the other verdicts stood in the log
};

/// Judges candidates as they come, several at a time. A line that is no candidate, is one of a task
/// that `tasks` does not have, or one that was there before, is a bad line. Where an error ends the
/// evaluation, the verdicts up to there are in the log: a verdict_log in the file `verdicts`, none
/// where that is empty. As many candidates are at work as `stream` has threads.
result<evaluation> evaluate(stream_options stream, const std::string& verdicts,
                            const judge& judging, const task_set& tasks);

}  // namespace cuset
