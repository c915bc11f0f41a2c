// The stores of programs whose warps run in step. They are the program's own, also where it is
// counted: the instrumenting assembler knows this file.
#pragma once

#include <type_traits>

#include "cuset_host/threads/execution.h"

namespace cuset_host {

/// A store to `to` at such a point: `in_step(14, a[i]) += x`.
template <class T>
struct stepping_store {
    using value = std::remove_cv_t<T>;
    int place;
    T& to;
    void operator=(value x) const {
        step(place);
        to = x;
        step(place + 1);
    }
#define CUSET_HOST_STEPPING(operation)   \
    template <class U>                   \
    void operator operation(U x) const { \
        value sum = to;                  \
        sum operation x;                 \
        step(place);                     \
        to = sum;                        \
        step(place + 1);                 \
    }
    CUSET_HOST_STEPPING(+=)
    CUSET_HOST_STEPPING(-=)
    CUSET_HOST_STEPPING(*=)
    CUSET_HOST_STEPPING(/=)
    CUSET_HOST_STEPPING(%=)
    CUSET_HOST_STEPPING(&=)
    CUSET_HOST_STEPPING(|=)
    CUSET_HOST_STEPPING(^=)
    CUSET_HOST_STEPPING(<<=)
    CUSET_HOST_STEPPING(>>=)
#undef CUSET_HOST_STEPPING
};
template <class T>
inline stepping_store<T> in_step(int place, T& to) {
    return {place, to};
}

}  // namespace cuset_host
