#include "json_walk.h"

#include "cuset/stream/json_text.h"
#include "number_array.h"

namespace cuset::json_walk {
namespace {

// The inside of the string whose opening quote is just before `raw`.
std::string_view string_inside(const char* raw) {
    const char* end = raw;
    while (*end != '"') end += *end == '\\' ? 2 : 1;
    return {raw, static_cast<std::size_t>(end - raw)};
}

// simdjson 3.0 refuses some lone surrogates and turns others into bytes that are not UTF-8.
bool may_hold_surrogate(std::string_view inside) {
    for (std::size_t at = 0; (at = inside.find("\\u", at)) != std::string_view::npos; at += 2)
        if (at + 2 < inside.size() && (inside[at + 2] | 0x20) == 'd') return true;
    return false;
}

bool is_plain_scalar(std::string_view token) {
    return token == "true" || token == "false" || token == "null" || is_json_number(token);
}

error_code check_string(od::value& value) {
    const std::string_view token = trim_end(value.raw_json_token());
    const auto decoded = value.get_string();
    if (decoded.error() != simdjson::STRING_ERROR) return decoded.error();
    std::string scratch;
    return decode_json_string(token.substr(1, token.size() - 2), scratch) ? SUCCESS
                                                                          : simdjson::STRING_ERROR;
}

}  // namespace

const char* start_of(od::value& value) { return value.raw_json_token().data(); }

error_code pass(od::array array) { return array.raw_json().error(); }

std::string_view trim_end(std::string_view text) {
    const std::size_t last = text.find_last_not_of(" \t\r\n");
    return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

error_code check(od::value value, int depth) {
    if (depth == depth_limit) return simdjson::DEPTH_ERROR;
    od::json_type type{};
    if (const auto error = value.type().get(type)) return error;
    switch (type) {
        case od::json_type::array: {
            const bool numbers = read_number_array<any_number>(start_of(value), [](any_number) {});
            od::array array;
            if (const auto error = value.get_array().get(array)) return error;
            if (numbers) return pass(array);
            return for_each_element(array, [=](od::value v) { return check(v, depth + 1); });
        }
        case od::json_type::object: {
            od::object object;
            if (const auto error = value.get_object().get(object)) return error;
            return for_each_member(
                object, [=](std::string_view, od::value v) { return check(v, depth + 1); });
        }
        case od::json_type::string: return check_string(value);
        default:
            // Numbers of any size are accepted, even if they fit no machine type.
            return is_plain_scalar(trim_end(value.raw_json_token())) ? SUCCESS
                                                                     : simdjson::TAPE_ERROR;
    }
}

error_code decode_key(od::field& field, std::string& storage, std::string_view& key) {
    const char* const raw = field.key().raw();
    const auto decoded = field.unescaped_key();
    if (decoded.error() == SUCCESS) {
        key = decoded.value_unsafe();
        return SUCCESS;
    }
    if (decoded.error() != simdjson::STRING_ERROR) return decoded.error();
    storage.clear();
    if (!decode_json_string(string_inside(raw), storage)) return simdjson::STRING_ERROR;
    key = storage;
    return SUCCESS;
}

error_code is_null(od::value value, bool& null) {
    od::json_type type{};
    if (const auto error = value.type().get(type)) return error;
    null = type == od::json_type::null;
    return SUCCESS;
}

error_code pass_mistyped(od::value value, bool& mistyped) {
    mistyped = true;
    return check(value);
}

error_code read_string(od::value value, std::string& out, bool& mistyped) {
    out.clear();
    od::json_type type{};
    if (const auto error = value.type().get(type)) return error;
    if (type != od::json_type::string) return mistyped = true, check(value);
    const std::string_view token = trim_end(value.raw_json_token());
    const std::string_view inside = token.substr(1, token.size() - 2);
    const auto decoded = value.get_string();
    if (decoded.error() == SUCCESS && !may_hold_surrogate(inside)) {
        out.assign(decoded.value_unsafe());
        return SUCCESS;
    }
    if (decoded.error() != SUCCESS && decoded.error() != simdjson::STRING_ERROR)
        return decoded.error();
    return decode_json_string(inside, out) ? SUCCESS : simdjson::STRING_ERROR;
}

}  // namespace cuset::json_walk
