// Replacements in a program's text that keep every line's number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/syntax/cuda_program.h"

namespace cuset {

class text_edits {
public:
    explicit text_edits(std::string_view text) : text_(text) {}

    /// Several at one offset keep the order of the calls.
    void insert(std::uint32_t offset, std::string words) {
        replace(offset, offset, std::move(words), false);
    }
    /// The newlines of the replaced text follow `words`, each after a backslash if it is in a
    /// directive.
    void replace(std::uint32_t begin, std::uint32_t end, std::string words, bool in_directive);

    /// Several replacements of which all are made or none: none where another edit replaces what
    /// one of them touches. An insertion is an empty range.
    struct piece {
        std::uint32_t begin, end;
        std::string words;
    };
    void offer(std::vector<piece> pieces);

    /// The text with all edits; nothing if two of them overlap.
    std::optional<std::string> apply();

private:
    struct edit {
        std::uint32_t begin, end;
        std::string words;
        std::uint32_t offer = 0;  ///< from 1; 0 is none
    };
    void leave_out_offers();

    std::string_view text_;
    std::vector<edit> edits_;
    std::uint32_t offers_ = 0;
};

/// The tokens as one line, without comments; as written if they are on one line already.
std::string source_of(const syntax::token_stream& code, syntax::token_range range);

/// Whether the token is `__shared__`, `static` or `extern`; a macro can also be `__shared__`.
inline bool is_shared_storage(const syntax::token_stream& code, std::uint32_t i) {
    return code.is_any_word(i, {"static", "extern", "__shared__"});
}

}  // namespace cuset
