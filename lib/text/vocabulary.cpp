#include "vocabulary.h"

#include <bit>

#include "unicode.h"

namespace cuset::text {

namespace {

/// GPT-2's printable stand-ins: 188 bytes stand for themselves as code points, the other 68 are
/// numbered from U+0100.
constexpr std::size_t stand_ins = 0x100 + 68;

constexpr std::array<std::int16_t, stand_ins> make_byte_of() {
    std::array<std::int16_t, stand_ins> table{};
    for (auto& entry : table) entry = -1;
    std::size_t next = 0x100;
    for (int byte = 0; byte < 256; ++byte) {
        const bool itself = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) ||
                            (byte >= 0xAE && byte <= 0xFF);
        table[itself ? static_cast<std::size_t>(byte) : next++] = static_cast<std::int16_t>(byte);
    }
    return table;
}
constexpr std::array<std::int16_t, stand_ins> byte_of = make_byte_of();

}  // namespace

bool spelling_to_bytes(std::string_view spelling, std::string& bytes) {
    const std::size_t before = bytes.size();
    for (std::size_t at = 0; at < spelling.size();) {
        const decoded d = decode_utf8(spelling.data() + at);
        at += d.length;
        if (d.code_point >= stand_ins || byte_of[d.code_point] < 0) {
            bytes.resize(before);
            return false;
        }
        bytes.push_back(static_cast<char>(byte_of[d.code_point]));
    }
    return true;
}

void vocabulary::reserve(std::size_t tokens, std::size_t bytes) {
    pieces_.assign(tokens, {});
    arena_.reserve(bytes);
    const std::size_t slots = std::bit_ceil(tokens * 2 + 2);
    by_bytes_.assign(slots, {});
    bytes_mask_ = slots - 1;
    byte_tokens_.fill(no_token);
}

bool vocabulary::add(std::string_view spelling, std::int32_t id) {
    piece& p = pieces_[static_cast<std::size_t>(id)];
    if (p.present) return false;
    p.begin = static_cast<std::uint32_t>(arena_.size());
    if (spelling_to_bytes(spelling, arena_)) {
        p.size = static_cast<std::uint32_t>(arena_.size()) - p.begin;
        const char* data = arena_.data() + p.begin;
        const std::uint64_t hash = hash_bytes(data, p.size);
        const auto tag = static_cast<std::uint32_t>(hash >> 32);
        std::size_t slot = static_cast<std::size_t>(hash) & bytes_mask_;
        for (; by_bytes_[slot].id != no_token; slot = (slot + 1) & bytes_mask_) {
            const byte_slot& other = by_bytes_[slot];
            if (other.tag == tag && bytes_of(other.id) == std::string_view(data, p.size))
                return false;
        }
        by_bytes_[slot] = {id, tag};
        if (p.size == 1) byte_tokens_[static_cast<unsigned char>(*data)] = id;
    } else {
        if (!irregular_.emplace(spelling, id).second) return false;
        arena_ += spelling;
        p.size = static_cast<std::uint32_t>(arena_.size()) - p.begin;
    }
    p.present = true;
    ++count_;
    return true;
}

std::optional<std::int32_t> vocabulary::find(std::string_view spelling) const {
    return find(spelling, no_token);
}

std::optional<std::int32_t> vocabulary::find(std::string_view spelling, std::int32_t guess) const {
    thread_local std::string bytes;
    bytes.clear();
    if (spelling_to_bytes(spelling, bytes)) {
        if (has(guess) && bytes_of(guess) == bytes && !irregular_.contains(bytes)) return guess;
        const std::int32_t id = find_bytes(bytes.data(), bytes.size());
        return id == no_token ? std::nullopt : std::optional(id);
    }
    const auto found = irregular_.find(std::string(spelling));
    return found == irregular_.end() ? std::nullopt : std::optional(found->second);
}

std::int32_t vocabulary::find_bytes(const char* data, std::size_t size) const {
    if (by_bytes_.empty()) return no_token;
    const std::uint64_t hash = hash_bytes(data, size);
    const auto tag = static_cast<std::uint32_t>(hash >> 32);
    std::size_t slot = static_cast<std::size_t>(hash) & bytes_mask_;
    for (; by_bytes_[slot].id != no_token; slot = (slot + 1) & bytes_mask_) {
        const byte_slot& entry = by_bytes_[slot];
        if (entry.tag == tag && bytes_of(entry.id) == std::string_view(data, size)) return entry.id;
    }
    return no_token;
}

std::string_view vocabulary::bytes_of(std::int32_t id) const {
    const piece& p = pieces_[static_cast<std::size_t>(id)];
    return std::string_view(arena_).substr(p.begin, p.size);
}

bool vocabulary::has(std::int32_t id) const {
    return id >= 0 && static_cast<std::size_t>(id) < pieces_.size() &&
           pieces_[static_cast<std::size_t>(id)].present;
}

void vocabulary::reserve_merges(std::size_t merges) {
    const std::size_t slots = std::bit_ceil(merges + merges / 2 + 2);
    pairs_.assign(slots, {});
    pair_mask_ = slots - 1;
}

void vocabulary::add_merge(std::int32_t left, std::int32_t right, std::uint32_t rank,
                           std::int32_t merged) {
    const std::uint64_t key = pair_key(left, right);
    std::size_t slot = pair_slot(key);
    while (pairs_[slot].key != no_merge && pairs_[slot].key != key) slot = (slot + 1) & pair_mask_;
    pairs_[slot] = {key,
                    static_cast<std::uint64_t>(rank) << 32 | static_cast<std::uint32_t>(merged)};
}

}  // namespace cuset::text
