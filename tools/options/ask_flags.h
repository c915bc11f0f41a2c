// The options that say how a task is asked, of the tools that show prompts to a model.
#pragma once

#include <cstdint>
#include <string>

#include "cuset/ask/task_ask.h"
#include "cuset/cli/option_table.h"
#include "tool.h"

namespace cuset {

struct ask_flags {
    std::string ask = "auto";
    std::int64_t level = 1;
    std::string system, gpu;
    bool show = false;
};

/// Appends --ask, --level, --system, --gpu and --show.
void add_ask_flags(program& p, ask_flags& flags);

/// Reads the file of --system.
result<ask_options> to_ask_options(const ask_flags& flags, const field_flags& fields);

/// --show: writes the conversation of the input's first task to `path`, "-" for standard output,
/// and the assistant's turn if the tool reads responses. `wanted`: what it reads of a record. A
/// data error if there is no record.
result<stream_summary> show_first(const stream_flags& flags, const std::string& path,
                                  record_options wanted, const ask_options& options);

}  // namespace cuset
