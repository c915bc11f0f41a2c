// The user's turn behind an answer that failed: what is wrong with it, and the wish for another.
#pragma once

#include <string>
#include <utility>

#include "cuset/ask/task_ask.h"
#include "cuset/base/status.h"
#include "cuset/judge/candidate.h"
#include "cuset/judge/verdict.h"

namespace cuset {

class feedback {
public:
    /// Reads a feedback file: an ask file (cuset-ask(5)) with one message, the user's, whose places
    /// are {report} (summary and details), {summary}, {details}, {failure}, {stage}, {diagnostic}
    /// and {compiler}. An empty path stands for the built-in text. Errors are those of
    /// task_ask::open, and a data error for another message and for a place that is none of these.
    static result<feedback> open(const std::string& path);

    /// The text about an answer and its verdict: see failure_report.h. The summary where the form
    /// makes an empty text.
    result<std::string> about(const candidate& c, const verdict& v) const;

private:
    feedback(task_ask form, std::string path) : form_(std::move(form)), path_(std::move(path)) {}
    task_ask form_;
    std::string path_;
};

}  // namespace cuset
