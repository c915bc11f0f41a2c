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
