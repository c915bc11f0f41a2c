// Random numbers that are a function of their purpose, not of how many were drawn before.
#pragma once

#include <cstdint>

namespace cuset {

/// Number `number` of the SplitMix64 sequence that begins at `key`: a random key, or 64 random bits.
constexpr std::uint64_t mixed_key(std::uint64_t key, std::uint64_t number) {
    std::uint64_t z = key + (number + 1) * 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

}  // namespace cuset
