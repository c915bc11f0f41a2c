// A byte-level BPE vocabulary in flat tables: tokens by their bytes, merges by pair of ids.
// Internal to lib/text.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cuset::text {

inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    __extension__ using wide = unsigned __int128;
    const wide product = static_cast<wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline std::uint64_t hash_bytes(const char* data, std::size_t size) {
    std::uint64_t h = 0x9E3779B97F4A7C15ULL ^ size;
    std::uint64_t word = 0;
    for (; size >= 8; data += 8, size -= 8) {
        std::memcpy(&word, data, 8);
        h = mix(h ^ word, 0xD6E8FEB86659FD93ULL);
    }
    word = 0;
    if (size > 0) std::memcpy(&word, data, size);
    return mix(h ^ word, 0xA0761D6478BD642FULL);
}

/// Appends the bytes that a byte-level token's spelling stands for ("Ġfor" is " for") to `bytes`.
/// Returns false, with `bytes` unchanged, if a character stands for no byte.
bool spelling_to_bytes(std::string_view spelling, std::string& bytes);

class vocabulary {
public:
    static constexpr std::uint64_t no_merge = ~std::uint64_t{0};
    static constexpr std::int32_t no_token = -1;

    /// Room for `tokens` ids in all; called once, before add().
    void reserve(std::size_t tokens, std::size_t bytes);
    /// Adds a token as tokenizer.json spells it. False if the spelling or the id is taken.
    /// `id` is below what reserve() was told.
    bool add(std::string_view spelling, std::int32_t id);
    /// The id of a spelling.
    std::optional<std::int32_t> find(std::string_view spelling) const;
    /// The same; `guess` is an id that is probably right and is tried first.
    std::optional<std::int32_t> find(std::string_view spelling, std::int32_t guess) const;
    /// The id of the token that consists of these bytes, or no_token.
    std::int32_t find_bytes(const char* data, std::size_t size) const;
    /// The bytes given to add(); a spelling that is not byte-level stays as it is.
    std::string_view bytes_of(std::int32_t id) const;
    bool has(std::int32_t id) const;
    std::size_t size() const { return count_; }

    void reserve_merges(std::size_t merges);
    /// Makes the pair become `merged`; calls come in order of rank (0 first). A pair given twice
    /// keeps its last rank.
    void add_merge(std::int32_t left, std::int32_t right, std::uint32_t rank, std::int32_t merged);
    /// rank << 32 | merged id, or no_merge.
    std::uint64_t merge_of(std::int32_t left, std::int32_t right) const {
        const std::uint64_t key = pair_key(left, right);
        for (std::size_t slot = pair_slot(key);; slot = (slot + 1) & pair_mask_) {
            const pair_entry& entry = pairs_[slot];
            if (entry.key == key) return entry.value;
            if (entry.key == no_merge) return no_merge;
        }
    }
    /// The token of a single byte, or no_token.
    std::int32_t byte_token(unsigned char byte) const { return byte_tokens_[byte]; }

private:
    struct pair_entry {
        std::uint64_t key = no_merge;
        std::uint64_t value = no_merge;
    };
    struct piece {
        std::uint32_t begin = 0;
        std::uint32_t size = 0;
        bool present = false;
    };
    struct byte_slot {
        std::int32_t id = no_token;
        std::uint32_t tag = 0;  // the hash's upper half: saves a look at the token's bytes
    };
    static std::uint64_t pair_key(std::int32_t left, std::int32_t right) {
        return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 |
               static_cast<std::uint32_t>(right);
    }
    std::size_t pair_slot(std::uint64_t key) const {
        return static_cast<std::size_t>(mix(key, 0x9E3779B97F4A7C15ULL)) & pair_mask_;
    }

    std::string arena_;
    std::vector<piece> pieces_;        // by id
    std::vector<byte_slot> by_bytes_;  // open addressing
    std::size_t bytes_mask_ = 0;
    std::unordered_map<std::string, std::int32_t> irregular_;  // spellings that are not byte-level
    std::vector<pair_entry> pairs_ = std::vector<pair_entry>(1);
    std::size_t pair_mask_ = 0;
    std::array<std::int32_t, 256> byte_tokens_{};
    std::size_t count_ = 0;
};

}  // namespace cuset::text
