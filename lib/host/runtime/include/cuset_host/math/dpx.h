// The instructions for dynamic programming ("DPX") of the CUDA Math API: minima and maxima of sums
// and of three values, of a word or of its two halves, with or without a floor of 0; and what tells
// where an address lies.
#pragma once

#include <cuset_host/threads/execution.h>

#include <cstdint>

namespace cuset_host {

template <class T>
inline T least(T a, T b) {
    return b < a ? b : a;
}
template <class T>
inline T most(T a, T b) {
    return a < b ? b : a;
}
template <class T>
inline T wrapping_sum(T a, T b) {
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
/// The function of the halves of words, as T.
template <class T, class F>
inline unsigned in_halves(unsigned a, unsigned b, unsigned c, const F& f) {
    const auto half = [&](int by) {
        const T made = f(static_cast<T>(a >> by), static_cast<T>(b >> by), static_cast<T>(c >> by));
        return static_cast<unsigned>(static_cast<std::uint16_t>(made)) << by;
    };
    return half(0) | half(16);
}

}  // namespace cuset_host

#define CUSET_HOST_DPX(name, expression)                                                 \
    inline int name##_s32(int a, int b, int c) {                                         \
        using T = int;                                                                   \
        return expression;                                                               \
    }                                                                                    \
    inline unsigned name##_u32(unsigned a, unsigned b, unsigned c) {                     \
        using T = unsigned;                                                              \
        return expression;                                                               \
    }                                                                                    \
    inline unsigned name##_s16x2(unsigned first, unsigned second, unsigned third) {      \
        using T = std::int16_t;                                                          \
        return cuset_host::in_halves<T>(first, second, third,                            \
                                        [](T a, T b, T c) -> T { return expression; });  \
    }                                                                                    \
    inline unsigned name##_u16x2(unsigned first, unsigned second, unsigned third) {      \
        using T = std::uint16_t;                                                         \
        return cuset_host::in_halves<T>(first, second, third,                            \
                                        [](T a, T b, T c) -> T { return expression; });  \
    }                                                                                    \
    inline int name##_s32_relu(int a, int b, int c) {                                    \
        using T = int;                                                                   \
        return cuset_host::most(0, expression);                                          \
    }                                                                                    \
    inline unsigned name##_s16x2_relu(unsigned first, unsigned second, unsigned third) { \
        using T = std::int16_t;                                                          \
        return cuset_host::in_halves<T>(first, second, third, [](T a, T b, T c) -> T {   \
            return cuset_host::most(T(0), static_cast<T>(expression));                   \
        });                                                                              \
    }
CUSET_HOST_DPX(__viaddmax, cuset_host::most<T>(cuset_host::wrapping_sum<T>(a, b), c))
CUSET_HOST_DPX(__viaddmin, cuset_host::least<T>(cuset_host::wrapping_sum<T>(a, b), c))
CUSET_HOST_DPX(__vimax3, cuset_host::most<T>(cuset_host::most<T>(a, b), c))
CUSET_HOST_DPX(__vimin3, cuset_host::least<T>(cuset_host::least<T>(a, b), c))
#undef CUSET_HOST_DPX

inline int __vimax_s32_relu(int a, int b) { return __vimax3_s32(a, b, 0); }
inline int __vimin_s32_relu(int a, int b) { return cuset_host::most(0, cuset_host::least(a, b)); }
inline unsigned __vimax_s16x2_relu(unsigned a, unsigned b) { return __vimax3_s16x2_relu(a, b, b); }
inline unsigned __vimin_s16x2_relu(unsigned a, unsigned b) { return __vimin3_s16x2_relu(a, b, b); }

/// The predicate tells whether the first is the result.
#define CUSET_HOST_DPX_CHOICE(suffix, type)                            \
    inline type __vibmax_##suffix(type a, type b, bool* const first) { \
        *first = a >= b;                                               \
        return *first ? a : b;                                         \
    }                                                                  \
    inline type __vibmin_##suffix(type a, type b, bool* const first) { \
        *first = a <= b;                                               \
        return *first ? a : b;                                         \
    }
CUSET_HOST_DPX_CHOICE(s32, int)
CUSET_HOST_DPX_CHOICE(u32, unsigned)
#undef CUSET_HOST_DPX_CHOICE
#define CUSET_HOST_DPX_CHOICES(suffix, type)                                                       \
    inline unsigned __vibmax_##suffix(unsigned a, unsigned b, bool* const high, bool* const low) { \
        *high = static_cast<type>(a >> 16) >= static_cast<type>(b >> 16);                          \
        *low = static_cast<type>(a) >= static_cast<type>(b);                                       \
        return __vimax3_##suffix(a, b, b);                                                         \
    }                                                                                              \
    inline unsigned __vibmin_##suffix(unsigned a, unsigned b, bool* const high, bool* const low) { \
        *high = static_cast<type>(a >> 16) <= static_cast<type>(b >> 16);                          \
        *low = static_cast<type>(a) <= static_cast<type>(b);                                       \
        return __vimin3_##suffix(a, b, b);                                                         \
    }
CUSET_HOST_DPX_CHOICES(s16x2, std::int16_t)
CUSET_HOST_DPX_CHOICES(u16x2, std::uint16_t)
#undef CUSET_HOST_DPX_CHOICES
