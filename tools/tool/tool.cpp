#include "tool.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <sstream>

#include "cuset/base/log.h"
#include "cuset/base/visible_text.h"
#include "cuset/stream/output_file.h"
#include "cuset_version.h"

namespace cuset {
namespace {

std::string tool_name;
bool is_quiet = false;
bool output_is_on_terminal = false;  // lines appear as they are made, and show how far it is
bool progress_is_shown = false;      // a line without its newline stands on the terminal

void print_line(std::string_view text) {
    // One write for each line: tools in a pipe share the terminal.
    std::string line = progress_is_shown ? "\r\x1b[K" : "";
    progress_is_shown = false;
    line += tool_name;
    line += ": ";
    line += visible_text(text);  // names of files and records may hold anything
    line += '\n';
    static_cast<void>(write_all(STDERR_FILENO, line, "stderr"));
}

void print_progress(std::string_view text) {
    static const bool terminal = ::isatty(STDERR_FILENO) == 1;
    if (terminal && output_is_on_terminal) return;
    if (!terminal) {
        using clock = std::chrono::steady_clock;
        static clock::time_point last = clock::now();
        if (clock::now() - last < std::chrono::seconds(30)) return;
        last = clock::now();
        print_line(text);
        return;
    }
    const std::string line = "\r" + tool_name + ": " + std::string(text) + "\x1b[K";
    static_cast<void>(write_all(STDERR_FILENO, line, "stderr"));
    progress_is_shown = true;
}

void print_message(log_level level, std::string_view message) {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    if (level == log_level::warning) {
        print_line(message);
    } else if (!is_quiet) {
        level == log_level::note ? print_line(message) : print_progress(message);
    }
}

// Without stderr, the first file that the process opens would become descriptor 2, and receive
// messages. Placeholders take the low numbers. They are open in the wrong direction, so that using
// one fails.
void reserve_standard_descriptors() {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(fd, F_GETFD) < 0)
            static_cast<void>(::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

// Writes a text that is not the tool's stream (--help and the like) to standard output.
int print_text(const std::string& text) {
    if (const status written = write_all(STDOUT_FILENO, text, "standard output"); !written) {
        print_line(written.message());
        return exit_code(written.kind());
    }
    return 0;
}

int report(const status& error) {
    if (error.kind() == error_kind::closed_pipe) {
        ::signal(SIGPIPE, SIG_DFL);
        ::raise(SIGPIPE);
    }
    print_line(error.message());
    return exit_code(error.kind());
}

}  // namespace

program new_program(std::string name, std::string summary) {
    program p;
    p.name = std::move(name);
    p.summary = std::move(summary);
    p.version = version_number;
    return p;
}

status field_flags::read() {
    if (data_set.empty()) return {};
    CUSET_ASSIGN(columns, read_record_columns(data_set));
    return {};
}

void field_flags::put_into(record_options& wanted) const {
    wanted.prompt_field = prompt;
    wanted.response_field = response;
    wanted.columns = columns;
}

void add_columns_flag(program& p, field_flags& flags) {
    p.add({
        {0, "columns", "FILE:NAME",
         "Read the fields that LLaMA-Factory's FILE, a dataset_info.json, names as columns of the "
         "data set NAME, with the roles of its tags. As there, columns and tags that are given "
         "replace all defaults. Formatting alpaca and sharegpt; a record that uses other columns "
         "(tools, images, videos, ...) or roles (calls of tools) is bad. The records are those of "
         "the command line: file_name, split and the like are not looked at.",
         &flags.data_set},
    });
}

void add_field_flags(program& p, field_flags& flags) {
    p.add({
        {0, "prompt-field", "NAME",
         "The top-level field that holds the prompt. Records are then prompt and response, also "
         "where they have a conversation.",
         &flags.prompt},
        {0, "response-field", "NAME", "The top-level field that holds the response.",
         &flags.response},
    });
    add_columns_flag(p, flags);
}

output_options to_output_options(const stream_flags& flags, output_form form) {
    return {.path = flags.output,
            .form = form,
            .plain = flags.plain,
            .compression_level = static_cast<int>(flags.level)};
}

stream_options to_stream_options(const stream_flags& flags, std::optional<output_form> form) {
    stream_options options;
    options.inputs = flags.files;
    if (form) options.output = to_output_options(flags, *form);
    options.threads = static_cast<int>(flags.threads);
    options.skip_errors = flags.on_error == "skip";
    options.rejects = flags.rejects;
    options.shard_index = flags.shard_index;
    options.shard_count = flags.shard_count;
    return options;
}

std::vector<std::string> words_at_blanks(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    return words;
}

status check_written_files(const std::vector<std::pair<std::string, std::string>>& written,
                           const std::vector<std::string>& read) {
    for (const auto& [option, path] : written)
        for (const auto& input : read)
            if (!path.empty() && identify(path).is_same_file(identify(input)))
                return usage_error(option + " and the input " + input + " are the same file");
    for (auto a = written.begin(); a != written.end(); ++a)
        for (auto b = a + 1; b != written.end(); ++b)
            if (!a->second.empty() && !b->second.empty() &&
                (a->second == b->second || identify(a->second).is_same_file(identify(b->second))))
                return usage_error(a->first + " and " + b->first + " are the same file");
    return {};
}

namespace {

// Whether a command line that could not be parsed asks for records on standard output as zstd.
bool wants_frame(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "--plain" || word.starts_with("-o") || word.starts_with("--output"))
            return false;
    }
    return true;
}

}  // namespace

int run_tool(program& p, stream_flags& flags, int argc, char** argv, const tool_body& body) {
    reserve_standard_descriptors();
    tool_name = p.name;
    set_log_sink(print_message);
    auto parsed = parse(p, argc, argv);
    if (parsed && parsed.value()) return print_text(*parsed.value());
    status checked = check(flags);
    if (parsed && checked) checked = body.prepare();
    if (!parsed || !checked) {
        // No record was read, but the next tool in the pipe must not take that for a good end.
        // A file that has something in it already may be an input (>>).
        struct stat info {};
        const bool is_written = ::fstat(STDOUT_FILENO, &info) == 0 && info.st_size > 0;
        if (flags.output == "-" && !is_written && (parsed || wants_frame(argc, argv)))
            static_cast<void>(output::open(to_output_options(flags, body.form())));
        return report(parsed ? checked : parsed.error());
    }
    is_quiet = flags.quiet;
    output_is_on_terminal =
        !body.writes_at_end && flags.output == "-" && ::isatty(STDOUT_FILENO) == 1;

    const auto summary = body.run();
    if (!summary) return report(summary.error());
    if (progress_is_shown) static_cast<void>(write_all(STDERR_FILENO, "\r\x1b[K", "stderr"));
    progress_is_shown = false;
    if (summary->rejected == 0) return 0;
    print_line(std::to_string(summary->rejected) + " of " + std::to_string(summary->records) +
               " records rejected, written to " + flags.rejects);
    return 3;
}

}  // namespace cuset
