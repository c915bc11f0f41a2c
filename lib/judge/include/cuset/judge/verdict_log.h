// Verdicts on the disk: what was judged is not judged again.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cuset/base/fd.h"
#include "cuset/base/status.h"
#include "cuset/judge/verdict.h"

namespace cuset {

/// A file of verdicts that grows. One process at a time has it.
class verdict_log {
public:
    /// Makes the file where it is missing. The end of a line that was cut off (a killed evaluation)
    /// is removed. A data error for a line that is no verdict; error_kind::usage where another
    /// process has the file, or where it is compressed.
    static result<verdict_log> open(const std::string& path);

    /// The last verdict on a candidate with this key; null where there is none, or one that was the
    /// evaluator's fault.
    const verdict* find(const std::string& task, std::uint64_t sample, std::uint64_t key) const;

    /// Writes it at once; a later open finds it.
    status append(const verdict& v);
    /// Makes what was written last through a crash of the machine.
    status sync();

private:
    verdict_log() = default;
    unique_fd file_;
    std::string name_;
    std::unordered_map<std::string, verdict> last_;
};

/// Verdicts of finished evaluations, the parts of a sharded one among them. Of several on one
/// candidate the last counts. A data error where they do not share their setting.
result<std::vector<verdict>> read_verdicts(const std::vector<std::string>& paths);

}  // namespace cuset
