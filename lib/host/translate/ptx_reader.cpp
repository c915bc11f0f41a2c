// Reads an asm statement: its text, its operands and its registers.
#include "translate/ptx_reader.h"

#include <algorithm>
#include <cctype>

namespace cuset::ptx {

namespace {

/// The characters that a literal stands for.
std::string literal_text(std::string_view raw) {
    std::string text;
    const std::size_t open = raw.find('"');
    if (open == raw.npos || raw.substr(0, open).find('R') != raw.npos) {
        const std::size_t begin = raw.find('('), end = raw.rfind(')');
        return begin < end && end != raw.npos ? std::string(raw.substr(begin + 1, end - begin - 1))
                                              : std::string();
    }
    for (std::size_t i = open + 1; i + 1 < raw.size(); ++i) {
        if (raw[i] != '\\') {
            text += raw[i];
            continue;
        }
        const char c = raw[++i];
        text += c == 'n' ? '\n' : c == 't' || c == 'r' || c == '\n' ? ' ' : c;
    }
    return text;
}

/// The text without comments, on one line.
std::string without_comments(std::string_view text) {
    std::string kept;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_line = text.substr(i, 2) == "//", is_block = text.substr(i, 2) == "/*";
        if (is_line || is_block) {
            const std::size_t end = is_line ? text.find('\n', i) : text.find("*/", i + 2);
            if (end == text.npos) break;
            i = is_line ? end : end + 1;
            kept += ' ';
        } else {
            kept += text[i] == '\n' ? ' ' : text[i];
        }
    }
    return kept;
}

}  // namespace

bool reader::read(std::uint32_t at) {
    asm_.first = at;
    do ++at;
    while (code_.is_any_word(at, {"volatile", "__volatile__"}));
    const std::uint32_t close = code_.is(at, '(') ? code_.closer_of(at) : no_token;
    if (close == no_token) return false;
    asm_.close = close;
    std::uint32_t i = at + 1;
    for (; i < close && code_.is(i, string); ++i) asm_.text += literal_text(code_.raw(i));
    if (i == at + 1) return false;
    asm_.text = without_comments(asm_.text);
    // Labels are the statement's own, so they need no number of its own either.
    for (std::size_t found; (found = asm_.text.find("%=")) != asm_.text.npos;)
        asm_.text.erase(found, 2);
    int list = 0;
    while (i < close) {
        list += code_.is(i, scope) ? 2 : 1;
        if (!code_.is(i, ':') && !code_.is(i, scope)) return false;
        ++i;
        if (list == 1 && !read_operands(i, asm_.outputs)) return false;
        if (list == 2 && !read_operands(i, asm_.inputs)) return false;
        if (list >= 3)
            while (i < close && !code_.is(i, ':') && !code_.is(i, scope)) ++i;  // clobbers
    }
    return true;
}

bool reader::read_operands(std::uint32_t& i, std::vector<operand>& list) {
    while (i < asm_.close && code_.is(i, string)) {
        operand one;
        one.constraint = literal_text(code_.raw(i));
        if (!code_.is(i + 1, '(')) return false;
        const std::uint32_t close = code_.closer_of(i + 1);
        if (close == no_token) return false;
        one.value = {i + 2, close};
        list.push_back(std::move(one));
        i = close + 1;
        if (code_.is(i, ',')) ++i;
    }
    return true;
}

/// Without the % with which names of registers may begin, doubled as in the text of an asm
/// statement.
std::string reader::register_name(const std::string& text) {
    return text.substr(text.starts_with("%%") ? 2 : 0);
}

std::string reader::of_special(std::string_view name) {
    if (std::ranges::find(special_registers(), name) == special_registers().end())
        return fail("%" + std::string(name));
    std::string function(name);
    std::ranges::replace(function, '.', '_');
    return "::cuset_host::ptx::sreg_" + function + "()";
}

std::string reader::of_operand(const std::string& text, std::string_view type) {
    if (text.empty()) return fail("an instruction without an operand");
    std::string_view rest = text;
    if (rest[0] == '!') return "::cuset_host::ptx::word(!" + of_operand(text.substr(1), type) + ")";
    if (locals_.contains(register_name(text))) return "cuset_l_" + register_name(text);
    if (rest.starts_with("%%")) return of_special(rest.substr(2));
    if (rest[0] == '%') {
        rest.remove_prefix(1);
        const bool is_number = rest.find_first_not_of("0123456789") == rest.npos && !rest.empty();
        if (!is_number) return of_special(rest);
        if (std::stoul(std::string(rest)) >= asm_.outputs.size() + asm_.inputs.size())
            return fail("%" + std::string(rest));
        return "cuset_r" + std::string(rest);
    }
    if (text == "_") return "cuset_none";
    if (text == "WARP_SZ") return "::cuset_host::ptx::word(32)";
    const bool is_hex_float = rest.starts_with("0f") || rest.starts_with("0F") ||
                              rest.starts_with("0d") || rest.starts_with("0D");
    if (is_hex_float && rest.size() > 2) return "0x" + text.substr(2) + "ULL";
    const std::size_t digits = rest[0] == '-' ? 1 : 0;
    if (digits < rest.size() && std::isdigit(static_cast<unsigned char>(rest[digits])) != 0) {
        std::string number = text;
        while (number.ends_with('U') || number.ends_with('u')) number.pop_back();
        if (!type.starts_with('f') || number.find('.') == number.npos)
            return "::cuset_host::ptx::word(" + number + "LL)";
        return "::cuset_host::ptx::bits<" + type_of(type) + ">(" + number + ")";
    }
    return fail(text);
}

/// `[%0+16]` in the state space that the parts name.
std::string reader::address_of(const std::string& text, const std::vector<std::string>& parts) {
    if (text.size() < 3 || text.front() != '[' || text.back() != ']') return fail(text);
    const std::string inner = text.substr(1, text.size() - 2);
    const std::size_t sign = inner.find_first_of("+", 1);
    std::string base = inner.substr(0, sign);
    while (base.ends_with(' ')) base.pop_back();
    std::string offset = sign == inner.npos ? "0" : inner.substr(sign + 1);
    while (offset.starts_with(' ')) offset.erase(0, 1);
    const bool is_shared =
        std::ranges::any_of(parts, [](const std::string& p) { return p.starts_with("shared"); });
    return std::string("::cuset_host::ptx::") + (is_shared ? "in_shared" : "in_memory") + "(" +
           of_operand(base, "b64") + ", " + of_operand(offset, "s64") + ")";
}

/// `.reg .b32 a, b;`
void reader::declare(const std::string& text) {
    const std::size_t type = text.find('.', 1);
    const std::size_t blank = text.find_first_of(" \t", type);
    if (type == text.npos || blank == text.npos) {
        fail(text);
        return;
    }
    for (const auto& each : split(text.substr(blank), ',')) {
        const std::string name = register_name(each);
        if (name.empty() || !std::ranges::all_of(name, [](char c) { return is_word_byte(c); }))
            fail(".reg " + name);
        locals_.insert(name);
        if (text.substr(type, blank - type) == ".pred") predicates_.insert(name);
    }
}

}  // namespace cuset::ptx
