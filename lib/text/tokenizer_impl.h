// The loaded tokenizer. Internal to lib/text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "added_tokens.h"
#include "cuset/text/tokenizer.h"
#include "split.h"
#include "vocabulary.h"

namespace cuset {

struct tokenizer::impl {
    text::vocabulary words;
    text::chain splits = text::chain::gpt2;
    bool nfc = false;
    bool ignore_merges = false;  ///< a word that is a token needs no merges
    std::vector<text::added_token> added;
    text::token_matcher raw;  ///< added tokens looked for in the text as given
    text::token_matcher
        normalized;  ///< and those looked for after normalization; both give `added`
    std::vector<std::int32_t> added_by_id;  ///< id - added_first: index into `added`, or -1
    std::int32_t added_first = 0;
    std::size_t ids = 0;       ///< one more than the highest
    std::uint32_t serial = 0;  ///< marks this tokenizer's words in the threads' caches

    const text::added_token* added_of(std::int32_t id) const {
        const std::int64_t at = static_cast<std::int64_t>(id) - added_first;
        if (at < 0 || at >= static_cast<std::int64_t>(added_by_id.size())) return nullptr;
        const std::int32_t index = added_by_id[static_cast<std::size_t>(at)];
        return index < 0 ? nullptr : &added[static_cast<std::size_t>(index)];
    }
};

namespace text {

/// Reads tokenizer.json's text into `out` (all but the serial). `name` stands before messages.
status read_tokenizer_json(std::string_view json, std::string_view name, tokenizer::impl& out);

}  // namespace text
}  // namespace cuset
