#include "unicode.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "unicode_data.h"

namespace cuset::text {

namespace {

struct combining_range {
    char32_t first, last;
    std::uint8_t combining_class;
};
struct decomposition_entry {
    char32_t composite, first, second;
};
struct composition_entry {
    char32_t first, second, composite;
};

#include "unicode_tables.inc"

}  // namespace

std::uint8_t class_of(char32_t c) { return class_blocks[class_index[c >> 8]][c & 0xFF]; }

std::uint8_t combining_class(char32_t c) {
    const auto* range =
        std::lower_bound(std::begin(combining_ranges), std::end(combining_ranges), c,
                         [](const combining_range& r, char32_t value) { return r.last < value; });
    return range != std::end(combining_ranges) && range->first <= c ? range->combining_class
                                                                    : std::uint8_t{0};
}

namespace {

// Hangul syllables are composed by arithmetic (The Unicode Standard, section 3.12).
constexpr char32_t hangul_base = 0xAC00, l_base = 0x1100, v_base = 0x1161, t_base = 0x11A7;
constexpr char32_t l_count = 19, v_count = 21, t_count = 28;
constexpr char32_t hangul_count = l_count * v_count * t_count;

}  // namespace

std::optional<canonical_pair> decompose(char32_t c) {
    if (c - hangul_base < hangul_count) {
        const char32_t index = c - hangul_base;
        if (index % t_count != 0)
            return canonical_pair{c - index % t_count, t_base + index % t_count};
        return canonical_pair{l_base + index / (v_count * t_count),
                              v_base + index / t_count % v_count};
    }
    const auto* entry = std::lower_bound(
        std::begin(decompositions), std::end(decompositions), c,
        [](const decomposition_entry& e, char32_t value) { return e.composite < value; });
    if (entry == std::end(decompositions) || entry->composite != c) return std::nullopt;
    return canonical_pair{entry->first, entry->second};
}

std::optional<char32_t> compose(char32_t first, char32_t second) {
    if (first - l_base < l_count && second - v_base < v_count)
        return hangul_base + ((first - l_base) * v_count + (second - v_base)) * t_count;
    if (first - hangul_base < hangul_count && (first - hangul_base) % t_count == 0 &&
        second - t_base - 1 < t_count - 1)
        return first + (second - t_base);
    const auto* entry =
        std::lower_bound(std::begin(compositions), std::end(compositions), std::pair(first, second),
                         [](const composition_entry& e, const std::pair<char32_t, char32_t>& key) {
                             return std::pair(e.first, e.second) < key;
                         });
    if (entry == std::end(compositions) || entry->first != first || entry->second != second)
        return std::nullopt;
    return entry->composite;
}

}  // namespace cuset::text
