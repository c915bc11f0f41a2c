// Byte-pair encoding of one word, and the cache in front of it. Internal to lib/text.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "vocabulary.h"

namespace cuset::text {

/// One token of a word: its id, and where its bytes end, counted from the word's beginning.
struct word_token {
    std::int32_t id;
    std::uint32_t end;
};

/// The working memory of encoding beside the immutable tables; one for each thread.
struct scratch {
    /// A word and its tokens. Entries of several tokenizers live side by side; `owner` tells them
    /// apart (0: empty).
    template <std::size_t bytes, std::size_t most_tokens>
    struct alignas(64) cached_word {
        static constexpr std::size_t max_bytes = bytes;
        static constexpr std::size_t max_tokens = most_tokens;
        std::array<std::uint64_t, bytes / 8> key{};  // zeros after the word
        std::uint32_t owner = 0;
        std::array<std::int32_t, most_tokens> ids{};
        std::uint8_t size = 0;
        std::uint8_t tokens = 0;
        std::array<std::uint8_t, most_tokens> ends{};
    };
    using short_entry = cached_word<16, 7>;
    using long_entry = cached_word<48, 12>;
    static_assert(sizeof(short_entry) == 64 && sizeof(long_entry) == 128);
    /// They take 512 and 128 KiB, and fit the second-level cache beside the text. Both are sets of
    /// two entries; the first is the younger.
    static constexpr std::size_t short_entries = 8192;
    static constexpr std::size_t long_entries = 1024;

    std::vector<short_entry> short_words;
    std::vector<long_entry> long_words;
    std::vector<word_token> word;  // the tokens of the word at hand

    // For words of any length.
    struct symbol {
        std::int32_t id;
        std::uint32_t end;
        std::uint32_t previous, next;
        std::uint64_t merge;  // with the next symbol; vocabulary::no_merge if it has none
    };
    std::vector<symbol> symbols;
    std::vector<std::uint64_t> heap;
};

/// Fills s.word with the tokens of a word: merges by rank, the leftmost of equals first, until none
/// applies. Bytes without a token are skipped. `size` < 2^32.
/// Time: quadratic in short words (a few compares), O(n log n) in long ones.
void merge_word(const vocabulary& v, const char* data, std::size_t size, scratch& s);

}  // namespace cuset::text
