#include "cuset/reward/reward_formula.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace cuset {

namespace {

constexpr std::array<std::string_view, 6> names_of_parts{"compiled", "ran",       "correct",
                                                         "checked",  "truncated", "tokens"};

std::optional<reward_part> part_of(std::string_view name) {
    const auto found = std::ranges::find(names_of_parts, name);
    if (found == names_of_parts.end()) return {};
    return static_cast<reward_part>(found - names_of_parts.begin());
}

/// Takes what begins the text: a name, a number or a sign.
class formula_reader {
public:
    explicit formula_reader(std::string_view text) : rest_(text) { skip_blanks(); }

    bool at_end() const { return rest_.empty(); }
    std::string_view rest() const { return rest_; }

    bool take(char c) {
        if (!rest_.starts_with(c)) return false;
        rest_.remove_prefix(1);
        skip_blanks();
        return true;
    }
    std::string_view take_name() {
        std::size_t length = 0;
        while (length < rest_.size() && (rest_[length] == '_' || is_letter(rest_[length])))
            ++length;
        const std::string_view name = rest_.substr(0, length);
        rest_.remove_prefix(length);
        skip_blanks();
        return name;
    }
    std::optional<double> take_number() {
        double number = 0;
        const auto [end, error] =
            std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
        if (error != std::errc() || rest_.starts_with('-') || !std::isfinite(number)) return {};
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        skip_blanks();
        return number;
    }

private:
    static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
    void skip_blanks() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
    }

    std::string_view rest_;
};

double value_of(reward_part part, const verdict& v, bool is_right_under_check) {
    switch (part) {
        case reward_part::compiled: return v.reached >= stage::compiled ? 1 : 0;
        case reward_part::ran: return v.reached >= stage::ran ? 1 : 0;
        case reward_part::correct: return v.passed() ? 1 : 0;
        case reward_part::checked: return is_right_under_check ? 1 : 0;
        case reward_part::truncated: return v.is_cut ? 1 : 0;
        case reward_part::tokens: return static_cast<double>(v.tokens.value_or(0));
    }
    return 0;
}

}  // namespace

std::string_view name_of(reward_part part) {
    return names_of_parts[static_cast<std::size_t>(part)];
}

result<reward_formula> reward_formula::parse(std::string_view text) {
    const auto wrong = [&](const std::string& what) {
        return usage_error("the formula \"" + std::string(text) + "\": " + what);
    };
    reward_formula made;
    formula_reader reader(text);
    double sign = reader.take('-') ? -1 : 1;
    while (true) {
        term next{sign, {}};
        do {
            if (const auto number = reader.take_number()) {
                next.factor *= *number;
                continue;
            }
            const std::string_view before = reader.rest();
            const std::string_view name = reader.take_name();
            const auto part = part_of(name);
            if (name.empty())
                return wrong(before.empty() ? "it ends where a number or a name should be"
                                            : "no number and no name: " + std::string(before));
            if (!part) {
                std::string known;
                for (const auto each : names_of_parts)
                    known += (known.empty() ? "" : ", ") + std::string(each);
                return wrong("there is no \"" + std::string(name) + "\" (" + known + ")");
            }
            next.parts.push_back(*part);
        } while (reader.take('*'));
        made.terms_.push_back(std::move(next));
        if (reader.at_end()) return made;
        if (reader.take('+'))
            sign = 1;
        else if (reader.take('-'))
            sign = -1;
        else
            return wrong("no +, - or * before " + std::string(reader.rest()));
    }
}

bool reward_formula::names(reward_part part) const {
    return std::ranges::any_of(terms_, [part](const term& t) {
        return std::ranges::find(t.parts, part) != t.parts.end();
    });
}

result<double> reward_formula::of(const verdict& v, bool is_right_under_check) const {
    if (!v.tokens && names(reward_part::tokens))
        return data_error("its verdict has no number of tokens, which the formula names");
    double sum = 0;
    for (const term& t : terms_) {
        double product = t.factor;
        for (const reward_part part : t.parts) product *= value_of(part, v, is_right_under_check);
        sum += product;
    }
    if (!std::isfinite(sum)) return data_error("its reward is not finite");
    return sum;
}

}  // namespace cuset
