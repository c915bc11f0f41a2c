// Character classes and NFC, as Hugging Face's `tokenizers` sees them. Internal to lib/text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cuset::text {

/// Bits of a character's class.
enum char_class : std::uint8_t {
    letter = 1,       ///< \p{L}
    number = 2,       ///< \p{N}
    punctuation = 4,  ///< \p{P}
    space = 8,        ///< \s
    numeric = 16,     ///< what the Digits pre-tokenizer takes for a digit
    nfc_active = 32,  ///< NFC may change it, move it or join it to its neighbour
    newline = 64,     ///< \r or \n (those have `space` too); set by classify() only
};

/// The class bits of a code point below 0x110000.
std::uint8_t class_of(char32_t c);

struct decoded {
    char32_t code_point;
    unsigned length;  ///< 1 to 4 bytes
};

/// The character at `p`, in UTF-8 that is known to be valid.
inline decoded decode_utf8(const char* p) {
    const auto byte = [p](int i) { return static_cast<unsigned char>(p[i]); };
    const unsigned lead = byte(0);
    if (lead < 0x80) return {lead, 1};
    if (lead < 0xE0) return {(lead & 0x1FU) << 6 | (byte(1) & 0x3FU), 2};
    if (lead < 0xF0) {
        return {(lead & 0xFU) << 12 | (byte(1) & 0x3FU) << 6 | (byte(2) & 0x3FU), 3};
    }
    return {
        (lead & 0x7U) << 18 | (byte(1) & 0x3FU) << 12 | (byte(2) & 0x3FU) << 6 | (byte(3) & 0x3FU),
        4};
}

/// NFC text, and for each of its bytes the place in the source where that byte ends.
struct normalized_text {
    std::string text;
    std::vector<std::size_t> source_end;
};

/// True if NFC could change no character of the valid UTF-8 `text`. It may be false for a text that
/// is in NFC.
bool is_plainly_nfc(std::string_view text);

/// NFC of valid UTF-8, with the alignment Hugging Face gives: see tokenizer::encode.
normalized_text normalize_nfc(std::string_view text);

}  // namespace cuset::text
