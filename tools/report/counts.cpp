#include "counts.h"

#include <string>
#include <vector>

#include "cuset/judge/count_scores.h"
#include "cuset/judge/verdict_log.h"
#include "cuset/stream/pair_record.h"

namespace cuset {

status report_counts(const report_flags& flags, output& out) {
    const auto& files = flags.stream.files;
    CUSET_ASSIGN(auto verdicts,
                 read_verdicts(files.empty() ? std::vector<std::string>{"-"} : files));
    std::erase_if(verdicts, [&](const verdict& v) {
        return !is_in_shard(v.task, flags.stream.shard_index, flags.stream.shard_count);
    });
    const auto scores = score_counts(verdicts);
    if (scores.empty())
        return data_error("no verdict is on a task whose answer is a number: see cuset-tasks(5)");
    CUSET_TRY(out.write(to_table(scores)));
    return out.finish();
}

}  // namespace cuset
