// Judges all candidates of a stream.
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
    std::vector<verdict> verdicts;            ///< in any order
    std::uint64_t records = 0, rejected = 0;  ///< lines of this shard
    std::uint64_t judged = 0;                 ///< the other verdicts were in the log already
};

/// Judges candidates as they are read, several at a time. A line is bad if it is no candidate, if
/// `tasks` does not have its task, or if the same candidate came before. If an error ends the
/// evaluation, the log has the verdicts up to there: it is a verdict_log in the file `verdicts`, or
/// none if that is empty. At a good end, each candidate has one verdict in it, the last. At most as
/// many candidates are judged at a time as `stream` has threads.
result<evaluation> evaluate(stream_options stream, const std::string& verdicts,
                            const judge& judging, const task_set& tasks);

}  // namespace cuset
