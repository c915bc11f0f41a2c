#include "bpe.h"

#include <algorithm>
#include <functional>

namespace cuset::text {

namespace {

constexpr std::size_t short_word = 48;

/// Uses two arrays on the stack; each round looks at every pair to find the lowest rank.
void merge_short(const vocabulary& v, const char* data, std::size_t size, scratch& s) {
    std::array<word_token, short_word> tokens;
    std::array<std::uint64_t, short_word> merges;
    std::size_t n = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const std::int32_t id = v.byte_token(static_cast<unsigned char>(data[i]));
        if (id != vocabulary::no_token) tokens[n++] = {id, static_cast<std::uint32_t>(i + 1)};
    }
    for (std::size_t i = 0; i + 1 < n; ++i) merges[i] = v.merge_of(tokens[i].id, tokens[i + 1].id);
    if (n > 0) merges[n - 1] = vocabulary::no_merge;
    while (n > 1) {
        std::size_t best = 0;
        for (std::size_t i = 1; i + 1 < n; ++i)
            if (merges[i] < merges[best]) best = i;
        // The rank is the upper half: equal values are the same pair, and the leftmost came first.
        const std::uint64_t merge = merges[best];
        if (merge == vocabulary::no_merge) break;
        tokens[best] = {static_cast<std::int32_t>(merge & 0xFFFFFFFFU), tokens[best + 1].end};
        for (std::size_t i = best + 1; i + 1 < n; ++i) {
            tokens[i] = tokens[i + 1];
            merges[i] = merges[i + 1];
        }
        --n;
        if (best + 1 < n) merges[best] = v.merge_of(tokens[best].id, tokens[best + 1].id);
        if (best > 0) merges[best - 1] = v.merge_of(tokens[best - 1].id, tokens[best].id);
    }
    s.word.assign(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(n));
}

/// A linked list of symbols and a heap of (rank, position). An entry is stale, and skipped, if the
/// rank of the pair at its position has changed.
void merge_long(const vocabulary& v, const char* data, std::size_t size, scratch& s) {
    constexpr std::uint32_t none = 0xFFFFFFFFU;
    auto& symbols = s.symbols;
    auto& heap = s.heap;
    symbols.clear();
    heap.clear();
    for (std::size_t i = 0; i < size; ++i) {
        const std::int32_t id = v.byte_token(static_cast<unsigned char>(data[i]));
        if (id == vocabulary::no_token) continue;
        const auto at = static_cast<std::uint32_t>(symbols.size());
        symbols.push_back({id, static_cast<std::uint32_t>(i + 1), at == 0 ? none : at - 1, at + 1,
                           vocabulary::no_merge});
    }
    if (!symbols.empty()) symbols.back().next = none;
    const auto entry = [&symbols](std::uint32_t at) {
        return (symbols[at].merge & ~std::uint64_t{0xFFFFFFFFU}) | at;
    };
    const auto pair_up = [&](std::uint32_t at) {
        auto& symbol = symbols[at];
        symbol.merge = symbol.next == none ? vocabulary::no_merge
                                           : v.merge_of(symbol.id, symbols[symbol.next].id);
        return symbol.merge != vocabulary::no_merge;
    };
    for (std::uint32_t at = 0; at < symbols.size(); ++at)
        if (pair_up(at)) heap.push_back(entry(at));
    const auto later = std::greater<>{};
    std::make_heap(heap.begin(), heap.end(), later);
    const auto push = [&](std::uint32_t at) {
        if (!pair_up(at)) return;
        heap.push_back(entry(at));
        std::push_heap(heap.begin(), heap.end(), later);
    };
    while (!heap.empty()) {
        std::pop_heap(heap.begin(), heap.end(), later);
        const std::uint64_t top = heap.back();
        heap.pop_back();
        const auto at = static_cast<std::uint32_t>(top & 0xFFFFFFFFU);
        auto& left = symbols[at];
        if (left.merge == vocabulary::no_merge || entry(at) != top) continue;
        auto& right = symbols[left.next];
        left.id = static_cast<std::int32_t>(left.merge & 0xFFFFFFFFU);
        left.end = right.end;
        left.next = right.next;
        right.merge = vocabulary::no_merge;
        if (left.next != none) symbols[left.next].previous = at;
        push(at);
        if (left.previous != none) push(left.previous);
    }
    s.word.clear();
    for (std::uint32_t at = symbols.empty() ? none : 0; at != none; at = symbols[at].next) {
        s.word.push_back({symbols[at].id, symbols[at].end});
    }
    // A word of megabytes is rare; its working memory is not kept for the next.
    constexpr std::size_t keep = std::size_t{1} << 16;
    if (symbols.capacity() > keep) {
        symbols = {};
        heap = {};
    }
}

}  // namespace

void merge_word(const vocabulary& v, const char* data, std::size_t size, scratch& s) {
    if (size <= short_word) {
        merge_short(v, data, size, s);
    } else {
        merge_long(v, data, size, s);
    }
}

}  // namespace cuset::text
