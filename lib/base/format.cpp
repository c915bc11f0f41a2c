#include "cuset/base/format.h"

#include <cstdarg>
#include <cstdio>

namespace cuset {

std::string format(const char* form, ...) {
    va_list arguments, again;
    va_start(arguments, form);
    va_copy(again, arguments);
    const int length = std::vsnprintf(nullptr, 0, form, arguments);
    va_end(arguments);
    std::string text(length > 0 ? static_cast<std::size_t>(length) : 0, '\0');
    std::vsnprintf(text.data(), text.size() + 1, form, again);
    va_end(again);
    return text;
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view several) {
    std::string text = std::to_string(count);
    text += ' ';
    return text.append(count == 1 ? one : several);
}

std::string counted(std::uint64_t count, std::string_view one) {
    return counted(count, one, std::string(one) + 's');
}

}  // namespace cuset
