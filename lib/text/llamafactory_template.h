// LLaMA-Factory's chat templates. Private to lib/text.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/text/chat_template.h"

namespace cuset {

/// Whether a template is one of LLaMA-Factory's.
bool is_of_llamafactory(chat_template_kind kind);

/// "lf:qwen3"
std::string_view llamafactory_name(chat_template_kind kind);

/// Renders as chat_template::render() says; the messages have been checked.
rendered_chat render_of_llamafactory(chat_template_kind kind,
                                     std::span<const chat_message> messages,
                                     std::optional<std::string_view> response);

}  // namespace cuset
