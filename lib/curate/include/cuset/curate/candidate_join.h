// Joins candidates with their tasks and verdicts to pairs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuset/ask/task_ask.h"
#include "cuset/base/status.h"
#include "cuset/curate/curation.h"

namespace cuset {

/// How far a candidate must have come.
enum class wanted_stage : std::uint8_t { compiled, ran, correct, checked };

struct join_options {
    std::string tasks;                  ///< a file
    std::vector<std::string> verdicts;  ///< files, the parts of one evaluation; none: all may stay
    wanted_stage stage = wanted_stage::correct;
    ask_options ask;
};

class candidate_join {
public:
    /// Reads tasks and verdicts, and asks each task. A usage error if the verdicts cannot tell the
    /// stage: `checked` needs those of cuset-eval --check, and all but `compiled` those of programs
    /// that ran.
    static result<candidate_join> open(join_options options);
    candidate_join(candidate_join&&) noexcept;
    candidate_join& operator=(candidate_join&&) noexcept;
    ~candidate_join();

    /// The pairs of a line of candidates, each {"id":"16/0","task":16,"sample":0,"family":"…",
    /// "system":"…","prompt":"…","response":"…", …}: the other members of the candidate's record
    /// follow as they were, or not at all if the line has several candidates. A conversation of
    /// several turns is "messages" instead, and so is that of a later turn's answer ("turn"), whose
    /// own record says what was asked. Threads may share the object.
    status make(const curation_line& l, std::vector<made_pair>& pairs) const;

private:
    struct state;
    explicit candidate_join(std::unique_ptr<const state> s);
    std::unique_ptr<const state> state_;
};

/// Writes a conversation without its answer as members of a record, each with a comma behind it:
/// "system" and "prompt" if it has one question, else "messages" with `response` as the last turn.
/// Returns whether the response is in them.
bool append_question(const std::vector<chat_turn>& conversation, const std::string& response,
                     std::string& members);

}  // namespace cuset
