// Words of assembly text.
#pragma once

#include <cctype>
#include <cstddef>
#include <string_view>

namespace cuset_host::costs {

inline bool begins(std::string_view text, std::string_view with) {
    return text.substr(0, with.size()) == with;
}
inline bool ends(std::string_view text, std::string_view with) {
    return text.size() >= with.size() && text.substr(text.size() - with.size()) == with;
}

inline std::string_view trimmed(std::string_view text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
        text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
        text.remove_suffix(1);
    return text;
}

/// Takes the first line of a text that is not empty, with its end.
inline std::string_view take_line(std::string_view& text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::string_view whole = text.substr(0, line.size() + (line.size() < text.size()));
    text.remove_prefix(whole.size());
    return whole;
}

/// Takes the first word of the text, and the blanks behind it.
inline std::string_view take_word(std::string_view& text) {
    std::size_t end = 0;
    while (end < text.size() && !std::isspace(static_cast<unsigned char>(text[end]))) ++end;
    const std::string_view word = text.substr(0, end);
    text = trimmed(text.substr(end));
    return word;
}

/// Takes a label at the text's beginning, without its colon, and the blanks behind it. Empty: there
/// is none.
inline std::string_view take_label(std::string_view& text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return {};
    const std::string_view name = text.substr(0, colon);
    if (name.find_first_of(" \t\"") != std::string_view::npos) return {};
    text = trimmed(text.substr(colon + 1));
    return name;
}

/// ".LBB12" and such: g++'s jumps go to ".L12", and those of asm statements to names of their own.
inline bool is_for_debuggers(std::string_view label) {
    return label.size() > 2 && begins(label, ".L") &&
           std::isupper(static_cast<unsigned char>(label[2])) != 0;
}

inline std::string_view last_operand(std::string_view operands) {
    const std::size_t comma = operands.rfind(", ");
    return comma == std::string_view::npos ? operands : operands.substr(comma + 2);
}

/// "8(%rsp,%rax,4)" of "8(%rsp,%rax,4), %xmm0".
inline std::string_view first_operand(std::string_view operands) {
    const std::size_t open = operands.find('('), comma = operands.find(',');
    if (comma == std::string_view::npos) return operands;
    return operands.substr(0, open < comma ? operands.find(')') + 1 : comma);
}

/// The dividend of "divisor, dividend, result". Two operands are divisor and dividend.
inline std::string_view second_operand(std::string_view operands) {
    const std::size_t first = first_operand(operands).size();
    if (first + 2 > operands.size()) return {};
    const std::string_view rest = operands.substr(first + 2);
    return rest.substr(0, rest.find(','));
}

}  // namespace cuset_host::costs
