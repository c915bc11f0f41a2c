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

/// What encoding needs besides the immutable tables; one for each thread.
struct scratch {
    /// A short word and its tokens in one cache line. Entries of several tokenizers live side by
    /// side; `owner` tells them apart.
    struct alignas(64) cached_word {
        static constexpr std::size_t max_bytes = 16;
        static constexpr std::size_t max_tokens = 7;
        std::array<std::uint64_t, 2> key{};
        std::uint32_t owner = 0;  // 0: empty
        std::array<std::int32_t, max_tokens> ids{};
        std::uint8_t size = 0;
        std::uint8_t tokens = 0;
        std::array<std::uint8_t, max_tokens> ends{};
    };
    /// 512 KiB: fits the second-level cache beside the text. More entries were slower on CUDA code.
    static constexpr std::size_t cache_entries = 8192;

    std::vector<cached_word> cache;
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
static_assert(sizeof(scratch::cached_word) == 64);

/// Fills s.word with the tokens of a word: merges by rank, the leftmost of equals first, until none
/// applies. Bytes without a token are passed over. `size` < 2^32.
/// Time: quadratic in short words (a few compares), O(n log n) in long ones.
void merge_word(const vocabulary& v, const char* data, std::size_t size, scratch& s);

}  // namespace cuset::text
