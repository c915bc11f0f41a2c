// Inline PTX on the parts of a word (SIMD video instructions).
#pragma once

#include <cuset_host/ptx/words.h>

#include <cstdint>

namespace cuset_host::ptx {

/// f of each of the 2 or 4 parts of two words, as a word of such parts or, with Adds, as their sum
/// added to the third word. Results keep their low bits, or end at the part's limits.
template <int Parts, bool D_signed, bool A_signed, bool B_signed, bool Saturates, bool Adds,
          class F>
inline word in_lanes(word first, word second, word third, const F& f) {
    constexpr int width = 32 / Parts;
    constexpr int most = (1 << (width - (D_signed ? 1 : 0))) - 1, least = D_signed ? -most - 1 : 0;
    const auto part = [](word w, int i, bool is_signed) {
        const auto bits_of = static_cast<std::uint32_t>(w >> (i * width)) << (32 - width);
        return is_signed ? static_cast<int>(bits_of) >> (32 - width)
                         : static_cast<int>(bits_of >> (32 - width));
    };
    std::uint32_t made = Adds ? static_cast<std::uint32_t>(third) : 0;
    for (int i = 0; i < Parts; ++i) {
        int value = f(part(first, i, A_signed), part(second, i, B_signed));
        if (Saturates) value = value < least ? least : value > most ? most : value;
        made += Adds ? static_cast<std::uint32_t>(value)
                     : (static_cast<std::uint32_t>(value) & (0xffffffffU >> (32 - width)))
                           << (i * width);
    }
    return made;
}

}  // namespace cuset_host::ptx
