#include "source_words.h"

#include <algorithm>
#include <cstddef>

namespace cuset {

namespace {

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

int hex_digit(char c) {
    if (is_digit(c)) return c - '0';
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

class reader {
public:
    explicit reader(std::string_view text) : text_(text) {}
    std::vector<source_word> run();

private:
    bool at_end() {
        skip_splices();
        return at_ >= text_.size();
    }
    /// The character here, or after `ahead` others; NUL at the end.
    char peek(std::size_t ahead = 0);
    char take();
    void skip_splices();
    bool skip_comment();
    void read_number();
    void read_quoted(char quote);
    void read_raw_string();
    char32_t take_code(int digits);
    void append(char32_t code, std::string& to);
    std::string take_name();
    void add(source_word::kind what, std::string text) {
        words_.push_back({what, line_, std::move(text), begins_line_});
        begins_line_ = false;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::uint32_t line_ = 1;
    bool begins_line_ = true;
    std::vector<source_word> words_;
};

/// GCC allows blanks between the backslash and the end of the line.
void reader::skip_splices() {
    while (at_ < text_.size() && text_[at_] == '\\') {
        const std::size_t end = text_.find_first_not_of(" \t\r\v\f", at_ + 1);
        if (end == text_.npos || text_[end] != '\n') return;
        at_ = end + 1;
        ++line_;
    }
}

char reader::take() {
    skip_splices();
    if (at_ >= text_.size()) return '\0';
    const char c = text_[at_++];
    if (c == '\n') ++line_;
    return c;
}

char reader::peek(std::size_t ahead) {
    const std::size_t at = at_;
    const std::uint32_t line = line_;
    while (ahead-- > 0) take();
    skip_splices();
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    at_ = at;
    line_ = line;
    return c;
}

bool reader::skip_comment() {
    if (peek() != '/' || (peek(1) != '/' && peek(1) != '*')) return false;
    take();
    if (take() == '/') {
        while (!at_end() && peek() != '\n') take();
        return true;
    }
    while (!at_end() && !(peek() == '*' && peek(1) == '/')) take();
    take();
    take();
    return true;
}

/// `\u0063` or `\x63` after the letter: reads this many digits, or all if `digits` is 0.
char32_t reader::take_code(int digits) {
    char32_t code = 0;
    for (int i = 0; (digits == 0 || i < digits) && hex_digit(peek()) >= 0; ++i)
        code = code * 16 + static_cast<char32_t>(hex_digit(take()));
    return code;
}

/// The evaluator's names are ASCII; for any other character it is enough that it differs.
void reader::append(char32_t code, std::string& to) {
    to += code < 0x80 ? static_cast<char>(code) : '\x80';
}

std::string reader::take_name() {
    std::string name;
    for (;;) {
        const char c = peek();
        if (is_letter(c) || is_digit(c)) {
            name += take();
        } else if (c == '\\' && (peek(1) == 'u' || peek(1) == 'U')) {
            take();
            append(take_code(take() == 'u' ? 4 : 8), name);
        } else {
            return name;
        }
    }
}

void reader::read_number() {
    std::string number;
    for (;;) {
        const char c = peek();
        const bool sign = (c == '+' || c == '-') && !number.empty() &&
                          std::string_view("eEpP").find(number.back()) != std::string_view::npos;
        const bool separates = c == '\'' && (is_letter(peek(1)) || is_digit(peek(1)));
        if (!is_letter(c) && !is_digit(c) && c != '.' && !sign && !separates) break;
        number += take();
    }
    add(source_word::kind::number, std::move(number));
}

void reader::read_quoted(char quote) {
    std::string text;
    while (!at_end() && peek() != quote && peek() != '\n') {
        const char c = take();
        if (c != '\\') {
            text += c;
            continue;
        }
        const char escape = take();
        if (escape == 'x') {
            append(take_code(0), text);
        } else if (escape == 'u' || escape == 'U') {
            append(take_code(escape == 'u' ? 4 : 8), text);
        } else if (escape >= '0' && escape <= '7') {
            char32_t code = static_cast<char32_t>(escape - '0');
            for (int i = 0; i < 2 && peek() >= '0' && peek() <= '7'; ++i)
                code = code * 8 + static_cast<char32_t>(take() - '0');
            append(code, text);
        } else {
            text += escape;
        }
    }
    if (peek() == quote) take();
    add(source_word::kind::string, std::move(text));
}

/// Starts after its quote. A raw string has no splices.
void reader::read_raw_string() {
    const std::size_t open = text_.find('(', at_);
    if (open == text_.npos || open - at_ > 16) return read_quoted('"');
    const std::string close = ')' + std::string(text_.substr(at_, open - at_)) + '"';
    const std::size_t end = std::min(text_.find(close, open), text_.size());
    const std::string_view text = text_.substr(open + 1, end - std::min(end, open + 1));
    add(source_word::kind::string, std::string(text));
    line_ += static_cast<std::uint32_t>(std::ranges::count(text, '\n'));
    at_ = std::min(end + close.size(), text_.size());
}

std::vector<source_word> reader::run() {
    while (!at_end()) {
        const char c = peek();
        if (c == '\n') {
            take();
            begins_line_ = true;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f') {
            take();
        } else if (skip_comment()) {
        } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
            read_number();
        } else if (is_letter(c) || (c == '\\' && (peek(1) == 'u' || peek(1) == 'U'))) {
            std::string name = take_name();
            const bool is_prefix =
                name == "R" || name == "LR" || name == "uR" || name == "UR" || name == "u8R";
            if (is_prefix && peek() == '"') {
                take();
                read_raw_string();
            } else {
                add(source_word::kind::name, std::move(name));
            }
        } else if (c == '"' || c == '\'') {
            take();
            read_quoted(c);
        } else if ((c == '#' && peek(1) == '#') ||
                   (c == '%' && peek(1) == ':' && peek(2) == '%' && peek(3) == ':')) {
            for (int i = c == '#' ? 2 : 4; i > 0; --i) take();
            add(source_word::kind::punctuation, "##");
        } else if (c == '%' && peek(1) == ':') {
            take();
            take();
            add(source_word::kind::punctuation, "#");
        } else if ((c == '<' || c == ':') && peek(1) == (c == '<' ? ':' : '>')) {
            take();
            take();
            add(source_word::kind::punctuation, c == '<' ? "[" : "]");
        } else {
            add(source_word::kind::punctuation, std::string(1, take()));
        }
    }
    return std::move(words_);
}

}  // namespace

std::vector<source_word> source_words(std::string_view program) { return reader(program).run(); }

}  // namespace cuset
