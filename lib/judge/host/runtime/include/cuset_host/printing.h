// printf where its value is used: that differs between host and device.
#pragma once

#include <cstdio>

namespace cuset_host {

/// What printf gives back where it runs now: the number of characters, or on a device of arguments.
int printed(int characters, int arguments);

template <class... A>
inline int device_printf(const char* format, A... arguments) {
    return printed(std::printf(format, arguments...), int{sizeof...(A)});
}

}  // namespace cuset_host
