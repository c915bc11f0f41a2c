// printf where its value is used: that differs between host and device.
#pragma once

namespace cuset_host {

/// What printf gives back where it runs now: the number of characters, or on a device of arguments.
int printed(int characters, int arguments);

/// Made of the program's own printf: who forgets <cstdio> is told so.
struct device_printing {
    int (*print)(const char*, ...);

    template <class... A>
    int operator()(const char* format, A... arguments) const {
        return printed(print(format, arguments...), int{sizeof...(A)});
    }
};

}  // namespace cuset_host
