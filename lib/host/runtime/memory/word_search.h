// Looks for words of some values in what is copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cuset_host {

/// Calls `found(byte, word)` for each aligned word of [begin, begin + bytes) that lies in
/// [low, low + span). The alignment is that of the address `alignment`, of the first byte.
template <class Found>
[[gnu::optimize("O3")]] void each_word_in(const void* begin, std::size_t bytes,
                                          std::uintptr_t alignment, std::uintptr_t low,
                                          std::uintptr_t span, const Found& found) {
    constexpr std::size_t size = sizeof(std::uint64_t), block = 64;
    const auto* const at = static_cast<const unsigned char*>(begin);
    std::size_t i = (size - alignment % size) % size;
    const auto look = [&](std::size_t words) {
        for (std::size_t k = 0; k < words; ++k) {
            std::uint64_t word;
            std::memcpy(&word, at + i + k * size, size);
            if (word - low < span) found(i + k * size, word);
        }
        i += words * size;
    };
    while (i + block * size <= bytes) {
        std::uint64_t hits = 0;
        for (std::size_t k = 0; k < block; ++k) {
            std::uint64_t word;
            std::memcpy(&word, at + i + k * size, size);
            hits |= word - low < span ? 1 : 0;
        }
        if (hits != 0)
            look(block);
        else
            i += block * size;
    }
    if (i + size <= bytes) look((bytes - i) / size);
}

}  // namespace cuset_host
