// One candidate as the judge sees it: its verdict, the program that was taken from its answer, and
// what the compiler said.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cuset/base/status.h"
#include "cuset/judge/candidate.h"
#include "cuset/judge/task.h"
#include "cuset/judge/verdict.h"
#include "cuset/stream/stream_options.h"
#include "cuset/syntax/program_text.h"

namespace cuset {

struct candidate_name {
    std::string task;
    std::uint64_t sample = 0;
};

/// Splits "TASK/SAMPLE" at the last slash. A usage error if there is none, or no number behind it.
result<candidate_name> read_candidate_name(const std::string& text);

/// A candidate and its task.
struct shown_candidate {
    task asked;
    candidate answer;
};

/// The first candidate of this name in the stream, whose bad lines are treated as its options say,
/// and its task in the file `tasks`. A data error if one of them has none.
result<shown_candidate> find_candidate(const candidate_name& name, const std::string& tasks,
                                       stream_options candidates);

/// The verdict on the candidate in a file of verdicts, if there is one.
result<std::optional<verdict>> verdict_on(const candidate& c, const std::string& verdicts);

/// The text for people; what others wrote is shown as visible_text. `fence` is the choice that the
/// verdict was made with.
std::string to_text(const shown_candidate& shown, const verdict& v, fence_choice fence);

}  // namespace cuset
