// Verdicts on the disk: what was judged is not judged again.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/judge/verdict.h"
#include "cuset/stream/line_log.h"

namespace cuset {

/// A file of verdicts that grows.
class verdict_log {
public:
    /// Errors as line_log::open, and a data error for a line that is no verdict.
    static result<verdict_log> open(const std::string& path);

    /// The last verdict on a candidate with this key; null where there is none, or one that was the
    /// evaluator's fault.
    const verdict* find(const std::string& task, std::uint64_t sample, const digest& key) const;

    status append(const verdict& v) { return file_.append(to_line(v)); }
    status sync() { return file_.sync(); }

private:
    verdict_log(line_log file, std::unordered_map<std::string, verdict> last)
        : file_(std::move(file)), last_(std::move(last)) {}

    line_log file_;
    std::unordered_map<std::string, verdict> last_;
};

/// Verdicts of finished evaluations, the parts of a sharded one among them. Of several on one
/// candidate the last counts. A data error where they do not share their setting.
result<std::vector<verdict>> read_verdicts(const std::vector<std::string>& paths);

}  // namespace cuset
