// Replacements in a program's text that keep every line's number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/syntax/cuda_program.h"

namespace cuset {

class text_edits {
public:
    explicit text_edits(std::string_view text) : text_(text) {}

    /// At one offset, in the order of the calls.
    void insert(std::uint32_t offset, std::string words) {
        replace(offset, offset, std::move(words), false);
    }
    /// The newlines of what is replaced follow `words`, with a backslash where it is in a
    /// directive.
    void replace(std::uint32_t begin, std::uint32_t end, std::string words, bool in_directive);

    /// The text with all of them; one that overlaps an earlier one's bytes is dropped.
    std::string apply();

private:
    struct edit {
        std::uint32_t begin, end;
        std::string words;
    };
    std::string_view text_;
    std::vector<edit> edits_;
};

/// The tokens as one line: as written where they are that, without comments.
std::string source_of(const syntax::token_stream& code, syntax::token_range range);

/// The words of a shared variable's declaration that say so; a macro for `__shared__` is another.
inline bool is_shared_storage(const syntax::token_stream& code, std::uint32_t i) {
    return code.is_word(i, "static") || code.is_word(i, "extern") || code.is_word(i, "__shared__");
}

}  // namespace cuset
