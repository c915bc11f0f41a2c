// Verdicts on the disk: what was judged once is not judged again.
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

/// A growing file of verdicts.
class verdict_log {
public:
    /// Errors are those of line_log::open, a data error for a line that is no verdict, and a usage
    /// error for a verdict of another protocol or number of inputs than `setting` has: such
    /// verdicts are not to stand in one file.
    static result<verdict_log> open(const std::string& path, const evaluation_setting& setting);

    /// The last verdict on a candidate with this key; null if there is none, or if the evaluator
    /// was at fault.
    const verdict* find(const std::string& task, std::uint64_t sample, const digest& key) const;

    /// Whether there is a verdict on this sample of the task, with whatever key, that no fault of
    /// the evaluator made.
    bool has(const std::string& task, std::uint64_t sample) const;

    status append(const verdict& v);
    const std::string& path() const { return path_; }
    status sync() { return file_.sync(); }
    /// Removes the verdicts that later ones on the same candidates have replaced; the file is
    /// written anew, whole or not at all. Nothing may be appended after it.
    status remove_replaced();

private:
    verdict_log(line_log file, std::string path, std::unordered_map<std::string, verdict> last,
                std::size_t replaced)
        : file_(std::move(file)),
          path_(std::move(path)),
          last_(std::move(last)),
          replaced_(replaced) {}

    line_log file_;
    std::string path_;
    std::unordered_map<std::string, verdict> last_;  // as the file was when it was opened
    std::size_t replaced_ = 0;                       // lines that later ones have replaced
};

/// The verdicts of a finished evaluation, or of the parts of a sharded one. If a candidate has
/// several in a file, the last counts. A data error if they do not share their setting; a usage
/// error if two files have a candidate: the parts of a sharded evaluation share none.
result<std::vector<verdict>> read_verdicts(const std::vector<std::string>& paths);

}  // namespace cuset
