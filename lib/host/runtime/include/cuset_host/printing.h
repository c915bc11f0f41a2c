// printf with its value, which differs between host and device.
#pragma once

namespace cuset_host {

/// The value of printf where it runs now: the number of characters or, on a device, of arguments.
int printed(int characters, int arguments);

/// Uses the program's own printf: a program without <cstdio> gets its compiler's error.
struct device_printing {
    int (*print)(const char*, ...);

    template <class... A>
    int operator()(const char* format, A... arguments) const {
        return printed(print(format, arguments...), int{sizeof...(A)});
    }
};

}  // namespace cuset_host
