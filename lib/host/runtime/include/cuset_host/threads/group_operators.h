// The operators that cooperative groups have names for.
#pragma once

#define CUSET_HOST_GROUP_OPERATOR(name, expression)         \
    template <class T>                                      \
    struct name {                                           \
        T operator()(T a, T b) const { return expression; } \
    };
namespace cooperative_groups {
CUSET_HOST_GROUP_OPERATOR(plus, a + b)
CUSET_HOST_GROUP_OPERATOR(less, b < a ? b : a)
CUSET_HOST_GROUP_OPERATOR(greater, a < b ? b : a)
CUSET_HOST_GROUP_OPERATOR(bit_and, a& b)
CUSET_HOST_GROUP_OPERATOR(bit_or, a | b)
CUSET_HOST_GROUP_OPERATOR(bit_xor, a ^ b)
}  // namespace cooperative_groups
#undef CUSET_HOST_GROUP_OPERATOR

namespace cooperative_groups::details {

/// Makes `atomic`, a cuda::atomic or cuda::atomic_ref, combine(atomic, value); gives what it held.
template <class Atomic, class T, class F>
inline T combine_into(Atomic& atomic, const T& value, F& combine) {
    auto held = atomic.load();
    while (!atomic.compare_exchange_weak(held, combine(held, value))) {
    }
    return held;
}

}  // namespace cooperative_groups::details
