#include "cuset/cost/launch_shape.h"

#include <simdjson.h>

#include <algorithm>

namespace cuset {

std::string shown(const launch_shape& shape) {
    std::string text = "(";
    for (const std::uint64_t length : shape) {
        if (text.size() > 1) text += ", ";
        text += std::to_string(length);
    }
    return text += ')';
}

std::optional<launch_shape> launch_shape_of(std::string_view json) {
    simdjson::dom::parser parser;
    simdjson::dom::element value;
    simdjson::dom::array lengths;
    launch_shape shape{1, 1, 1};
    if (parser.parse(std::string(json)).get(value)) return {};
    if (value.get(shape[0])) {
        if (value.get(lengths) || lengths.size() == 0 || lengths.size() > shape.size()) return {};
        std::size_t count = 0;
        for (const simdjson::dom::element length : lengths)
            if (length.get(shape[count++])) return {};
    }
    if (std::ranges::count(shape, 0U) > 0) return {};
    return shape;
}

}  // namespace cuset
