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
#include "tasks/plain_signs.h"

namespace cuset {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }
/// Of a name. Bytes beyond ASCII are letters, except for the operators that take_operator() knows.
bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

enum class token_kind : unsigned char {
    number,
    name,
    times,
    power,
    plus,
    minus,
    other_operator,
    open,
    close,
    unclear,  ///< what makes the number before it another: "1.048.576", "5 %"
    end
};
struct token {
    token_kind kind = token_kind::end;
    double value = 0;
    std::string_view text{};  ///< of a name
};
bool is_operator(token_kind kind) {
    return kind >= token_kind::times && kind <= token_kind::other_operator;
}

/// In capitals or not; the word has none.
bool begins_with(std::string_view text, std::string_view word) {
    return text.size() >= word.size() &&
           std::equal(word.begin(), word.end(), text.begin(), [](char a, char b) {
               return a == b || (b >= 'A' && b <= 'Z' && a == static_cast<char>(b - 'A' + 'a'));
           });
}

/// Reads a text from its beginning. What is neither a number, a name nor an operator ends an
/// expression.
class token_reader {
public:
    explicit token_reader(std::string_view text) : text_(text) {}
    bool has_more() const { return at_ < text_.size(); }
    token next();
    /// Of what comes next, blanks left out, and before it: 0 at the text's ends.
    char next_character() const {
        std::size_t place = at_;
        while (is_blank(at(place))) ++place;
        return at(place);
    }
    bool stands_alone() const { return at_ < 2 || is_blank(at(at_ - 2)); }
    void skip_group();

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
             {"+", token_kind::plus},
             {"/", token_kind::other_operator},
             {"-", token_kind::minus},
             {"−", token_kind::minus}}) {
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

/// The factor of a word such as "million", "Million", "M FLOPs" or "MFLOPs" behind a number.
double token_reader::take_word_of_size() {
    std::size_t begin = at_;
    while (is_blank(at(begin))) ++begin;
    const std::string_view behind = text_.substr(begin);
    for (const auto& [word, factor] : std::initializer_list<std::pair<std::string_view, double>>{
             {"thousand", 1e3}, {"million", 1e6}, {"billion", 1e9}, {"trillion", 1e12}})
        if (begins_with(behind, word) && !is_letter(at(begin + word.size()))) {
            at_ = begin + word.size();
            return factor;
        }
    for (const auto& [prefix, factor] : std::initializer_list<std::pair<char, double>>{
             {'k', 1e3}, {'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}}) {
        if (!behind.starts_with(prefix)) continue;
        std::size_t unit = begin + 1;
        while (is_blank(at(unit))) ++unit;
        for (const std::string_view word : {"flop", "op"})
            if (begins_with(text_.substr(unit), word)) {
                at_ = begin + 1;
                return factor;
            }
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
    // "1.048.576" and "1,5" are one number to some and two, or another, to others.
    bool is_unclear = false;
    while ((at(at_) == '.' || at(at_) == ',') && is_digit(at(at_ + 1))) {
        is_unclear = true;
        for (++at_; is_digit(at(at_)); ++at_) continue;
    }
    if (is_unclear) return {token_kind::unclear};
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

/// "floating-point" and "FLOPs/s" are names too.
token token_reader::take_name() {
    const std::size_t begin = at_;
    const auto is_part = [&] {
        const char c = at(at_);
        if (rest().starts_with("×") || rest().starts_with("·") || rest().starts_with("−"))
            return false;
        const bool joins = (c == '-' || c == '/') && at_ > begin && is_letter(at(at_ - 1)) &&
                           is_letter(at(at_ + 1)) && at_ - begin > 1;
        return is_letter(c) || is_digit(c) || joins;
    };
    while (has_more() && is_part()) ++at_;
    return {token_kind::name, 0, text_.substr(begin, at_ - begin)};
}

token token_reader::next() {
    while (is_blank(at(at_)) && has_more()) ++at_;
    if (!has_more()) return {};
    const char c = at(at_);
    if (is_digit(c)) return take_number();
    if (const auto found = take_operator()) return {*found};
    if (is_letter(c)) return take_name();
    ++at_;
    if (c == '(') return {token_kind::open};
    if (c == ')') return {token_kind::close};
    return {c == '%' ? token_kind::unclear : token_kind::end};
}

/// Behind the parenthesis that closes what has been opened.
void token_reader::skip_group() {
    for (std::size_t depth = 1; depth > 0 && has_more(); ++at_) {
        if (at(at_) == '(') ++depth;
        if (at(at_) == ')') --depth;
    }
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

/// Whether a word behind a number makes it another number, or may: "4 n", "5 thousandths", "1 MB",
/// "4 times".
bool changes_number(std::string_view word) {
    if (word.size() == 1) return word != "a" && word != "I";
    for (const std::string_view bytes : {"kb", "mb", "gb", "tb", "kib", "mib", "gib", "tib"})
        if (word.size() == bytes.size() && begins_with(word, bytes)) return true;
    for (const std::string_view size :
         {"hundred", "thousand", "million", "billion", "trillion", "dozen"})
        if (begins_with(word, size)) return true;
    for (const std::string_view whole : {"times", "plus", "minus", "over", "divided", "percent"})
        if (word.size() == whole.size() && begins_with(word, whole)) return true;
    return false;
}

/// Finds the first or the last number among a text's expressions. Expressions are operands with
/// operators between them: "4 * n" is one, "4 threads" is two. Of what may be a part of an
/// expression that is not understood nothing is taken, not even the number before it.
class number_finder {
public:
    number_finder(std::string_view text, which_number which) : reader_(text), which_(which) {}
    std::optional<double> find();

private:
    void take(const token& t);
    void take_operand(const token& t);
    void take_operator(const token& t);
    void open_group();
    void end_expression();
    void forget() {
        found_.reset();
        is_unclear_ = is_broken_ = true;
        has_unit_ = false;
        expression_.assign(1, {token_kind::name});
    }
    bool follows(token_kind kind) const {
        return !expression_.empty() && expression_.back().kind == kind;
    }

    token_reader reader_;
    which_number which_;
    std::optional<double> found_;
    bool is_unclear_ = false;
    bool is_broken_ = false;  ///< up to the next end, numbers are parts of what is not understood
    bool has_unit_ = false;   ///< only words and groups stand behind the number that was found
    std::size_t depth_ = 0;   ///< of parentheses
    std::vector<token> expression_;
};

void number_finder::end_expression() {
    const auto is_number = [](const token& t) { return t.kind == token_kind::number; };
    const auto is_name = [](const token& t) { return t.kind == token_kind::name; };
    const auto value = expression_.empty() ? std::nullopt : value_of(expression_);
    const bool is_sum =  // or a difference, or a product that has no end
        !value && std::ranges::any_of(expression_, is_number) &&
        std::ranges::none_of(expression_, is_name);
    if (is_sum) forget();
    if (value && !is_broken_) found_ = value;
    has_unit_ = value && !is_broken_;
    expression_.clear();
}

void number_finder::take_operand(const token& t) {
    const bool follows_number = follows(token_kind::number);
    if (follows_number && t.kind == token_kind::number) return forget();  // "1 048 576"
    if (follows_number && changes_number(t.text)) return forget();
    if (follows_number) {
        end_expression();
    } else if (follows(token_kind::name)) {
        const bool had_unit = has_unit_ && expression_.size() == 1;
        end_expression();
        has_unit_ = had_unit && t.kind == token_kind::name;
    }
    expression_.push_back(t);
}

void number_finder::take_operator(const token& t) {
    const bool is_signed = t.kind == token_kind::plus && expression_.empty();
    if (is_signed && is_digit(reader_.next_character())) return;
    const bool is_behind_unit = has_unit_ && expression_.size() == 1 && follows(token_kind::name);
    // "2048 FLOPs - as I said"
    if (is_behind_unit && t.kind == token_kind::minus && reader_.stands_alone() &&
        is_letter(reader_.next_character()))
        return end_expression();
    if (is_behind_unit) forget();  // "1000 threads * 2"
    expression_.push_back(t);
}

void number_finder::open_group() {
    const bool is_operand = !expression_.empty() && is_operator(expression_.back().kind);
    // "2^(20)" and "f(8)"
    if (is_operand || (!expression_.empty() && !reader_.stands_alone())) {
        reader_.skip_group();
        if (is_operand || follows(token_kind::number)) forget();
        return;
    }
    end_expression();
    ++depth_;
}

void number_finder::take(const token& t) {
    switch (t.kind) {
        case token_kind::number:
        case token_kind::name: return take_operand(t);
        case token_kind::open: return open_group();
        case token_kind::unclear: return forget();
        case token_kind::end:
            end_expression();
            has_unit_ = is_broken_ = false;
            return;
        case token_kind::close:
            end_expression();
            if (depth_ > 0) --depth_;
            // An operator behind it takes all of the group.
            has_unit_ = found_.has_value();
            expression_.assign(1, {token_kind::name});
            return;
        default: return take_operator(t);
    }
}

std::optional<double> number_finder::find() {
    while (reader_.has_more()) {
        const token t = reader_.next();
        take(t);
        if (which_ == which_number::last) continue;
        if (is_unclear_) return {};
        if (found_ && t.kind == token_kind::end && depth_ == 0) return found_;
    }
    end_expression();
    return found_;
}

std::optional<double> number_in(std::string_view text, which_number which) {
    return number_finder(text, which).find();
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

/// Behind the last "KEY", in capitals or not, and its colon, to the end of the line; nothing where
/// there is none.
std::optional<std::string_view> behind_key(std::string_view text, std::string_view key) {
    const std::string quoted = '"' + std::string(key) + '"';
    for (std::size_t at = text.size(); at-- > 0;) {
        if (!begins_with(text.substr(at), quoted)) continue;
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
    return number_in(without_latex(in_plain_signs(text)), which_number::last);
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
        const std::string line = without_latex(in_plain_signs(*value));
        stated.number = number_in(value_at(line), which_number::first);
    }
    return stated;
}

}  // namespace cuset
