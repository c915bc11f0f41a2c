// How a library tells a person something that is not an error: through a sink that the program
// installs. Without a sink, messages are dropped.
#pragma once

#include <string_view>

namespace cuset {

enum class log_level : unsigned char {
    warning,   ///< shown always, also with -q
    note,      ///< one line now and then; silenced by -q
    progress,  ///< overwrites itself on a terminal; silenced by -q
};

/// Any thread may call a sink, and calls may overlap: the sink has to lock.
using log_sink = void (*)(log_level, std::string_view message);

/// Installs the sink (null: none). Call before any thread starts.
void set_log_sink(log_sink sink);
void log(log_level level, std::string_view message);

}  // namespace cuset
