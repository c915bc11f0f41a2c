// Walks over one JSON line with simdjson On-Demand and checks every byte that it passes. On-Demand
// by itself looks only at what it is asked for; a record tool must not let broken JSON through.
//
// The readers keep two failures apart. Broken JSON is an error_code, and the walk is over. A value
// of another type than wanted is no error: it is checked, skipped and reported by a bool, since a
// later duplicate of the same key may be right.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "number_array.h"

namespace cuset::json_walk {

namespace od = simdjson::ondemand;
using simdjson::error_code;
using simdjson::SUCCESS;

/// How deep a value's arrays and objects may nest; each level costs a stack frame. This is a few
/// less than simdjson's own 1024, which counts what is around a value too.
inline constexpr int depth_limit = 1000;

/// The text without the white space at its end.
std::string_view trim_end(std::string_view text);

/// Skips a value and checks all of it. `depth` is the depth of its container.
error_code check(od::value value, int depth = 0);

/// The beginning of the value, which stays unread.
const char* start_of(od::value& value);

/// Skips an array that has been checked already.
error_code pass(od::array array);

/// Decodes a member's key; `storage` holds it if simdjson cannot (lone surrogates).
error_code decode_key(od::field& field, std::string& storage, std::string_view& key);

/// Reads a string into `out` (emptied first). Lone surrogate escapes become U+FFFD.
error_code read_string(od::value value, std::string& out, bool& mistyped);

/// Sets `null` if the value is null, which counts as a missing field. The value stays unread.
error_code is_null(od::value value, bool& null);

/// The rest of read_number for a value that is no number that fits. It is never inlined: arrays of
/// thousands of numbers are most of a scored record, and the loop over them should stay small.
[[gnu::cold, gnu::noinline]] error_code pass_mistyped(od::value value, bool& mistyped);

/// Reads a number that fits; any other value sets `mistyped`.
[[gnu::always_inline]] inline error_code read_number(od::value& value, std::uint64_t& out,
                                                     bool& mistyped) {
    // A failed get leaves the value unread.
    return value.get_uint64().get(out) == SUCCESS ? SUCCESS : pass_mistyped(value, mistyped);
}
[[gnu::always_inline]] inline error_code read_number(od::value& value, double& out,
                                                     bool& mistyped) {
    // Not get_double(): simdjson 3.0 misreads numbers of more than 19 digits.
    const std::string_view token = trim_end(value.raw_json_token());
    const char* const end = number_array::read(token.data(), out);
    return end == token.data() + token.size() ? SUCCESS : pass_mistyped(value, mistyped);
}

/// Calls visit(key, value) for each member, in order; visit reads the value or leaves it alone.
template <class Visit>
error_code for_each_member(od::object object, const Visit& visit) {
    std::string storage;
    for (auto member : object) {
        od::field field;
        if (const auto error = std::move(member).get(field)) return error;
        std::string_view key;
        if (const auto error = decode_key(field, storage, key)) return error;
        if (const auto error = visit(key, field.value())) return error;
    }
    return SUCCESS;
}

template <class Visit>
error_code for_each_member(od::value value, bool& mistyped, const Visit& visit) {
    od::json_type type{};
    if (const auto error = value.type().get(type)) return error;
    if (type != od::json_type::object) return mistyped = true, check(value);
    od::object object;
    if (const auto error = value.get_object().get(object)) return error;
    return for_each_member(object, visit);
}

/// Calls visit(value) for each element, in order.
template <class Visit>
error_code for_each_element(od::array array, const Visit& visit) {
    for (auto element : array) {
        od::value item;
        if (const auto error = element.get(item)) return error;
        if (const auto error = visit(item)) return error;
    }
    return SUCCESS;
}
template <class Visit>
error_code for_each_element(od::value value, bool& mistyped, const Visit& visit) {
    od::json_type type{};
    if (const auto error = value.type().get(type)) return error;
    if (type != od::json_type::array) return mistyped = true, check(value);
    od::array array;
    if (const auto error = value.get_array().get(array)) return error;
    return for_each_element(array, visit);
}

}  // namespace cuset::json_walk
