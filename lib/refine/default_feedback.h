// The text of default_feedback.ask, embedded by cuset_embed().
#pragma once

#include <string_view>

namespace cuset {

extern const std::string_view default_feedback_ask;

}  // namespace cuset
