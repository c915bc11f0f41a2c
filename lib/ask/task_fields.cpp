#include "task_fields.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cuset/stream/json_text.h"

namespace cuset {

namespace {

namespace dom = simdjson::dom;

status complain(std::string_view key, std::string_view what) {
    return data_error('"' + std::string(key) + "\" is " + std::string(what));
}

/// A value of the record, parsed apart from it; `parser` keeps it.
result<dom::array> array_of(dom::parser& parser, std::string_view key, std::string_view json) {
    std::string copy(json);
    replace_lone_surrogates(copy);
    dom::array array;
    if (parser.parse(copy).get(array)) return complain(key, "not an array that can be read");
    return array;
}

/// The last of duplicate keys counts.
simdjson::simdjson_result<dom::element> member_of(const dom::element& element,
                                                  std::string_view key) {
    simdjson::simdjson_result<dom::element> found = simdjson::NO_SUCH_FIELD;
    dom::object object;
    if (element.get(object)) return found;
    for (auto field : object)
        if (field.key == key) found = dom::element(field.value);
    return found;
}

status read_text(const dom::element& element, std::string_view array, std::string_view key,
                 std::string& out) {
    std::string_view text;
    if (member_of(element, key).get(text))
        return data_error("an element of \"" + std::string(array) + "\" has no \"" +
                          std::string(key) + "\" that is a string");
    out = text;
    return {};
}

status read_shape(const dom::element& element, std::string_view array, std::string& out) {
    dom::element value;
    dom::array dimensions;
    if (!member_of(element, "shape").get(value) && !value.get(dimensions)) {
        out = '(';
        std::size_t count = 0;
        for (const dom::element dimension : dimensions) {
            std::uint64_t length = 0;
            if (dimension.get(length))
                return data_error("a \"shape\" in \"" + std::string(array) +
                                  "\" has an element that is no length");
            out += (count++ > 0 ? ", " : "") + std::to_string(length);
        }
        out += count == 1 ? ",)" : ")";
        return {};
    }
    return read_text(element, array, "shape", out);
}

}  // namespace

std::string_view task_array::type() const {
    // NumPy's names, as gen.py's arrays have them, and the types with their bits.
    constexpr std::array<std::pair<std::string_view, std::string_view>, 15> types{{
        {"float32", "float"},
        {"float64", "double"},
        {"float16", "__half"},
        {"bfloat16", "__nv_bfloat16"},
        {"int8", "std::int8_t"},
        {"int16", "std::int16_t"},
        {"int32", "std::int32_t"},
        {"int64", "std::int64_t"},
        {"uint8", "std::uint8_t"},
        {"uint16", "std::uint16_t"},
        {"uint32", "std::uint32_t"},
        {"uint64", "std::uint64_t"},
        {"bool", "bool"},
        {"complex64", "float2"},
        {"complex128", "double2"},
    }};
    for (const auto& [name_of_numpy, name_of_cpp] : types)
        if (dtype == name_of_numpy) return name_of_cpp;
    return {};
}

bool task_fields::is_hip() const {
    if (!has("lang")) return false;
    const auto language = text("lang");
    return language && *language == "hip";
}

std::optional<std::string_view> task_fields::find(std::string_view key) const {
    const auto last = std::find_if(members_.rbegin(), members_.rend(),
                                   [&](const auto& member) { return member.key == key; });
    if (last == members_.rend() || last->json == "null") return {};
    return last->json;
}

result<std::string> task_fields::text(std::string_view key) const {
    if (is_named_gpu(key)) return std::string(gpu_);
    const auto json = find(key);
    if (!json) return complain(key, "missing");
    if (json->starts_with('{') || json->starts_with('['))
        return complain(key, "neither text nor a number");
    if (!json->starts_with('"')) return std::string(*json);
    std::string text;
    if (!decode_json_string(json->substr(1, json->size() - 2), text))
        return complain(key, "not valid JSON");
    return text;
}

result<std::vector<task_array>> task_fields::arrays(std::string_view key) const {
    const auto json = find(key);
    if (!json) return complain(key, "missing");
    dom::parser parser;
    CUSET_ASSIGN(const dom::array elements, array_of(parser, key, *json));
    std::vector<task_array> arrays;
    for (const dom::element element : elements) {
        task_array& a = arrays.emplace_back();
        CUSET_TRY(read_text(element, key, "name", a.name));
        CUSET_TRY(read_text(element, key, "dtype", a.dtype));
        CUSET_TRY(read_shape(element, key, a.shape));
        a.count = elements_of(a.shape);
    }
    return arrays;
}

bool task_fields::are_arrays(std::string_view key) const {
    const auto json = find(key);
    if (!json) return false;
    dom::parser parser;
    const auto elements = array_of(parser, key, *json);
    return elements && std::all_of(elements->begin(), elements->end(), [](dom::element element) {
               return !member_of(element, "dtype").error() && !member_of(element, "shape").error();
           });
}

result<std::vector<context_file>> task_fields::files(std::string_view key) const {
    std::vector<context_file> files;
    const auto json = find(key);
    if (!json) return files;
    dom::parser parser;
    CUSET_ASSIGN(const dom::array elements, array_of(parser, key, *json));
    for (const dom::element element : elements) {
        context_file& file = files.emplace_back();
        CUSET_TRY(read_text(element, key, "path", file.path));
        CUSET_TRY(read_text(element, key, "content", file.content));
    }
    return files;
}

result<std::optional<launch_shape>> task_fields::shape(std::string_view key) const {
    std::optional<launch_shape> shape;
    const auto json = find(key);
    if (!json) return shape;
    shape = launch_shape_of(*json);
    if (!shape) return complain(key, "no array of one to three lengths");
    return shape;
}

result<std::string> task_fields::words(std::string_view key) const {
    const auto json = find(key);
    if (!json) return std::string();
    if (!json->starts_with('[')) return text(key);
    dom::parser parser;
    CUSET_ASSIGN(const dom::array elements, array_of(parser, key, *json));
    std::string words;
    for (const dom::element element : elements) {
        std::string_view word;
        if (element.get(word)) return complain(key, "not an array of strings");
        (words += words.empty() ? "" : " ") += word;
    }
    return words;
}

}  // namespace cuset
