// A candidate and its verdict as an answer of the page.
#pragma once

#include "cuset/judge/candidate.h"
#include "cuset/judge/task.h"
#include "cuset/judge/verdict.h"
#include "cuset/stream/pair_record.h"
#include "cuset/syntax/program_text.h"
#include "cuset/view/report_page.h"

namespace cuset {

/// The answer without its family. `v` is null if there is no verdict; `rule` is that of the others.
/// Each message stands with the file that it names; what the compiler notes of files that are not
/// the answer's is only in what it said in all.
judged_answer answer_of(const candidate& c, const task& t, const verdict* v, protocol rule,
                        fence_choice fence);

/// The same for a verdict whose candidate is not there, which still tells what went wrong.
judged_answer answer_without_text(const verdict& v);

/// Adds the confidences of the candidate's tokens, if there are any.
void add_scores(const candidate& c, const pair_record& scores, judged_answer& out);

}  // namespace cuset
