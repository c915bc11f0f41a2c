// Other inputs from a task's gen.py: a start file for its interpreter, which changes all seeds.
// Private to lib/judge.
#pragma once

namespace cuset {

/// The variable that tells the sets of inputs apart: any text.
inline constexpr const char* inputs_variable = "CUSET_INPUTS";

}  // namespace cuset
