#include "verdict/count_outcome.h"

#include <cmath>

#include "cuset/stream/json_writer.h"

namespace cuset {

namespace {

namespace dom = simdjson::dom;

constexpr double most_whole = 9007199254740992;  // 2^53: each whole number up to it is a double

/// A whole number has no exponent.
void write_number(const std::optional<double>& number, json_writer& json) {
    if (number && *number >= 0 && *number <= most_whole && std::floor(*number) == *number)
        json.value(static_cast<std::uint64_t>(*number));
    else
        json.value(number);
}

/// False where the value is of another kind; null is nothing.
template <class Value>
bool read(const dom::element& object, std::string_view key, std::optional<Value>& out) {
    dom::element value;
    if (object[key].get(value)) return false;
    if (value.is_null()) return true;
    Value found{};
    if (value.get(found)) return false;
    out = found;
    return true;
}

}  // namespace

std::optional<double> count_outcome::relative_error() const {
    if (!expected || !answer) return {};
    if (*expected == *answer) return 0;
    if (*expected == 0) return {};
    return std::abs(*answer - *expected) / *expected;
}

void write_count(const count_outcome& count, json_writer& json) {
    json.begin_object().member("quantity", count.quantity).member("category", count.category);
    json.key("expected");
    write_number(count.expected, json);
    json.key("answer");
    write_number(count.answer, json);
    json.key("relative_error");
    if (const auto error = count.relative_error())
        json.value(*error, 6);
    else
        json.null();
    json.member("hidden_flops", count.hidden_flops);
    json.member("stated_hidden_flops", count.stated_hidden_flops).end_object();
}

result<count_outcome> read_count(dom::element json) {
    count_outcome count;
    std::string_view quantity, category;
    if (json["quantity"].get(quantity) || json["category"].get(category) ||
        !read(json, "expected", count.expected) || !read(json, "answer", count.answer) ||
        !read(json, "hidden_flops", count.hidden_flops) ||
        !read(json, "stated_hidden_flops", count.stated_hidden_flops) ||
        (count.expected && !(*count.expected >= 0)))
        return data_error("no verdict: \"count\" is wrong");
    count.quantity = quantity;
    count.category = category;
    return count;
}

}  // namespace cuset
