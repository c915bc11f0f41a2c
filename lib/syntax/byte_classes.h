// The kinds of token that each byte can begin, for the lexer.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "cuset/syntax/lexer.h"

namespace cuset::syntax {

/// The kinds of token that can begin with the byte.
enum byte_class : std::uint8_t {
    blank,
    newline,
    letter,
    digit,
    quote,
    apostrophe,
    slash,
    backslash,
    hash,
    dot,
    opener,
    closer,
    less_than,
    greater_than,
    minus,
    colon,
    percent,
    equals,  // = and the operators that may come before it and matter here: !
    other,
};

constexpr std::array<std::uint8_t, 256> make_byte_classes() {
    std::array<std::uint8_t, 256> t{};
    for (std::size_t i = 0; i < 256; ++i) {
        t[i] = i >= '0' && i <= '9'   ? digit
               : word_bytes[i]        ? letter
               : i <= ' ' || i == 127 ? blank
                                      : other;
    }
    t['\n'] = newline;
    t['"'] = quote;
    t['\''] = apostrophe;
    t['/'] = slash;
    t['\\'] = backslash;
    t['#'] = hash;
    t['.'] = dot;
    t['('] = t['['] = t['{'] = opener;
    t[')'] = t[']'] = t['}'] = closer;
    t['<'] = less_than;
    t['>'] = greater_than;
    t['-'] = minus;
    t[':'] = colon;
    t['%'] = percent;
    t['='] = t['!'] = equals;
    return t;
}
inline constexpr auto byte_classes = make_byte_classes();
inline byte_class class_of(char c) {
    return static_cast<byte_class>(byte_classes[static_cast<unsigned char>(c)]);
}

/// The end of a run of word bytes. Half of all bytes are in words, and a loop over single bytes
/// would be badly predicted: so sixteen are looked at together.
inline const char* skip_word_bytes(const char* p, const char* end) {
#ifdef __SSE2__
    for (; end - p >= 16; p += 16) {
        const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
        const auto within = [](__m128i x, char first, char count) {
            const __m128i from = _mm_sub_epi8(x, _mm_set1_epi8(first));
            const __m128i last = _mm_set1_epi8(static_cast<char>(count - 1));
            return _mm_cmpeq_epi8(_mm_min_epu8(from, last), from);
        };
        const __m128i letters = within(_mm_or_si128(v, _mm_set1_epi8(0x20)), 'a', 26);
        const __m128i marks = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('_')),
                                           _mm_cmpeq_epi8(v, _mm_set1_epi8('$')));
        const __m128i digits = within(v, '0', 10);
        // v itself is part: bytes from 128 on have the bit that movemask looks at.
        const __m128i all = _mm_or_si128(_mm_or_si128(letters, marks), _mm_or_si128(digits, v));
        const auto mask = static_cast<unsigned>(_mm_movemask_epi8(all));
        if (mask != 0xFFFFu) return p + std::countr_one(mask);
    }
#endif
    while (p < end && is_word_byte(*p)) ++p;
    return p;
}

/// The end of a run of blanks. Lines are indented by many, and the length of a loop over single
/// bytes would be badly predicted.
inline const char* skip_spaces(const char* p, const char* end) {
#ifdef __SSE2__
    for (; end - p >= 16; p += 16) {
        const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
        const auto mask =
            static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8(' '))));
        if (mask != 0xFFFFu) return p + std::countr_one(mask);
    }
#endif
    while (p < end && *p == ' ') ++p;
    return p;
}

}  // namespace cuset::syntax
