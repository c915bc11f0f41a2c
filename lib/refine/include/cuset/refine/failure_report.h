// What went wrong in an answer, said so that its author can mend it.
#pragma once

#include <string>
#include <string_view>

#include "cuset/judge/candidate.h"
#include "cuset/judge/verdict.h"

namespace cuset {

/// Whether an answer with this verdict can be asked about: it failed, by a fault of its own. What
/// the backend does not model, and faults of the evaluator, are none.
bool can_be_mended(const verdict& v);

/// One sentence that says how far the answer came and what is wrong: "The program runs, and its
/// results are wrong."
std::string summary_of(const verdict& v);

/// The first errors of the compiler with their lines of source, or the findings of a run (at most
/// three), or the verdict's diagnostic. Lines of the program that a message names follow it
/// ("  line 12: counts[b]++;"), if it is sure that they are the program's: not of a test's file or
/// a header, nor of an answer with several files or blocks. At most some 2 KiB; empty if the
/// verdict says nothing.
std::string details_of(const verdict& v, const candidate& c);

}  // namespace cuset
