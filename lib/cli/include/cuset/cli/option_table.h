// One table of options for each tool. The parser, help text, man page and completions are made from
// it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cuset/base/status.h"

namespace cuset {

/// The limits of an integer, inclusive.
struct integer_limits {
    std::int64_t least = 0, most = INT64_MAX;
};
inline integer_limits between(std::int64_t least, std::int64_t most) { return {least, most}; }

/// The only words that an option accepts.
using word_list = std::vector<std::string>;
template <class... Words>
word_list one_of(const Words&... words) {
    return {words...};
}

/// A path, which a shell can complete.
enum class value_kind : unsigned char { file, folder };

struct option {
    char letter = 0;      ///< 0: no short form
    std::string name;     ///< long form without its dashes
    std::string metavar;  ///< what help calls the value; empty for a flag
    std::string help;     ///< one or more sentences, without the default
    /// Receives the value; its content before parsing is the default. A vector receives the values
    /// of every time that the option is given; of all others the last counts.
    std::variant<bool*, std::int64_t*, double*, std::string*, std::vector<std::string>*> target;
    /// What the value may be. The default limits an integer, and nothing else.
    std::variant<integer_limits, word_list, value_kind> values = {};
    /// Other long forms of exactly the same meaning, such as the names of a program that users
    /// come from. Help names them; completions do not.
    std::vector<std::string> aliases = {};

    /// Null if the value need not be one of some words.
    const word_list* words() const { return std::get_if<word_list>(&values); }
    bool is_path(value_kind kind) const {
        const auto* path = std::get_if<value_kind>(&values);
        return path && *path == kind;
    }
};

struct example {
    std::string command;  ///< runs as it is in a shell with the tools on PATH (a test does)
    std::string meaning;
};

struct exit_meaning {
    int code;
    std::string meaning;
};

struct program {
    std::string name;
    std::string summary;                   ///< one line, lower case, no full stop
    std::vector<std::string> description;  ///< paragraphs
    std::vector<option> options;
    /// Receives the operands (input files). Null: the program takes none.
    std::vector<std::string>* files = nullptr;
    std::string operands = "[FILE]...";  ///< what help calls them
    /// Receives the words behind "--", which are another program's. Null: there they are operands.
    std::vector<std::string>* arguments = nullptr;
    std::vector<exit_meaning> exit_codes;
    std::vector<std::pair<std::string, std::string>> environment;  ///< variable, meaning
    std::vector<example> examples;
    std::vector<std::string> see_also;  ///< man pages, of section 1 where none is told: "bwrap(1)"
    std::string version;                ///< the number alone
    std::string (*build_details)() = nullptr;  ///< more lines for -V
    /// The target of the option that names a config file, and its reader, which gives option words
    /// ("--lr=1e-4"). They stand before those of the command line, so that the latter win. Null:
    /// there is no such option.
    const std::string* config = nullptr;
    std::function<result<std::vector<std::string>>(const program&, const std::string& path)>
        read_config = {};

    void add(const std::vector<option>& more) {
        options.insert(options.end(), more.begin(), more.end());
    }
    /// The option with this long form or alias; null if there is none.
    option* find(std::string_view name);
    const option* find(std::string_view name) const;
};

/// Splits a text at its blank lines; within a paragraph, a line's end becomes a blank.
std::vector<std::string> paragraphs(std::string_view text);

/// Checks the text of an option's value, which is no flag, as the parser does. The message does not
/// name the option.
status check_value(const option& o, const std::string& text);

/// Parses the command line into the options' targets. A returned text is to be printed on standard
/// output, with exit code 0 (-h, --help, --version, -V, --generate). No text: continue. A usage
/// error names the option.
result<std::optional<std::string>> parse(program& p, int argc, const char* const* argv);

/// The text of --help: everything, in lines of at most `width` characters where words allow it.
std::string help_text(const program& p, std::size_t width);

/// The text of -h: an option a line, with the first sentence of its help and its default.
std::string short_help_text(const program& p, std::size_t width);

std::string man_page(const program& p);
std::string bash_completion(const program& p);
std::string zsh_completion(const program& p);
std::string fish_completion(const program& p);

/// The values of the options that every record tool has (ARCHITECTURE.md, Streams and records).
struct stream_flags {
    std::string output = "-";
    std::int64_t threads = 0;
    std::int64_t level = 3;
    bool quiet = false;
    bool plain = false;
    std::string on_error = "stop";
    std::string rejects;
    /// The texts of --rejects and --shard, for a tool that does more with them. With a text of its
    /// own, --rejects has a meaning without --on-error=skip.
    std::string rejects_text = {}, shard_text = {};
    std::string shard = "0/1";
    std::vector<std::string> files;

    std::uint64_t shard_index = 0, shard_count = 1;  ///< check() reads them from `shard`
};

/// Appends the common options, exit codes and environment variables to the program's tables.
void add_stream_flags(program& p, stream_flags& flags);

/// Appends the options for reading alone, for a tool that reads records and writes none.
void add_input_flags(program& p, stream_flags& flags);

/// Checks what the parser cannot (--shard I/N, --rejects with --on-error=skip) and reads
/// CUSET_PLAIN.
status check(stream_flags& flags);

}  // namespace cuset
