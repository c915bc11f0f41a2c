#include "cuset/refine/failure_report.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <vector>

#include "cuset/judge/judge.h"
#include "cuset/sandbox/text_lines.h"
#include "cuset/syntax/answer_files.h"
#include "cuset/syntax/program_text.h"

namespace cuset {

namespace {

/// A model mends the first mistakes; what follows from them only takes room.
constexpr std::size_t most_errors = 3;
constexpr std::size_t most_quoted = 3;
constexpr std::size_t most_bytes = 2000;

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = std::min(text.find_first_not_of(" \t\r"), text.size());
    text.remove_prefix(begin);
    return text.substr(0, text.find_last_not_of(" \t\r") + 1);
}

/// The text up to the last line that ends within most_bytes, with a mark where some is missing.
std::string bounded(std::string text) {
    if (text.size() <= most_bytes) return text;
    const std::size_t end = text.rfind('\n', most_bytes);
    text.resize(end == text.npos || end == 0 ? most_bytes : end);
    // No byte of a character of UTF-8 is left alone.
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80)
        text.pop_back();
    if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xC0) text.pop_back();
    return text + "\n[…]";
}

/// Whether a compiler's line begins a message of this word: "a.cu(3): error: …", "a.cu:3:5: error:
/// …", "a.cu(3): error #20: …", "nvlink error   : …".
bool begins_message(std::string_view line, std::string_view word) {
    for (std::size_t at = 0; (at = line.find(word, at)) != line.npos; at += word.size()) {
        if (at > 0 && std::isalnum(static_cast<unsigned char>(line[at - 1])) != 0) continue;
        std::string_view rest = line.substr(at + word.size());
        rest.remove_prefix(std::min(rest.find_first_not_of(" #-0123456789D"), rest.size()));
        if (rest.starts_with(':')) return true;
    }
    return false;
}

bool begins_error(std::string_view line) {
    return begins_message(line, "error") || line.find("undefined reference to") != line.npos;
}

/// Whether a line ends the message before it.
bool ends_message(std::string_view line) {
    return line.empty() || begins_error(line) || begins_message(line, "warning") ||
           begins_message(line, "note") || begins_message(line, "remark") ||
           line.find(": In ") != line.npos || line.starts_with("In file included") ||
           line.find(" detected in the compilation") != line.npos ||
           line.starts_with("compilation terminated");
}

/// The program of an answer that is one program. Nothing where it is not sure which text the
/// compiler got: several files, a file with a path of its own, or several blocks.
std::optional<std::string_view> program_of(const candidate& c, const verdict& v) {
    const std::string_view answer = c.answer;
    if (c.is_code) return c.files.empty() ? std::optional(answer) : std::nullopt;
    const bool is_cudabench = is_of_cudabench(v.setting.rule);
    if (!is_cudabench && !find_answer_files(answer).empty()) return {};
    const auto found = is_cudabench ? find_program_of_cudabench(answer, tags_of(v.setting.rule))
                                    : find_program(answer, fence_choice::first);
    if (!found) return {};
    const auto last = find_program(answer, fence_choice::last);
    if (!is_cudabench && last && last->begin != found->begin) return {};
    return answer.substr(found->begin, found->end - found->begin);
}

/// Line `number`, from 1, without the blanks around it; empty if there is none.
std::string_view line_of(std::string_view program, std::size_t number) {
    std::string_view line;
    for (; number > 0; --number) {
        if (program.empty()) return {};
        line = take_line(program);
    }
    return trimmed(line);
}

/// The line of the answer's own program that a compiler's message is about: "program.cu(3): error",
/// "program.cu:3:5: error"; 0 for a message about another file, such as a test's or a header.
std::size_t own_line(std::string_view message) {
    for (const std::string_view own : {"program.cu", "solution.cu"}) {
        const std::size_t name = message.find(own), at = name + own.size();
        if (name == message.npos || at >= message.size()) continue;
        if (name > 0 && message[name - 1] != '/' && message[name - 1] != ' ') continue;
        if (message.find_first_of(":(") != at) continue;
        std::size_t number = 0;
        std::from_chars(message.data() + at + 1, message.data() + message.size(), number);
        if (number != 0) return number;
    }
    return 0;
}

/// The first errors with all lines up to the next message; the first lines where none is one. A
/// line of source is quoted where the compiler does not.
std::string first_errors(std::string_view compiler, std::optional<std::string_view> program) {
    std::string found;
    std::size_t errors = 0;
    bool takes = false;
    std::string_view from;  // where the program uses the template that an error is in
    const auto quote = [&](std::string_view message) {
        const std::size_t number = program ? own_line(message) : 0;
        const std::string_view source = number == 0 ? "" : line_of(*program, number);
        if (!source.empty())
            found += "  line " + std::to_string(number) + ": " + std::string(source) + '\n';
    };
    for (std::string_view rest = compiler; !rest.empty();) {
        const std::string_view line = take_line(rest);
        if (line.find("required from here") != line.npos && own_line(line) != 0) from = line;
        if (begins_error(line) && errors < most_errors && !from.empty() && own_line(line) == 0) {
            found.append(from).append("\n");
            quote(from);
        }
        if (begins_error(line)) from = {};
        if (begins_error(line))
            takes = ++errors <= most_errors;
        else if (ends_message(line))
            takes = false;
        if (!takes) continue;
        found.append(line).append("\n");
        // g++ shows the source only where it finds the file.
        const std::string_view next = rest.substr(0, rest.find('\n'));
        if (begins_error(line) && ends_message(next)) quote(line);
    }
    if (errors == 0) found = compiler;
    if (errors > most_errors) found += "and more\n";
    return found;
}

/// The numbers of the lines that a message names: "line 12", "lines 3 and 5" gives 3 alone.
std::vector<std::size_t> lines_named(std::string_view message) {
    std::vector<std::size_t> named;
    for (const std::string_view word : {"line ", "lines "})
        for (std::size_t at = 0; (at = message.find(word, at)) != message.npos; at += word.size()) {
            if (at > 0 && std::isalnum(static_cast<unsigned char>(message[at - 1])) != 0) continue;
            std::size_t number = 0;
            const char* const end = message.data() + message.size();
            const auto [stop, error] =
                std::from_chars(message.data() + at + word.size(), end, number);
            // "line 3 of harness.cu" is no line of the answer.
            if (std::string_view(stop, static_cast<std::size_t>(end - stop)).starts_with(" of "))
                continue;
            if (number != 0 && std::ranges::find(named, number) == named.end())
                named.push_back(number);
        }
    return named;
}

/// The message, and below it the lines that it names.
std::string with_lines(std::string_view message, std::optional<std::string_view> program) {
    std::string text = std::string(message) + '\n';
    if (!program) return text;
    std::size_t quoted = 0;
    for (const std::size_t number : lines_named(message)) {
        const std::string_view line = line_of(*program, number);
        if (line.empty() || ++quoted > most_quoted) continue;
        text += "  line " + std::to_string(number) + ": " + std::string(line) + '\n';
    }
    return text;
}

}  // namespace

bool can_be_mended(const verdict& v) {
    return !v.passed() && v.why != failure::unsupported && v.why != failure::evaluator;
}

std::string summary_of(const verdict& v) {
    const auto sentence = [&]() -> std::string_view {
        switch (v.why) {
            case failure::none: return "The program passes.";
            case failure::no_code: return "The answer holds no program.";
            case failure::no_number: return "The answer states no number.";
            case failure::forbidden_file:
                return "The answer has a file of a name that the task does not allow.";
            case failure::syntax_error: return "The program does not compile.";
            case failure::link_error: return "The program does not link.";
            case failure::compile_timeout: return "The program takes too long to compile.";
            case failure::compile_limit:
                return "The program takes too much memory or space to compile.";
            case failure::missing_reference:
                return "The program lacks a name that the task wants it to use.";
            case failure::no_kernel_launch: return "The results do not come from a kernel.";
            case failure::launch_error: return "A kernel's launch fails.";
            case failure::illegal_address:
                return "The program uses an illegal address on the device.";
            case failure::out_of_bounds: return "The program accesses memory out of bounds.";
            case failure::uninitialised_read:
                return "The program reads memory that nothing has written.";
            case failure::use_after_free: return "The program uses memory after it was freed.";
            case failure::barrier_divergence:
                return "Threads of a block wait at different barriers, or some at none.";
            case failure::race:
                return "The program has a race: its results depend on the order of threads.";
            case failure::run_timeout: return "The program does not end within its time limit.";
            case failure::run_limit:
                return "The program takes too much memory, output, space or too many processes.";
            case failure::crash: return "The program crashes.";
            case failure::wrong_exit: return "The program ends with an error.";
            case failure::missing_output: return "The program does not write its output.";
            case failure::wrong_output: return "The program runs, and its results are wrong.";
            case failure::wrong_number: return "The number is wrong.";
            case failure::unsupported: return "The program cannot be judged.";
            case failure::evaluator: return "The program was not judged.";
        }
        return {};
    };
    std::string text(sentence());
    if (v.is_cut) text += " The answer was cut off at the longest length that is allowed.";
    return text;
}

std::string details_of(const verdict& v, const candidate& c) {
    std::string text;
    // The relative error would tell the right number.
    if (v.why == failure::wrong_number) return text;
    const auto program = program_of(c, v);
    if (!v.compiler.empty()) {
        text = first_errors(v.compiler, program);
    } else {
        std::size_t told = 0;
        for (const finding& f : v.findings) {
            if (++told > most_errors) break;
            const std::string kind(f.why == failure::none ? "note" : name_of(f.why));
            text += with_lines(kind + ": " + f.message, program);
        }
        if (v.findings.empty() && !v.diagnostic.empty()) text = with_lines(v.diagnostic, program);
    }
    text = bounded(std::move(text));
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

}  // namespace cuset
