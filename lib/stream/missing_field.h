// What is said of a record that lacks a field. Private to lib/stream.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"

namespace cuset {

/// The keys of a line's object in their order, each once, without those of null; none if it cannot
/// be read. `line` has line_padding readable bytes behind it.
std::vector<std::string> top_level_keys(std::string_view line);

/// A data error: «"response" is missing; there are "id", "question", "answer" (--response-field
/// names another)». `option` is left out where it is empty, as are the fields where there are none.
status missing_field(std::string_view field, const std::vector<std::string>& there,
                     std::string_view option);

}  // namespace cuset
