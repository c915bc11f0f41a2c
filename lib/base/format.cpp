#include "cuset/base/format.h"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>

namespace cuset {

std::string format(const char* form, ...) {
    std::array<char, 512> text;
    va_list arguments;
    va_start(arguments, form);
    const int length = std::vsnprintf(text.data(), text.size(), form, arguments);
    va_end(arguments);
    return {text.data(), std::min(static_cast<std::size_t>(length), text.size() - 1)};
}

}  // namespace cuset
