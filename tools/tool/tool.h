// What the tools share, from the command line to the exit code. Only tools print.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/cli/option_table.h"
#include "cuset/stream/record_filter.h"

namespace cuset {

/// A program with the version and the common options filled in; add the tool's own options first.
program new_program(std::string name, std::string summary);

/// Which fields of a record hold the pair.
struct field_flags {
    std::string prompt, response;                ///< --prompt-field, --response-field
    std::string data_set;                        ///< --columns
    std::optional<record_columns> columns = {};  ///< of data_set, once read() is called

    /// Reads the data set's columns, if one is named. Tools call it in tool_body::prepare.
    status read();
    void put_into(record_options& wanted) const;
};

/// Appends --prompt-field, --response-field and --columns, for tools that read pairs.
void add_field_flags(program& p, field_flags& flags);
/// --columns alone.
void add_columns_flag(program& p, field_flags& flags);

/// Translates the common flags into options of lib/stream. Without a form the stream has no output.
output_options to_output_options(const stream_flags& flags, output_form form);
stream_options to_stream_options(const stream_flags& flags, std::optional<output_form> form = {});

/// Splits an option's value, such as flags of a compiler, into words at blanks.
std::vector<std::string> words_at_blanks(const std::string& text);

/// A file with two roles would lose one of its texts. `written` has pairs of an option and its
/// path, `read` the paths of the inputs; an empty path is none. A usage error names the first two
/// that are one file.
status check_written_files(const std::vector<std::pair<std::string, std::string>>& written,
                           const std::vector<std::string>& read);

/// The form of a tool's output, and its work.
struct tool_body {
    /// The form of the output; it is asked even if the command line is wrong.
    std::function<output_form()> form = [] { return output_form::records; };
    std::function<result<stream_summary>()> run;
    /// Whether nothing is written while progress is shown, so that both cannot mix on a terminal.
    bool writes_at_end = false;
    /// Completes the flags once they are parsed. It reads no stream; its error counts like that of
    /// a wrong command line.
    std::function<status()> prepare = [] { return status(); };
};

/// Parses the command line, runs the body, reports on stderr, and returns the exit code
/// (ARCHITECTURE.md, Streams and records). If the command line is wrong, a stream of records on
/// standard output ends in an open frame, as after any failure of a tool. If the reader of the
/// output has gone, the process ends by SIGPIPE instead.
int run_tool(program& p, stream_flags& flags, int argc, char** argv, const tool_body& body);

}  // namespace cuset
