#include "tasks/stated_count.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "cuset/syntax/program_text.h"

namespace cuset {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }
/// Of a name. Bytes beyond ASCII are letters, except for the operators that take_operator() knows.
bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

enum class token_kind : unsigned char { number, name, times, power, other_operator, end };
struct token {
    token_kind kind = token_kind::end;
    double value = 0;
};

/// Reads a text from its beginning. What is neither a number, a name nor an operator ends an
/// expression.
class token_reader {
public:
    explicit token_reader(std::string_view text) : text_(text) {}
    bool has_more() const { return at_ < text_.size(); }
    token next();

private:
    std::string_view rest() const { return text_.substr(at_); }
    bool take(std::string_view word) {
        if (!rest().starts_with(word)) return false;
        at_ += word.size();
        return true;
    }
    char at(std::size_t place) const { return place < text_.size() ? text_[place] : '\0'; }
    bool starts_blank(std::size_t place) const {
        return place == 0 || is_blank(text_[place - 1]) || text_[place - 1] == '\n';
    }
    /// Whether nothing but blanks stands before it on its line.
    bool begins_line(std::size_t place) const {
        while (place > 0 && is_blank(text_[place - 1])) --place;
        return place == 0 || text_[place - 1] == '\n';
    }
    std::optional<token_kind> take_operator();
    token take_number();
    token take_name();
    void take_groups(std::string& digits);
    double take_word_of_size();

    std::string_view text_;
    std::size_t at_ = 0;
};

/// What stands for marks of Markdown is no operator, but an end: "**1024**", "*1024*", "- 1024".
std::optional<token_kind> token_reader::take_operator() {
    const std::size_t begin = at_;
    for (const auto& [word, kind] : std::initializer_list<std::pair<std::string_view, token_kind>>{
             {"**", token_kind::power},
             {"^", token_kind::power},
             {"*", token_kind::times},
             {"×", token_kind::times},
             {"·", token_kind::times},
             {"\\times", token_kind::times},
             {"\\cdot", token_kind::times},
             {"+", token_kind::other_operator},
             {"/", token_kind::other_operator},
             {"-", token_kind::other_operator},
             {"−", token_kind::other_operator}}) {
        if (!take(word)) continue;
        const char next = at(at_);
        const bool ends = is_blank(next) || next == '\n' || next == '\0';
        const bool is_operand = is_digit(next) || is_letter(next) || next == '(' || next == '\\';
        if (ends && begins_line(begin)) return token_kind::end;  // of a list
        const bool opens = starts_blank(begin) && !ends,
                   closes = !starts_blank(begin) && !is_operand;
        if (word.front() == '*' && (opens || closes)) return token_kind::end;
        return kind;
    }
    // "4096 x 256"
    std::size_t behind = at_ + 1;
    while (is_blank(at(behind))) ++behind;
    if ((at(at_) != 'x' && at(at_) != 'X') || behind == at_ + 1 || !is_digit(at(behind)))
        return std::nullopt;
    at_ = behind;
    return token_kind::times;
}

/// ",123", "_123", "{,}123" and "\,123": groups of three digits behind a number's first.
void token_reader::take_groups(std::string& digits) {
    for (;;) {
        std::size_t behind = at_;
        for (const std::string_view mark : {",", "_", "'", "{,}", "\\,"})
            if (rest().starts_with(mark)) behind = at_ + mark.size();
        if (behind == at_) return;
        for (std::size_t i = 0; i < 3; ++i)
            if (!is_digit(at(behind + i))) return;
        if (is_digit(at(behind + 3))) return;
        digits += text_.substr(behind, 3);
        at_ = behind + 3;
    }
}

/// The factor of a word such as "million" behind a number.
double token_reader::take_word_of_size() {
    std::size_t begin = at_;
    while (is_blank(at(begin))) ++begin;
    for (const auto& [word, factor] : std::initializer_list<std::pair<std::string_view, double>>{
             {"thousand", 1e3}, {"million", 1e6}, {"billion", 1e9}, {"trillion", 1e12}})
        if (text_.substr(begin).starts_with(word)) {
            at_ = begin + word.size();
            return factor;
        }
    return 1;
}

token token_reader::take_number() {
    std::string digits;
    const std::size_t begin = at_;
    while (is_digit(at(at_))) ++at_;
    digits = text_.substr(begin, at_ - begin);
    if (digits.size() <= 3) take_groups(digits);
    if (at(at_) == '.' && is_digit(at(at_ + 1))) {
        digits += '.';
        for (++at_; is_digit(at(at_)); ++at_) digits += at(at_);
    }
    if (at(at_) == 'e' || at(at_) == 'E') {
        std::size_t behind = at_ + 1;
        if (at(behind) == '+' || at(behind) == '-') ++behind;
        if (is_digit(at(behind))) {
            digits += 'e';
            if (at(behind - 1) == '-') digits += '-';
            for (at_ = behind; is_digit(at(at_)); ++at_) digits += at(at_);
        }
    }
    token found{token_kind::number};
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), found.value);
    if (read.ec != std::errc()) found.kind = token_kind::name;
    // "2n" is a product with a name, and 0x400 is none that anybody reads aloud.
    if (is_letter(at(at_)) && !rest().starts_with("×") && !rest().starts_with("·") &&
        !rest().starts_with("−")) {
        take_name();
        return {token_kind::name};
    }
    found.value *= take_word_of_size();
    return found;
}

token token_reader::take_name() {
    while (has_more() && (is_letter(at(at_)) || is_digit(at(at_))) && !rest().starts_with("×") &&
           !rest().starts_with("·") && !rest().starts_with("−"))
        ++at_;
    return {token_kind::name};
}

token token_reader::next() {
    while (is_blank(at(at_)) && has_more()) ++at_;
    if (!has_more()) return {};
    const char c = at(at_);
    if (is_digit(c)) return take_number();
    if (const auto found = take_operator()) return {*found};
    if (is_letter(c)) return take_name();
    // What stands in parentheses is worth something that is not known here.
    ++at_;
    return {c == '(' || c == ')' ? token_kind::name : token_kind::end};
}

/// The value of numbers with × and ^ between them; nothing of other things.
std::optional<double> value_of(const std::vector<token>& expression) {
    if (expression.back().kind != token_kind::number) return {};
    double product = 1;
    for (std::size_t i = 0; i < expression.size(); ++i) {
        if (expression[i].kind != token_kind::number) return {};
        // 2^3^2 is 2^9.
        std::size_t last = i;
        while (last + 2 < expression.size() && expression[last + 1].kind == token_kind::power)
            last += 2;
        double power = expression[last].value;
        for (std::size_t k = last; k > i; k -= 2) {
            if (expression[k].kind != token_kind::number) return {};
            power = std::pow(expression[k - 2].value, power);
        }
        product *= power;
        i = last + 1;
        if (i < expression.size() && expression[i].kind != token_kind::times) return {};
    }
    return std::isfinite(product) ? std::optional(product) : std::nullopt;
}

enum class which_number : unsigned char { first, last };

/// Expressions are operands with operators between them: "4 * n" is one, "4 n" is two.
std::optional<double> number_in(std::string_view text, which_number which) {
    std::optional<double> found;
    std::vector<token> expression;
    const auto end_expression = [&] {
        if (const auto value = expression.empty() ? std::nullopt : value_of(expression))
            found = value;
        expression.clear();
    };
    token_reader reader(text);
    while (reader.has_more() && !(found && which == which_number::first)) {
        const token t = reader.next();
        const bool is_operand = t.kind == token_kind::number || t.kind == token_kind::name;
        const bool follows_operand =
            !expression.empty() && (expression.back().kind == token_kind::number ||
                                    expression.back().kind == token_kind::name);
        if (t.kind == token_kind::end || (is_operand && follows_operand)) end_expression();
        if (t.kind != token_kind::end) expression.push_back(t);
    }
    if (!(found && which == which_number::first)) end_expression();
    return found;
}

/// Braces around an exponent, and a dollar sign at a formula's ends, say nothing.
std::string without_latex(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_exponent = text[i] == '{' && i > 0 && text[i - 1] == '^';
        if (is_exponent) {
            constexpr std::size_t longest = 20;
            const std::size_t length = text.substr(i, longest).find('}');
            if (length == text.npos) continue;
            plain += text.substr(i + 1, length - 1);
            i += length;
        } else {
            plain += text[i];
        }
    }
    return plain;
}

/// Behind the last "KEY" and its colon, to the end of the line; nothing where there is none.
std::optional<std::string_view> behind_key(std::string_view text, std::string_view key) {
    const std::string quoted = '"' + std::string(key) + '"';
    for (std::size_t at = text.rfind(quoted); at != text.npos && at < text.size();
         at = at == 0 ? text.npos : text.rfind(quoted, at - 1)) {
        std::string_view rest = text.substr(at + quoted.size());
        rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
        if (!rest.starts_with(':')) continue;
        rest.remove_prefix(1);
        rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
        return rest.substr(0, rest.find('\n'));
    }
    return {};
}

/// The value alone, not what other members have.
std::string_view value_at(std::string_view rest) {
    if (rest.starts_with('"')) return rest.substr(1, rest.find('"', 1) - 1);
    for (std::size_t at = rest.find('}'); at != rest.npos; at = rest.find('}', at + 1))
        if (!rest.substr(0, at).ends_with("{,")) {
            rest = rest.substr(0, at);
            break;
        }
    for (std::size_t at = rest.find(','); at != rest.npos; at = rest.find(',', at + 1)) {
        const std::size_t behind = std::min(rest.find_first_not_of(" \t", at + 1), rest.size());
        if (behind < rest.size() && rest[behind] == '"') return rest.substr(0, at);
    }
    return rest;
}

std::optional<bool> truth_in(std::string_view text) {
    if (text.starts_with('"')) text.remove_prefix(1);
    for (const auto& [word, value] : std::initializer_list<std::pair<std::string_view, bool>>{
             {"true", true}, {"yes", true}, {"false", false}, {"no", false}})
        if (text.starts_with(word)) return value;
    return {};
}

}  // namespace

std::optional<double> last_number(std::string_view text) {
    return number_in(without_latex(text), which_number::last);
}

stated_count read_stated_count(std::string_view answer, std::string_view other_key) {
    const std::string_view text = answer.substr(end_of_reasoning(answer));
    stated_count stated;
    if (const auto rest = behind_key(text, "hidden_flops"))
        stated.has_hidden_flops = truth_in(*rest);
    auto value = behind_key(text, "answer");
    if (!value && !other_key.empty()) value = behind_key(text, other_key);
    if (!value) {
        stated.number = last_number(text);
    } else {
        const std::string line = without_latex(*value);
        stated.number = number_in(value_at(line), which_number::first);
    }
    return stated;
}

}  // namespace cuset
