// What the tools share: the way from a command line to an exit code. Only tools print.
#pragma once

#include <functional>
#include <string>

#include "cuset/base/status.h"
#include "cuset/cli/option_table.h"
#include "cuset/stream/record_filter.h"

namespace cuset {

/// A program with the version and the common options filled in; add the tool's own to it first.
program new_program(std::string name, std::string summary);

/// The common flags in the stream layer's terms.
stream_options to_stream_options(const stream_flags& flags, output_form form);

/// Parses the command line, runs `body`, reports on stderr, and returns the exit code (DESIGN §1).
/// Where whoever read our output has gone, it ends by SIGPIPE instead.
int run_tool(program& p, stream_flags& flags, int argc, char** argv,
             const std::function<result<stream_summary>()>& body);

}  // namespace cuset
