#include "cuset/judge/program_message.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

namespace cuset {

namespace {

/// Reads a number behind `text[at]` and moves `at` behind it; 0 if there is none.
std::size_t number_at(std::string_view text, std::size_t& at) {
    std::size_t number = 0;
    const char* const begin = text.data() + std::min(at, text.size());
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), number);
    at += static_cast<std::size_t>(end - begin);
    return error == std::errc() ? number : 0;
}

bool skip(std::string_view text, std::string_view wanted, std::size_t& at) {
    if (!text.substr(std::min(at, text.size())).starts_with(wanted)) return false;
    at += wanted.size();
    return true;
}

/// The kind of message that begins at text[at], without "fatal" and nvcc's numbers ("error #20:").
std::string kind_at(std::string_view text, std::size_t& at) {
    skip(text, "fatal ", at);
    skip(text, "catastrophic ", at);
    constexpr std::array kinds{"error", "warning", "note", "remark"};
    for (const std::string_view kind : kinds) {
        std::size_t behind = at;
        if (!skip(text, kind, behind)) continue;
        const std::size_t colon = text.find(": ", behind);
        if (colon != behind && (colon == text.npos || !skip(text, " #", behind))) continue;
        at = colon + 2;
        return std::string(kind);
    }
    return {};
}

/// A line of a compiler: "a.cu(12): error: …" (nvcc) or "a.cu:12:3: error: …" (GCC). Nothing for a
/// line that is no message with a place.
std::optional<program_message> compiler_message(std::string_view text) {
    for (std::size_t at = 0; (at = text.find_first_of("(:", at)) != text.npos; ++at) {
        const bool is_of_nvcc = text[at] == '(';
        std::size_t behind = at + 1;
        const std::size_t line = number_at(text, behind);
        if (line == 0) continue;
        if (is_of_nvcc) {
            if (!skip(text, "): ", behind)) continue;
        } else {
            std::size_t column = behind;
            if (skip(text, ":", column) && number_at(text, column) > 0) behind = column;
            if (!skip(text, ": ", behind)) continue;
        }
        std::string kind = kind_at(text, behind);
        if (kind.empty()) continue;
        return program_message{std::move(kind), std::string(text.substr(0, at)), line,
                               std::string(text.substr(behind))};
    }
    return std::nullopt;
}

std::vector<program_message> compiler_messages(std::string_view text) {
    std::vector<program_message> messages;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        if (auto message = compiler_message(text.substr(at, end - at)))
            messages.push_back(std::move(*message));
        at = end + 1;
    }
    return messages;
}

/// Whether a line that the diagnostic names is one of the program. Others are of a script of the
/// task, or in what the program printed.
bool is_of_program(const verdict& v) {
    return v.why != failure::wrong_output && v.why != failure::evaluator &&
           !v.diagnostic.starts_with("exit code");
}

/// A message of the runtime: "kernel k, line 3 of solution.cu: …". The file's name ends at the
/// first mark behind which the message goes on.
program_message runtime_message(failure why, const std::string& text) {
    program_message message{std::string(why == failure::none ? "note" : name_of(why)), "",
                            line_in(text), text};
    if (message.line == 0) return message;
    const std::string named = "line " + std::to_string(message.line);
    const std::string_view rest = std::string_view(text).substr(text.find(named) + named.size());
    constexpr std::string_view of = " of ";
    if (rest.starts_with(of)) {
        const std::string_view file = rest.substr(of.size());
        message.file = file.substr(0, file.find_first_of(":,; "));
    }
    return message;
}

}  // namespace

std::vector<program_message> messages_of(const verdict& v) {
    std::vector<program_message> messages;
    for (const finding& f : v.findings) messages.push_back(runtime_message(f.why, f.message));
    if (messages.empty()) messages = compiler_messages(v.compiler);
    if (messages.empty() && !v.diagnostic.empty()) {
        auto of_compiler = compiler_message(v.diagnostic);
        messages.push_back(of_compiler ? std::move(*of_compiler)
                                       : runtime_message(v.why, v.diagnostic));
        if (!is_of_program(v)) messages.back().line = 0;
    }
    std::vector<program_message> once;
    for (auto& m : messages)
        if (std::none_of(once.begin(), once.end(), [&](const program_message& other) {
                return other.line == m.line && other.file == m.file && other.kind == m.kind &&
                       other.text == m.text;
            }))
            once.push_back(std::move(m));
    return once;
}

}  // namespace cuset
