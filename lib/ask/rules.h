// The system turns of the built-in conversations: the files of rules/, embedded by cuset_embed().
#pragma once

#include <string_view>

namespace cuset {

extern const std::string_view cudabench_md, computeeval_md, counting_md, harness_md, kernelbench_md;

}  // namespace cuset
