#include "costs.h"

#include <string>
#include <vector>

#include "cuset/base/visible_text.h"
#include "cuset/judge/verdict_log.h"
#include "cuset/stream/pair_record.h"

namespace cuset {

status report_costs(const report_flags& flags, output& out) {
    const auto& files = flags.stream.files;
    CUSET_ASSIGN(const auto verdicts,
                 read_verdicts(files.empty() ? std::vector<std::string>{"-"} : files));
    std::string text = "task\tsample\t" + std::string(cost_columns) + '\n';
    bool any = false;
    for (const verdict& v : verdicts) {
        if (v.cost.kernels.empty() ||
            !is_in_shard(v.task, flags.stream.shard_index, flags.stream.shard_count))
            continue;
        any = true;
        text += visible_text(v.task) + '\t' + std::to_string(v.sample) + '\t';
        text += cost_line(v.cost) + '\n';
    }
    if (!any)
        return data_error("no verdict has a cost: cuset-eval --count counts what passes");
    CUSET_TRY(out.write(text));
    return out.finish();
}

}  // namespace cuset
