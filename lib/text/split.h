// Pre-tokenizers: they cut the text into the words that BPE works on. Each is a scanner written by
// hand for one exact chain of tokenizer.json, and matches as Oniguruma does with the chain's
// regular expressions. Internal to lib/text.
#pragma once

#include <array>
#include <cstdint>

#include "unicode.h"

namespace cuset::text {

/// Names the scanner; recognise_chain() has the JSON of each.
enum class chain : unsigned char {
    gpt2,            ///< ByteLevel with its own pattern
    gpt2_digits,     ///< single digits apart, then the same (SmolLM, StarCoder)
    qwen2,           ///< cl100k-style pattern, \p{N}
    llama3,          ///< the same, \p{N}{1,3}
    seed_coder,      ///< the same, \p{N}{1}, no newlines after punctuation
    deepseek_coder,  ///< five splits one after the other
};

constexpr std::uint8_t multibyte = 128;  ///< in ascii_class: the first byte of a longer character

constexpr std::array<std::uint8_t, 256> make_ascii_classes() {
    std::array<std::uint8_t, 256> table{};
    for (unsigned c = 0; c < 256; ++c) {
        std::uint8_t bits = 0;
        if (c >= 0x80) {
            bits = multibyte;
        } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
            bits = letter;
        } else if (c >= '0' && c <= '9') {
            bits = number | numeric;
        } else if (c == '\r' || c == '\n') {
            bits = space | newline;
        } else if (c == ' ' || (c >= '\t' && c <= '\r')) {
            bits = space;
        } else if (c > ' ' && c < 0x7F && c != '$' && c != '+' && c != '<' && c != '=' &&
                   c != '>' && c != '^' && c != '`' && c != '|' && c != '~') {
            bits = punctuation;
        }
        table[c] = bits;
    }
    return table;
}
inline constexpr std::array<std::uint8_t, 256> ascii_class = make_ascii_classes();

struct classified {
    std::uint8_t bits;
    unsigned length;
};

inline classified classify(const char* p) {
    const std::uint8_t bits = ascii_class[static_cast<unsigned char>(*p)];
    if ((bits & multibyte) == 0) [[likely]]
        return {bits, 1};
    const decoded d = decode_utf8(p);
    return {class_of(d.code_point), d.length};
}

/// The first character at or after `p` whose class has none of `bits`.
inline const char* skip_while(const char* p, const char* end, std::uint8_t bits) {
    while (p < end) {
        const classified c = classify(p);
        if ((c.bits & bits) == 0) break;
        p += c.length;
    }
    return p;
}

/// The first character at or after `p` whose class has any of `bits`.
inline const char* skip_until(const char* p, const char* end, std::uint8_t bits) {
    while (p < end) {
        const classified c = classify(p);
        if ((c.bits & bits) != 0) break;
        p += c.length;
    }
    return p;
}

/// A scanner's next(p, end) gives the end of the word that begins at `p` < `end`.
///
/// `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,max_digits}|
/// ?[^\s\p{L}\p{N}]+[\r\n]*
/// |\s*[\r\n]+|\s+(?!\S)|\s+`, and the same without its `[\r\n]*`.
template <int max_digits, bool newlines_after_punctuation>
struct cl100k_scanner {
    static const char* next(const char* p, const char* end);
};

/// `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`; with
/// `digits_apart` the text was first cut around every numeric character.
template <bool digits_apart>
struct gpt2_scanner {
    static const char* next(const char* p, const char* end);
};

/// `[\r\n]`, `\s?\p{L}+`, `\s?\p{P}+`, `[一-龥ࠀ-一가-퟿]+` and digits; each cuts what the
/// one before left. The scanner's words are those of the first three; the last two cut within a
/// word, see refine().
struct deepseek_scanner {
    static const char* next(const char* p, const char* end);
    /// The end of the first piece of a word, `p` < `end`.
    static const char* refine(const char* p, const char* end);
};

// ---------------------------------------------------------------------------------------------

namespace detail {

/// The number of bytes after the apostrophe at `p`[-1] that make a contraction, ignoring case; 0 if
/// none. Case folding makes U+017F an s.
inline unsigned folded_contraction(const char* p, const char* end) {
    if (p == end) return 0;
    const auto lower = [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    };
    switch (lower(*p)) {
        case 's':
        case 't':
        case 'm':
        case 'd': return 1;
        case 'r':
        case 'v': return p + 1 < end && lower(p[1]) == 'e' ? 2 : 0;
        case 'l': return p + 1 < end && lower(p[1]) == 'l' ? 2 : 0;
        case '\xC5': return p + 1 < end && p[1] == '\xBF' ? 2 : 0;
        default: return 0;
    }
}

inline unsigned contraction(const char* p, const char* end) {
    if (p == end) return 0;
    switch (*p) {
        case 's':
        case 't':
        case 'm':
        case 'd': return 1;
        case 'r':
        case 'v': return p + 1 < end && p[1] == 'e' ? 2 : 0;
        case 'l': return p + 1 < end && p[1] == 'l' ? 2 : 0;
        default: return 0;
    }
}

}  // namespace detail

template <int max_digits, bool newlines_after_punctuation>
inline const char* cl100k_scanner<max_digits, newlines_after_punctuation>::next(const char* p,
                                                                                const char* end) {
    const classified first = classify(p);
    const char* const second = p + first.length;
    if ((first.bits & letter) != 0) return skip_while(second, end, letter);
    if (*p == '\'') {
        if (const unsigned n = detail::folded_contraction(second, end)) return second + n;
    }
    if ((first.bits & number) != 0) {
        const char* q = second;
        for (int digits = 1; digits < max_digits && q < end; ++digits) {
            const classified c = classify(q);
            if ((c.bits & number) == 0) break;
            q += c.length;
        }
        return q;
    }
    const classified after = second < end ? classify(second) : classified{space, 0};
    if ((first.bits & newline) == 0 && (after.bits & letter) != 0)
        return skip_while(second + after.length, end, letter);
    constexpr std::uint8_t not_symbol = letter | number | space;
    const bool leading_space = *p == ' ' && (after.bits & not_symbol) == 0;
    if (leading_space || (first.bits & not_symbol) == 0) {
        const char* q = skip_until(second, end, not_symbol);
        if constexpr (newlines_after_punctuation) {
            while (q < end && (*q == '\r' || *q == '\n')) ++q;
        }
        return q;
    }
    // White space: up to its last newline; else all but the last character, which belongs to the
    // next word; at the end of the text, all of it.
    const char* last_newline = nullptr;
    const char* last = p;
    const char* q = p;
    while (q < end) {
        const classified c = classify(q);
        if ((c.bits & space) == 0) break;
        last = q;
        q += c.length;
        if ((c.bits & newline) != 0) last_newline = q;
    }
    if (last_newline != nullptr) return last_newline;
    return q == end || last == p ? q : last;
}

template <bool digits_apart>
inline const char* gpt2_scanner<digits_apart>::next(const char* p, const char* end) {
    // If digits are apart, the pattern sees a numeric character as the end of the text. All \p{N}
    // are numeric; the few numeric characters outside \p{N} would count as symbols.
    constexpr std::uint8_t border = digits_apart ? numeric : 0;
    classified first = classify(p);
    const char* second = p + first.length;
    if (digits_apart && (first.bits & numeric) != 0) return second;
    if (*p == '\'') {
        if (const unsigned n = detail::contraction(second, end)) return second + n;
    }
    if (*p == ' ' && second < end) {
        const classified after = classify(second);
        if ((after.bits & (space | border)) == 0) {
            first = after;
            second += after.length;
        }
    }
    if ((first.bits & letter) != 0) return skip_while(second, end, letter);
    if ((first.bits & number) != 0) return skip_while(second, end, number);
    if ((first.bits & space) == 0) return skip_until(second, end, letter | number | space | border);
    const char* last = p;
    const char* q = p;
    bool at_end = true;
    while (q < end) {
        const classified c = classify(q);
        if ((c.bits & space) == 0) {
            at_end = (c.bits & border) != 0;
            break;
        }
        last = q;
        q += c.length;
    }
    return at_end || last == p ? q : last;
}

inline const char* deepseek_scanner::next(const char* p, const char* end) {
    const classified first = classify(p);
    if ((first.bits & newline) != 0) return p + 1;
    // A letter or punctuation run, perhaps with one white-space character before it.
    const auto run = [end](const char* at, classified c) -> const char* {
        const char* q = at + c.length;
        if ((c.bits & space) != 0 && q < end) {
            c = classify(q);
            q += c.length;
        }
        if ((c.bits & letter) != 0) return skip_while(q, end, letter);
        if ((c.bits & punctuation) != 0) return skip_while(q, end, punctuation);
        return nullptr;
    };
    if (const char* q = run(p, first)) return q;
    // The rest, until such a run or a newline begins.
    const char* q = p + first.length;
    while (q < end) {
        const classified c = classify(q);
        if ((c.bits & (newline | letter | punctuation)) != 0) break;
        if ((c.bits & space) != 0 && q + c.length < end &&
            (classify(q + c.length).bits & (letter | punctuation)) != 0)
            break;
        q += c.length;
    }
    return q;
}

inline const char* deepseek_scanner::refine(const char* p, const char* end) {
    enum kind : unsigned char { plain, cjk, digit };
    const auto kind_at = [](const char* at, unsigned& length) -> kind {
        const std::uint8_t bits = ascii_class[static_cast<unsigned char>(*at)];
        length = 1;
        if ((bits & multibyte) == 0) return (bits & numeric) != 0 ? digit : plain;
        const decoded d = decode_utf8(at);
        length = d.length;
        if ((class_of(d.code_point) & numeric) != 0) return digit;
        const bool in_range = (d.code_point >= 0x800 && d.code_point <= 0x9FA5) ||
                              (d.code_point >= 0xAC00 && d.code_point <= 0xD7FF);
        return in_range ? cjk : plain;
    };
    unsigned length = 0;
    const kind first = kind_at(p, length);
    p += length;
    if (first == digit) return p;
    while (p < end && kind_at(p, length) == first) p += length;
    return p;
}

}  // namespace cuset::text
