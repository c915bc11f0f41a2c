// What the tools share: the way from a command line to an exit code. Only tools print.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cuset/base/status.h"
#include "cuset/cli/option_table.h"
#include "cuset/stream/record_filter.h"

namespace cuset {

/// A program with the version and the common options filled in; add the tool's own to it first.
program new_program(std::string name, std::string summary);

/// The common flags in the stream layer's terms. Without a form the stream has no output.
output_options to_output_options(const stream_flags& flags, output_form form);
stream_options to_stream_options(const stream_flags& flags, std::optional<output_form> form = {});

/// What a record tool writes and does.
struct tool_body {
    /// What the output is; asked also where the command line is wrong.
    std::function<output_form()> form = [] { return output_form::records; };
    std::function<result<stream_summary>()> run;
    /// Nothing is written while progress is shown: it cannot run into the output on a terminal.
    bool writes_at_end = false;
};

/// Parses the command line, runs the body, reports on stderr, and returns the exit code (DESIGN
/// §1). Where the command line is wrong, a stream of records on standard output is left as an open
/// frame, as everywhere that a tool fails. Where whoever read our output has gone, it ends by
/// SIGPIPE instead.
int run_tool(program& p, stream_flags& flags, int argc, char** argv, const tool_body& body);

}  // namespace cuset
