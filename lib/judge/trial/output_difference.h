// Where a program's output differs from its reference, for people and models who mend it. It
// decides nothing: compare.py has its own idea of equal. Private to lib/judge.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cuset/judge/task.h"
#include "cuset/judge/task_data.h"

namespace cuset {

/// The first output in `folder` with an element that differs: "y[5] is 3, the reference has 4 (10
/// of 1024 elements differ)". Floating-point numbers differ where they are more than 1e-3 (1 +
/// |reference|) apart, since rounding is no mistake. If no element of any output is, the text has
/// the largest distance in an output.
///
/// An output's reference is the only file of its size among the references, if it is the only
/// output of that size. Where there is one of each and their sizes differ, the text has the sizes.
/// Empty if nothing can be said: the task gives no dtype, no element differs, or the reference is
/// not known.
std::string describe_difference(const task& t, const std::vector<data_file>& references,
                                const std::filesystem::path& folder);

}  // namespace cuset
