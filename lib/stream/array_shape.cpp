#include "cuset/stream/array_shape.h"

#include <algorithm>
#include <charconv>

namespace cuset {

std::optional<std::uint64_t> elements_of(std::string_view shape) {
    const auto skip_blanks = [&shape] {
        shape.remove_prefix(std::min(shape.find_first_not_of(' '), shape.size()));
    };
    const char closing = shape.starts_with('(') ? ')' : shape.starts_with('[') ? ']' : '\0';
    if (closing == 0) return {};
    shape.remove_prefix(1);
    std::uint64_t count = 1;
    for (bool more = true;;) {
        skip_blanks();
        if (shape.starts_with(closing))
            return shape.size() == 1 ? std::optional(count) : std::nullopt;
        std::uint64_t length = 0;
        const auto read = std::from_chars(shape.data(), shape.data() + shape.size(), length);
        if (!more || read.ec != std::errc() || __builtin_mul_overflow(count, length, &count))
            return {};
        shape.remove_prefix(static_cast<std::size_t>(read.ptr - shape.data()));
        skip_blanks();
        more = shape.starts_with(',');
        if (more) shape.remove_prefix(1);
    }
}

}  // namespace cuset
