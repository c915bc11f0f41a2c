#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "cuset/cli/option_table.h"
#include "cuset/cli/suggestion.h"

namespace cuset {
namespace {

struct built_in_flags {
    bool help = false, short_help = false, version = false, details = false;
    std::string generate;
};

bool is_called(const option& o, std::string_view name) {
    return o.name == name || std::find(o.aliases.begin(), o.aliases.end(), name) != o.aliases.end();
}

std::string joined(const word_list& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

void add_to(CLI::App& app, option& o) {
    std::string names = "--" + o.name;
    if (o.letter) names.insert(0, std::string("-") + o.letter + ',');
    for (const std::string& alias : o.aliases) names += ",--" + alias;
    CLI::Option* added = nullptr;
    if (auto* flag = std::get_if<bool*>(&o.target)) {
        app.add_flag(names, **flag)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
        return;
    }
    if (auto* integer = std::get_if<std::int64_t*>(&o.target)) {
        // Not CLI11's own conversion, which reads 010 as octal. The check has seen the text.
        added = app.add_option_function<std::string>(names, [integer](const std::string& text) {
            std::from_chars(text.data(), text.data() + text.size(), **integer);
        });
    } else if (auto* number = std::get_if<double*>(&o.target)) {
        added = app.add_option(names, **number);
    } else {
        auto* all = std::get_if<std::vector<std::string>*>(&o.target);
        added = all ? app.add_option(names, **all)->allow_extra_args(false)
                    : app.add_option(names, *std::get<std::string*>(o.target));
    }
    added->check([&o](const std::string& text) {
        const status good = check_value(o, text);
        return good ? std::string() : good.message();
    });
    // The last value counts, so that a user can override a script's default.
    added->multi_option_policy(std::holds_alternative<std::vector<std::string>*>(o.target)
                                   ? CLI::MultiOptionPolicy::TakeAll
                                   : CLI::MultiOptionPolicy::TakeLast);
}

std::string one_line(std::string text) {
    for (char& c : text)
        if (c == '\n') c = ' ';
    return text;
}

// The width of help: that of the terminal within reason, and the same for every file and pipe.
std::size_t text_width() {
    winsize size{};
    if (::isatty(STDOUT_FILENO) != 1 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 ||
        size.ws_col == 0)
        return 90;
    return std::clamp<std::size_t>(size.ws_col, 50, 120);
}

status wrong_word(const program& p, const std::string& what) {
    return usage_error(what + " (" + p.name + " --help lists the options)");
}

// Finds what CLI11 would misread or say less about: an empty value (it takes the next argument for
// "--model="), a long option with one dash (letters, to it), and a name that there is not.
status check_words(const program& p, int argc, const char* const* argv) {
    word_list names = {"help", "version", "generate"};
    for (const option& o : p.options) {
        names.push_back(o.name);
        names.insert(names.end(), o.aliases.begin(), o.aliases.end());
    }
    const auto is_name = [&](std::string_view name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    const auto takes_next = [&](std::string_view word) {
        if (word == "--generate") return true;
        return std::any_of(p.options.begin(), p.options.end(), [&](const option& o) {
            const bool is_meant = word.starts_with("--") ? is_called(o, word.substr(2))
                                                         : word.size() == 2 && word[1] == o.letter;
            return is_meant && !std::holds_alternative<bool*>(o.target);
        });
    };
    for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
        const std::string_view word = argv[i];
        if (word.size() < 2 || word[0] != '-') continue;
        if (takes_next(word)) {
            ++i;
            continue;
        }
        const std::size_t dashes = word.starts_with("--") ? 2 : 1;
        const std::string name(word.substr(dashes, word.find('=') - dashes));
        const std::string as_written(word.substr(0, dashes + name.size()));
        if (dashes == 1 && name.size() > 1 && is_name(name))
            return wrong_word(p, as_written + ": it has two dashes: --" + name);
        // It would be part of the value, such as of a file's name.
        if (dashes == 1 && word.size() > 2 && word[2] == '=' && takes_next(word.substr(0, 2)))
            return wrong_word(p, std::string(word) + ": no = stands behind a letter");
        if (dashes == 1) continue;
        if (!is_name(name))
            return wrong_word(
                p, as_written + ": there is no such option" + did_you_mean(name, names, "--"));
        if (word.size() == as_written.size() + 1)
            return wrong_word(p, as_written + ": the value is empty");
    }
    return {};
}

result<std::optional<std::string>> parse_words(program& p, int argc, const char* const* argv) {
    built_in_flags flags;
    CUSET_TRY(check_words(p, argc, argv));
    try {
        CLI::App app;
        app.set_help_flag();
        app.add_flag("-h", flags.short_help);
        app.add_flag("--help", flags.help);
        app.add_flag("--version", flags.version);
        app.add_flag("-V", flags.details);
        app.add_option("--generate", flags.generate)
            ->check(CLI::IsMember({"man", "bash", "zsh", "fish"}));
        for (option& o : p.options) add_to(app, o);
        if (p.files) app.add_option("FILE", *p.files);
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return wrong_word(p, one_line(error.what()));
    } catch (const CLI::Error& error) {
        return usage_error(one_line(error.what()));
    }
    if (flags.help) return std::optional(help_text(p, text_width()));
    if (flags.short_help) return std::optional(short_help_text(p, text_width()));
    if (flags.version || flags.details) {
        std::string text = p.name + ' ' + p.version + '\n';
        if (flags.details && p.build_details) text += p.build_details();
        return std::optional(text);
    }
    if (flags.generate == "man") return std::optional(man_page(p));
    if (flags.generate == "bash") return std::optional(bash_completion(p));
    if (flags.generate == "zsh") return std::optional(zsh_completion(p));
    if (flags.generate == "fish") return std::optional(fish_completion(p));
    return std::optional<std::string>();
}

}  // namespace

const option* program::find(std::string_view word) const {
    const auto found = std::find_if(options.begin(), options.end(),
                                    [&](const option& o) { return is_called(o, word); });
    return found == options.end() ? nullptr : &*found;
}

option* program::find(std::string_view word) {
    return const_cast<option*>(std::as_const(*this).find(word));
}

status check_value(const option& o, const std::string& text) {
    const char* const end = text.data() + text.size();
    if (std::holds_alternative<std::int64_t*>(o.target)) {
        const auto [least, most] = std::get<integer_limits>(o.values);
        std::int64_t value = 0;
        const auto [stop, error] = std::from_chars(text.data(), end, value);
        if (error != std::errc{} || stop != end || value < least || value > most)
            return usage_error("'" + text + "' is no integer from " + std::to_string(least) +
                               " to " + std::to_string(most));
    } else if (text.empty()) {
        // It comes from an unset variable of a script, and is never intended.
        return usage_error("the value is empty");
    } else if (std::holds_alternative<double*>(o.target)) {
        char* stop = nullptr;
        std::strtod(text.c_str(), &stop);
        if (stop != end) return usage_error("'" + text + "' is no number");
    } else if (const word_list* words = o.words();
               words && std::find(words->begin(), words->end(), text) == words->end()) {
        return usage_error("'" + text + "' is none of " + joined(*words) +
                           did_you_mean(text, *words));
    }
    return {};
}

result<std::optional<std::string>> parse(program& p, int argc, const char* const* argv) {
    const char* const* const end = argv + argc;
    const char* const* const dashes =
        p.arguments ? std::find(argv, end, std::string_view("--")) : end;
    if (dashes != end) p.arguments->assign(dashes + 1, end);
    argc = static_cast<int>(dashes - argv);
    CUSET_ASSIGN(auto text, parse_words(p, argc, argv));
    if (text || !p.config || p.config->empty()) return text;
    CUSET_ASSIGN(const std::vector<std::string> entries, p.read_config(p, *p.config));
    std::vector<const char*> words = {argv[0]};
    for (const std::string& entry : entries) words.push_back(entry.c_str());
    words.insert(words.end(), argv + 1, argv + argc);
    if (p.files) p.files->clear();
    return parse_words(p, static_cast<int>(words.size()), words.data());
}

namespace {

void add_common_flags(program& p, stream_flags& flags, bool writes_records) {
    p.files = &flags.files;
    p.description.emplace_back(
        "A FILE holds JSON Lines or one JSON array of records, plain or compressed by zstd or "
        "gzip; its first bytes decide, not its name. Without a FILE, or where it is -, standard "
        "input is read. An element of an array counts as a line: its bytes stay as they are, but "
        "outside strings a line break and the white space behind it become one blank. Messages "
        "name the line where the element begins, and its number in the array stands for a missing "
        "id. The rows of a Parquet or Arrow file, and of a folder that Hugging Face's datasets "
        "wrote, are records too, if cuset was built with Arrow: columns are fields, and a row's "
        "number is its line. A file of another kind, such as CSV, is refused by name.");
    const auto add = [&](option o) { p.options.push_back(std::move(o)); };
    if (writes_records) {
        add({'o', "output", "FILE",
             "Write to FILE instead of standard output. FILE is renamed from a temporary file "
             "when it is complete. It is compressed if its name ends in .zst.",
             &flags.output, value_kind::file});
    }
    add({'t', "threads", "N",
         "Threads in total; 0 takes every core that the affinity mask and the control groups' "
         "quotas leave.",
         &flags.threads, between(0, 4096)});
    if (writes_records)
        add({'z', "compression", "N", "The zstd compression level, 1 to 19.", &flags.level,
             between(1, 19)});
    add({'q', "quiet", "",
         "Print no progress and no notes. Errors and the count of rejected records are always "
         "printed.",
         &flags.quiet});
    if (writes_records) {
        add({0, "plain", "",
             "Write records to standard output as plain text. Without it they are zstd, unless "
             "standard output is a terminal.",
             &flags.plain});
    }
    add({0, "on-error", "ACTION",
         "What to do with a bad record: stop ends the run with exit code 1; skip writes the line "
         "to the --rejects file, prints the reasons of the first ten, and continues.",
         &flags.on_error, one_of("stop", "skip")});
    const auto own_or = [](const std::string& own, std::string usual) {
        return own.empty() ? std::move(usual) : own;
    };
    add({0, "rejects", "FILE",
         own_or(flags.rejects_text,
                "The file to which --on-error=skip writes bad lines, unchanged."),
         &flags.rejects, value_kind::file});
    std::string shard =
        own_or(flags.shard_text,
               "Take only the records whose id hashes to I modulo N (I from 0; FNV-1a, 64 bits).");
    if (writes_records) shard += " zstdcat joins the outputs of all N; cat does if they are plain.";
    add({0, "shard", "I/N", std::move(shard), &flags.shard});
    const std::vector<exit_meaning> codes = {
        {0, "All went well."},
        {1, "Bad data, or a system call failed."},
        {2, "The command line is wrong."},
        {3, "Finished, but records were rejected (--on-error=skip)."},
    };
    p.exit_codes.insert(p.exit_codes.begin(), codes.begin(), codes.end());
    if (writes_records) p.environment.emplace_back("CUSET_PLAIN", "1 is the same as --plain.");
}

}  // namespace

void add_stream_flags(program& p, stream_flags& flags) { add_common_flags(p, flags, true); }

void add_input_flags(program& p, stream_flags& flags) {
    add_common_flags(p, flags, false);
    flags.output = "/dev/null";
}

status check(stream_flags& flags) {
    if (const char* plain = std::getenv("CUSET_PLAIN"); plain && std::string_view(plain) == "1")
        flags.plain = true;
    const bool skip = flags.on_error == "skip";
    if (skip && flags.rejects.empty())
        return usage_error("--on-error=skip needs --rejects FILE, so that nothing is lost");
    if (!skip && !flags.rejects.empty() && flags.rejects_text.empty())
        return usage_error("--rejects FILE needs --on-error=skip");
    // An empty value is an error too: in a job array whose variable is not set, each job would do
    // all of the work.
    const char* at = flags.shard.data();
    const char* const end = at + flags.shard.size();
    const auto index = std::from_chars(at, end, flags.shard_index);
    const bool slash = index.ec == std::errc{} && index.ptr < end && *index.ptr == '/';
    const auto count = std::from_chars(slash ? index.ptr + 1 : end, end, flags.shard_count);
    if (!slash || count.ec != std::errc{} || count.ptr != end ||
        flags.shard_index >= flags.shard_count)
        return usage_error("--shard: '" + flags.shard + "' is not I/N with I below N");
    return {};
}

}  // namespace cuset
