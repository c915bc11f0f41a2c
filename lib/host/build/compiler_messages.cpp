#include "cuset/host/build/compiler_messages.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "cuset/base/visible_text.h"
#include "cuset/sandbox/text_lines.h"

namespace cuset {

namespace {

/// Calls visit(line) until it returns true.
template <class Visit>
void for_lines(std::string_view text, const Visit& visit) {
    while (!text.empty())
        if (visit(take_line(text))) return;
}

std::size_t count_of(std::string_view text, std::string_view characters) {
    return std::min(text.find_first_not_of(characters), text.size());
}

/// A message about a place in the program.
struct program_message {
    bool is_fatal;  ///< the compiler went no further: its own trouble may be the reason
    std::string_view text;
};

/// Reads a line as GCC ("program.cu:3:2: error: #error no"), EDG ("program.cu(3): error #20: no")
/// and the assembler ("program.cu:3: Error: no") write it. Nothing if it is about no place.
std::optional<program_message> read_message(std::string_view line) {
    constexpr std::string_view digits = "0123456789";
    const auto take = [&](std::string_view word) {
        if (!line.starts_with(word)) return false;
        line.remove_prefix(word.size());
        return true;
    };
    const auto take_number = [&] {
        const std::size_t count = count_of(line, digits);
        line.remove_prefix(count);
        return count > 0;
    };
    line.remove_prefix(std::min(line.find_first_of(":("), line.size()));
    if (take("(")) {
        if (!take_number() || !take(")")) return std::nullopt;
        if (take(" (col. ")) take_number(), take(")");
    } else {
        if (!take(":") || !take_number()) return std::nullopt;
        if (line.starts_with(':') && !line.starts_with(": ")) take(":"), take_number();
    }
    if (!take(": ")) return std::nullopt;
    const bool is_fatal = take("fatal ") || take("catastrophic ");
    for (const char* const kind : {"error", "warning", "note", "remark", "Error", "Warning"}) {
        if (!take(kind)) continue;
        if (take(" #")) take_number(), take("-D");
        if (take(": ")) return program_message{is_fatal, line};
        break;
    }
    return std::nullopt;
}

/// Whether the message is about the compiler's own trouble. A header's name, which a program
/// chooses, has the system's reason behind it.
bool is_trouble(const program_message& message, std::string_view word) {
    return message.is_fatal && (message.text.ends_with(word) ||
                                (message.text.starts_with(word) && !has_any(message.text, {": "})));
}

/// Whether the compiler itself says one of the words. Text that it quotes from the program is
/// indented, or stands in the message about a place: after #error, in a static_assert, or as the
/// name of a header.
bool has_any_unquoted(std::string_view messages, std::initializer_list<std::string_view> words) {
    bool found = false;
    for_lines(messages, [&](std::string_view line) {
        if (line.starts_with(' ') || line.starts_with('\t')) return false;
        const auto message = read_message(line);
        found = message ? std::ranges::any_of(words,
                                              [&](auto word) { return is_trouble(*message, word); })
                        : has_any(line, words);
        return found;
    });
    return found;
}

/// The length of a random name that a compiler gave to one of its own files, up to the part that is
/// the same in each run: "/tmp/cc4HT3xa" of g++'s "/tmp/cc4HT3xa.s", all but the end of nvcc's
/// "/tmp/tmpxft_00000b1c_00000000-6_program.ptx". 0 if the text does not begin with one.
std::size_t drawn_name(std::string_view text) {
    constexpr std::string_view digits = "0123456789", hexadecimal = "0123456789abcdef",
                               letters =
                                   "0123456789abcdefghijklmnopqrstuvwxyz"
                                   "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    constexpr std::string_view of_gcc = "/tmp/cc", of_nvcc = "/tmp/tmpxft_";
    if (text.starts_with(of_gcc)) {
        const std::size_t end = of_gcc.size() + 6;
        const bool is_one =
            count_of(text.substr(of_gcc.size()), letters) == 6 && text.substr(end).starts_with('.');
        return is_one ? end : 0;
    }
    if (!text.starts_with(of_nvcc)) return 0;
    std::size_t at = of_nvcc.size();
    for (const auto& [part, behind] :
         {std::pair{hexadecimal, '_'}, {hexadecimal, '-'}, {digits, '_'}}) {
        const std::size_t length = count_of(text.substr(at), part);
        at += length;
        if (length == 0 || !text.substr(at).starts_with(behind)) return 0;
        ++at;
    }
    return at;
}

/// The line without the parts that differ from run to run.
std::string with_fixed_names(std::string_view line) {
    std::string out;
    while (!line.empty()) {
        const std::size_t drawn = drawn_name(line);
        if (drawn > 0 && line.substr(drawn).starts_with('.')) out += "program";
        if (drawn == 0) out += line.front();
        line.remove_prefix(std::max<std::size_t>(drawn, 1));
    }
    return out;
}

}  // namespace

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return text.find(word) != text.npos; });
}

bool failed_to_link(std::string_view messages) {
    return has_any_unquoted(messages,
                            {"undefined reference to", "multiple definition of", "ld returned",
                             "nvlink error", "nvlink fatal", "cannot find -l"});
}

bool ran_out(std::string_view messages) {
    return has_any_unquoted(
        messages,
        {"Killed signal", "died due to signal", "Cannot allocate memory",
         "virtual memory exhausted", "out of memory", "No space left on device", "quota exceeded"});
}

bool wrote_too_much(std::string_view messages) {
    return has_any_unquoted(messages, {"File size limit exceeded"});
}

std::string all_diagnostics(std::string_view messages) {
    constexpr std::size_t most = 8192;
    constexpr std::string_view more = "[cut]\n";
    std::string text;
    for_lines(messages, [&](std::string_view line) {
        const std::string shown = visible_text(with_fixed_names(line)) + '\n';
        if (text.size() + shown.size() > most - more.size()) {
            text += more;
            return true;
        }
        text += shown;
        return false;
    });
    return text;
}

std::string first_diagnostic(std::string_view messages) {
    constexpr std::size_t longest = 300;
    std::string_view found, first;
    for_lines(messages, [&](std::string_view line) {
        if (line.find_first_not_of(" \t\r") == line.npos) return false;
        if (first.empty()) first = line;
        // EDG "error:", GCC "error:", as "Error:", ptxas "error   :", nvcc "fatal   :", the linker.
        if (has_any(line, {"error:", ": Error: ", "error :", "error   :", "error #", "fatal",
                           "undefined reference", "multiple definition", "cannot find -l"}))
            found = line;
        return !found.empty();
    });
    const std::string line = with_fixed_names(found.empty() ? first : found);
    return std::string(beginning_of(line, longest));
}

}  // namespace cuset
